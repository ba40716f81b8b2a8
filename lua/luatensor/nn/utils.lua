--- nn.utils, functions that clip gradients.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lt = require "luatensor"
local blame = require "luatensor.base.blame"
local engine = require "luatensor.autograd.engine"
local names = require "luatensor.base.names"

-- gradient(p) returns p.grad, but does not mark this tensor as seen by scripts, so that zero_grad can free it.
local gradient = core.autograd.gradient

local utils = {}

-- Returns a list of the gradients of these parameters. Parameters without a gradient are left out.
local function gradients_of(fn, params)
  if core.is_tensor(params) then params = {params} end
  if type(params) ~= "table" then args.fail(fn, "a list of parameters expected, got %s", core.type_name(params)) end
  local list = {}
  for i, p in ipairs(params) do
    args.tensor(fn, i, p)
    list[#list + 1] = gradient(p)
  end
  if #params == 0 and next(params) ~= nil then
    args.fail(fn, "a list of parameters expected, such as model:parameters()")
  end
  return list
end

local function bound(fn, what, x)
  if type(x) ~= "number" or x < 0 or x ~= x then
    args.fail(fn, "%s: a number that is not below 0 expected, got %s", what,
              type(x) == "number" and x or core.type_name(x))
  end
  return x
end

-- Returns the norm of the vector of all elements of all gradients. The result is on the first gradient's device.
local function total_norm(list, order)
  if #list == 0 then return core.zeros({}) end
  local norms = {}
  for i, g in ipairs(list) do norms[i] = lt.linalg.vector_norm(g, {ord = order}):to(list[1].device) end
  if #norms == 1 then return norms[1] end
  local stacked = lt.stack(norms)
  return lt.linalg.vector_norm(stacked, {ord = order})
end

local function clip_norm(params, max_norm, options)
  options = args.options("clip_grad_norm_", options, {norm_type = true, error_if_nonfinite = true})
  bound("clip_grad_norm_", "max_norm", max_norm)
  local order = bound("clip_grad_norm_", "norm_type", options.norm_type or 2)
  local list = gradients_of("clip_grad_norm_", params)
  local norm = total_norm(list, order)
  local value = options.error_if_nonfinite and norm:item() or 0
  if value ~= value or value == math.huge then
    args.fail("clip_grad_norm_", "the norm of the gradients is %s", value)
  end
  local factor = ((norm + 1e-6):reciprocal() * max_norm):clip(nil, 1)
  for _, g in ipairs(list) do g:mul_(factor:to(g.dtype, g.device)) end
  return norm
end

--- Multiplies all gradients by min(max_norm / (norm + 1e-6), 1), where norm is the norm of the vector of all elements
-- of all gradients. The call does not wait for a GPU, except with error_if_nonfinite.
-- @function nn.utils.clip_grad_norm_
-- @param params a list of tensors, such as model:parameters(), or one tensor
-- @number max_norm the largest norm after clipping
-- @tparam[opt] table options `norm_type` (2; math.huge takes the largest magnitude); `error_if_nonfinite` (false)
-- @treturn tensor the norm before clipping, 0-d
function utils.clip_grad_norm_(params, max_norm, options)
  local _ <close> = engine.recording(false)
  return blame.call(clip_norm, params, max_norm, options)
end

local function clip_value(params, value)
  bound("clip_grad_value_", "clip_value", value)
  for _, g in ipairs(gradients_of("clip_grad_value_", params)) do g:clip_(-value, value) end
end

--- Limits each element of all gradients to the range from -clip_value to clip_value.
-- @function nn.utils.clip_grad_value_
-- @param params a list of tensors, such as model:parameters(), or one tensor
-- @number clip_value the largest magnitude after clipping
function utils.clip_grad_value_(params, value)
  local _ <close> = engine.recording(false)
  blame.call(clip_value, params, value)
end

return names.guard(utils, "nn.utils.")
