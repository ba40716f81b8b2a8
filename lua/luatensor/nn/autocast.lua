--- nn.autocast, mixed precision: matrix products in half floats, everything else in float32.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local blame = require "luatensor.base.blame"

local mode = core.modes.autocast
local autocast = {}

local known = {dtype = true, device = true, enabled = true}
local floats = core.floats

local function is_narrow(dtype) return floats[dtype] and floats[dtype] ~= dtype end

--- True if the mode `current` applies to x's device. A mode is {dtype, device}, in which device is a kind such as
-- "cuda", or nil for all devices. The mode is false if autocast is switched off, and nil if it was never set.
local function is_here(current, x) return not current.device or x.device:match("^%a+") == current.device end

local function check(options)
  options = args.options("autocast", options, known)
  local dtype, device = options.dtype or "bfloat16", options.device
  if not is_narrow(dtype) then
    args.fail("autocast", "dtype: float16 or bfloat16 expected, got %s", tostring(dtype))
  elseif device ~= nil and type(device) ~= "string" then
    args.fail("autocast", "device: a name such as \"cuda\" expected, got %s", core.type_name(device))
  end
  return options.enabled ~= false and {dtype = dtype, device = device and device:match("^%a+")}
end

--- Calls fn with mixed precision. Inside fn, linear and convolutional layers, recurrent cells and the products of
-- attention convert their inputs to a half float and compute in it. Norms, softmax and losses compute in float32.
-- Parameters stay float32, and optimisers update them; gradients flow back through the recorded conversions.
-- Recurrent layers convert only the products with inputs; the products with the state stay float32. Call
-- `loss:backward()` outside of fn. Functions such as lt.matmul convert nothing; float64 stays float64.
--
--     opt:zero_grad()
--     local loss = nn.autocast(function() return nn.functional.cross_entropy(model(x), y) end, {dtype = "bfloat16"})
--     loss:backward()
--     opt:step()
--
-- Without a function, the result is a guard, which switches mixed precision on until the block of its variable ends:
-- `local _ <close> = nn.autocast{dtype = "bfloat16"}`.
--
-- Mixed precision is faster on GPUs with tensor cores for half floats (NVIDIA's since compute capability 7.0;
-- bfloat16 since 8.0), and activations take half the memory. Processors gain no speed, because their products convert
-- half floats to float32. The largest float16 is 65504, so use optim.GradScaler with float16; bfloat16 has float32's
-- range.
-- @function nn.autocast
-- @tparam[opt] function fn
-- @tparam[opt] table options `dtype` ("bfloat16"), `device`: "cuda" or "cpu" limits the effect to tensors on such
--   devices (default: all); `enabled` (true; false switches mixed precision off in fn)
-- @param ... the arguments of fn
-- @return what fn returns, or the guard
function autocast.autocast(...)
  local n, fn, options = select("#", ...), ...
  if n == 0 or n == 1 and type(fn) == "table" and not core.is_callable(fn) then
    return mode.guard(blame.call(check, fn))
  end
  blame.check_function("autocast", fn)
  return mode.call(blame.call(check, options), fn, select(3, ...))
end

--- Prepares x, a factor of a product in a layer: float32 and half floats are converted to autocast's dtype while
-- autocast is on for x's device. Values that are no tensors are returned as they are.
function autocast.cast(x)
  local current = mode.value()
  if not current or not core.is_tensor(x) then return x end
  local dtype = x.dtype
  if dtype == current.dtype or floats[dtype] ~= "float32" or not is_here(current, x) then return x end
  return x:to(current.dtype)
end

--- Prepares x, the input of a norm, a softmax or a loss: half floats become float32 while autocast is on for x's
-- device.
function autocast.wide(x)
  local current = mode.value()
  if not current or not core.is_tensor(x) or not is_narrow(x.dtype) or not is_here(current, x) then return x end
  return x:to(floats[x.dtype])
end

--- True while autocast is on for any device.
function autocast.is_on() return mode.value() and true or false end

return autocast
