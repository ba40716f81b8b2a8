--- The lengths of windows that move over one or two dims, and the checks of their inputs, for convolutions and
-- pooling. The core always takes two lengths; for signals the first length belongs to a dim of length 1.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local blame = require "luatensor.base.blame"

local window = {}

local MOST = 1 << 30                         -- lengths are below MOST, so the product of two cannot overflow

-- ---- lengths ----

local function numbers(name, what, value, dims)
  if core.type_name(value) ~= "table" then
    local n = args.integer(name, what, value)
    return dims == 1 and {n} or {n, n}
  end
  if args.is_options(value) then args.fail(name, "%s: number or list expected, got a table of options", what) end
  if #value ~= dims then args.fail(name, "%s: %d numbers expected, got %d", what, dims, #value) end
  local list = {}
  for i = 1, dims do list[i] = args.integer(name, what, value[i]) end
  return list
end

--- Converts a number or a list of numbers to a list of two numbers. With one dim, the first of the two is `idle`.
-- @string name of the function or layer, for messages
-- @string what name of the value, for messages
-- @param value a number or a list; `otherwise` replaces nil
-- @int dims the number of dims, 1 or 2
-- @int idle the number for the dim of length 1, and the smallest number allowed
-- @param otherwise the default
function window.lengths(name, what, value, dims, idle, otherwise)
  if value == nil then value = otherwise end
  local list = numbers(name, what, value, dims)
  for i = 1, dims do
    if list[i] < idle then args.fail(name, "%s: %d is out of range", what, list[i]) end
    if list[i] >= MOST then args.fail(name, "%s: %d is too large: it must be below %d", what, list[i], MOST) end
  end
  return dims == 1 and {idle, list[1]} or list
end

-- Returns the padding before and after x, as two lists {height, width}. `value` is option padding: a number, a list,
-- "valid" (no padding), or "same" (padding that preserves the lengths).
local function padding(name, value, dims, kernel, stride, dilation)
  if value == "valid" then value = 0 end
  if value ~= "same" then
    if type(value) == "string" then
      args.fail(name, "padding: numbers, \"same\" or \"valid\" expected, got %q", value)
    end
    local list = window.lengths(name, "padding", value, dims, 0, 0)
    return list, list
  end
  if stride[1] ~= 1 or stride[2] ~= 1 then args.fail(name, "padding \"same\" needs stride 1") end
  local before, after = {}, {}
  for d = 1, 2 do
    local total = dilation[d] * (kernel[d] - 1)
    before[d] = total // 2
    after[d] = total - before[d]
  end
  return before, after
end

--- Returns the list of geometry arguments of the core's convolutions: strides, padding before, padding after,
-- dilations (two numbers each), and groups.
function window.geometry(name, options, dims, kernel)
  local stride = window.lengths(name, "stride", options.stride, dims, 1, 1)
  local dilation = window.lengths(name, "dilation", options.dilation, dims, 1, 1)
  local before, after = padding(name, options.padding, dims, kernel, stride, dilation)
  local groups = args.integer(name, "groups", options.groups or 1, 1)
  return {stride[1], stride[2], before[1], before[2], after[1], after[2], dilation[1], dilation[2], groups}
end

-- ---- checks ----

local LONGEST = 1 << 30          -- the greatest stride that the core accepts
local spatial = {"length", "height, width"}

--- Returns an object that takes the place of a layer in checks, so that errors name the function.
function window.owner(name)
  return {fail = function(_, ...) blame.fail(name, ...) end}
end

--- Checks an input [batch, channels, …] or [channels, …], and adds a batch dim if there is none.
-- @param owner a layer, or a result of window.owner
-- @param x the input
-- @int dims the number of dims after the channels, 1 or 2
-- @param channels the required number of channels; nil allows any number
-- @treturn tensor x with a batch dim
-- @treturn boolean true if x had no batch dim
function window.batched(owner, x, dims, channels)
  if not core.is_tensor(x) then owner:fail("tensor expected, got %s", core.type_name(x)) end
  if core.gone(x) then owner:fail("the input: %s", core.gone(x)) end
  local ndim, shape = x.ndim, x.shape
  if ndim ~= dims + 2 and ndim ~= dims + 1 then
    local form = ("%s, %s"):format(channels or "channels", spatial[dims])
    owner:fail("the input must be [batch, %s] or [%s], its shape is %s", form, form, tostring(shape))
  end
  local has = shape[ndim - dims]
  if channels and has ~= channels then
    owner:fail("the input must have %d channels, its shape is %s", channels, tostring(shape))
  end
  if not x.dtype:find "float" then owner:fail("not for %s; use x:to(\"float32\")", x.dtype) end
  if ndim == dims + 1 then return x:expand_dims(1), true end
  return x, false
end

--- Returns y without its batch dim if the input had no batch dim (lone is true).
function window.unbatched(y, lone)
  if lone then return y:squeeze(1) end
  return y
end

--- Raises an error unless x and `other` have one dtype and are on one device. `what` is the name of `other` in the
-- error.
function window.check_kin(owner, x, other, what)
  if other.device ~= x.device then
    owner:fail("the input is on %s, %s on %s; use :to(%q)", x.device, what, other.device, other.device)
  end
  if other.dtype ~= x.dtype then owner:fail("the input is %s, %s %s", x.dtype, what, other.dtype) end
end

local function text(list, dims)
  return dims == 1 and ("%d"):format(list[2]) or ("%d × %d"):format(list[1], list[2])
end

--- Raises an error if a window of these lengths is larger than the padded x. `beyond` is the number of elements by
-- which the window may exceed the padding's end; nil stands for 0.
function window.check_fits(owner, x, dims, kernel, dilation, before, after, beyond)
  local shape, ndim = x.shape, x.ndim
  for d = 3 - dims, 2 do
    local length = shape[ndim - 2 + d]
    local padded = length + before[d] + after[d]
    if kernel[d] == 0 then owner:fail("a kernel without elements: %s", text(kernel, dims)) end
    if length == 0 then owner:fail("the input has no elements along dim %d: %s", ndim - 2 + d, tostring(shape)) end
    local most = padded + (beyond and math.min(beyond[d], LONGEST) or 0)
    if kernel[d] - 1 > (most - 1) // dilation[d] then
      owner:fail("a kernel of %s finds no place in %s: with its dilation it is %.0f long, the padded input %d",
                 text(kernel, dims), tostring(shape), dilation[d] * (kernel[d] - 1.0) + 1, padded)
    end
  end
end

-- ---- printing ----

local function value_text(value)
  if type(value) == "string" then return ("%q"):format(value) end
  if type(value) ~= "table" then return tostring(value) end
  local words = {}
  for i, v in ipairs(value) do words[i] = tostring(v) end
  return "{" .. table.concat(words, ", ") .. "}"
end

--- Returns the text of a size and of the given options, such as "3, padding = 1".
function window.shown(size, options, names)
  local words = {value_text(size)}
  for _, name in ipairs(names) do
    if options[name] ~= nil then words[#words + 1] = name .. " = " .. value_text(options[name]) end
  end
  return table.concat(words, ", ")
end

return window
