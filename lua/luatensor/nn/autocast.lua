--- Mixed precision: products of matrices in half floats, all else in float32.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local blame = require "luatensor.base.blame"

local mode = core.modes.autocast
local autocast = {}

local known = {dtype = true, device = true, enabled = true}
local halves = {float16 = true, bfloat16 = true}
local casts = {float32 = true, float16 = true, bfloat16 = true}

--- A mode is {dtype, device (a kind, or nil: all)}, false where autocast is off; nil: nobody asked.
local function is_here(current, x) return not current.device or x.device:match("^%a+") == current.device end

local function check(options)
  options = args.options("autocast", options, known)
  local dtype, device = options.dtype or "bfloat16", options.device
  if not halves[dtype] then
    args.fail("autocast", "dtype: float16 or bfloat16 expected, got %s", tostring(dtype))
  elseif device ~= nil and type(device) ~= "string" then
    args.fail("autocast", "device: a name such as \"cuda\" expected, got %s", core.type_name(device))
  end
  return options.enabled ~= false and {dtype = dtype, device = device and device:match("^%a+")}
end

--- Calls fn, in which linear and convolutional layers, recurrent cells and the products of attention convert what
-- they are given to a half float and compute in that, while norms, softmax and losses compute in float32. Parameters
-- stay as they are, float32 masters that optimisers change: the conversions are recorded, and gradients come back
-- through them. Of recurrent layers it is the products with inputs; those with the state stay float32. Call
-- `loss:backward()` outside. Functions such as lt.matmul convert nothing; float64 stays float64.
--
--     opt:zero_grad()
--     local loss = nn.autocast(function() return nn.functional.cross_entropy(model(x), y) end, {dtype = "bfloat16"})
--     loss:backward()
--     opt:step()
--
-- Without a function the result is a guard, for the block whose variable holds it:
-- `local _ <close> = nn.autocast{dtype = "bfloat16"}`.
--
-- GPUs whose tensor cores multiply half floats gain from it (NVIDIA's since compute capability 7.0; bfloat16 since
-- 8.0), and activations take half the memory. Processors gain nothing: their products of half floats compute in
-- float32 and convert on the way. float16 reaches 65504 only: use optim.GradScaler with it; bfloat16 has float32's
-- range.
-- @function nn.autocast
-- @tparam[opt] function fn
-- @tparam[opt] table options `dtype` ("bfloat16"), `device`: "cuda" or "cpu", tensors elsewhere stay as they are (all),
--   `enabled` (true); false: not in here
-- @param ... fn's arguments
-- @return what fn returns, or the guard
function autocast.autocast(...)
  local n, fn, options = select("#", ...), ...
  if n == 0 or n == 1 and type(fn) == "table" and not core.is_callable(fn) then
    return mode.guard(blame.call(check, fn))
  end
  blame.check_function("autocast", fn)
  return mode.call(blame.call(check, options), fn, select(3, ...))
end

--- For layers: x as a product takes it: converted while autocast is on, else x itself. What is no tensor stays.
function autocast.cast(x)
  local current = mode.value()
  if not current or not core.is_tensor(x) then return x end
  local dtype = x.dtype
  if dtype == current.dtype or not casts[dtype] or not is_here(current, x) then return x end
  return x:to(current.dtype)
end

--- For layers: x as norms, softmax and losses take it: half floats become float32 while autocast is on.
function autocast.wide(x)
  local current = mode.value()
  if not current or not core.is_tensor(x) or not halves[x.dtype] or not is_here(current, x) then return x end
  return x:to("float32")
end

--- True while autocast is on.
function autocast.is_on() return mode.value() and true or false end

return autocast
