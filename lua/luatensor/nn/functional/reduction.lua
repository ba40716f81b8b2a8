--- Helpers of losses: checks of arguments, and the reduction of the losses of all elements to one number.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lists = require "luatensor.base.lists"
local autocast = require "luatensor.nn.autocast"
local blame = require "luatensor.base.blame"

local ag = core.autograd
local reduction = {}

--- Raises an error unless argument i is a tensor that was not freed and, if `of_floats` is true, contains real
-- floats.
function reduction.tensor(name, i, x, of_floats)
  if not core.is_tensor(x) then blame.fail(name, "argument %d: tensor expected, got %s", i, core.type_name(x)) end
  if core.gone(x) then blame.fail(name, "argument %d: %s", i, core.gone(x)) end
  if of_floats and not core.floats[x.dtype] then
    blame.fail(name, "argument %d: a tensor of floats expected, got %s", i, x.dtype)
  end
end

function reduction.same_device(name, x, y, what)
  if x.device ~= y.device then
    blame.fail(name, "the %s is on %s, the input on %s; use :to(%q)", what, y.device, x.device, x.device)
  end
end

--- Raises an error unless option `what`, a weight of elements or classes, is a real tensor on x's device.
function reduction.weight(name, what, weight, x)
  if not core.is_tensor(weight) then blame.fail(name, "%s: tensor expected, got %s", what, core.type_name(weight)) end
  if core.gone(weight) then blame.fail(name, "%s: %s", what, core.gone(weight)) end
  if ag.is_complex(weight) then blame.fail(name, "%s: a real tensor expected, got %s", what, weight.dtype) end
  reduction.same_device(name, x, weight, what)
end

--- Returns the input x and the target y, converted to one common dtype. Raises an error unless both are on one device
-- and have the same shape.
function reduction.pair(name, x, y)
  reduction.tensor(name, 1, x, true)
  reduction.tensor(name, 2, y)
  reduction.same_device(name, x, y, "target")
  if not lists.same(x.shape, y.shape) then
    blame.fail(name, "the input has shape %s, the target %s; both must be the same", args.shape_text(x.shape),
               args.shape_text(y.shape))
  end
  x, y = autocast.wide(x), autocast.wide(y)
  local a, b = x.dtype, y.dtype
  if a == b then return x, y end
  if ag.is_complex(y) then blame.fail(name, "argument 2: a real target expected, got %s", b) end
  if not core.floats[b] then return x, y:to(a) end
  local both = core.result_type(x, y)
  return x:to(both), y:to(both)
end

local kinds = {mean = true, sum = true, none = true}

--- Checks the options of a loss, including reduction, and returns them, or an empty table for nil. `more` is a
-- reduction that only this loss supports, such as "batchmean", or nil.
function reduction.options(name, options, known, more)
  if options == nil then return {} end
  options = args.options(name, options, known)
  local kind = options.reduction
  if kind ~= nil and not kinds[kind] and kind ~= more then
    blame.fail(name, "reduction: \"mean\", \"sum\"%s or \"none\" expected, got %q",
               more and (", %q"):format(more) or "", tostring(kind))
  end
  return options
end

--- Returns the mean of losses, their sum, or the losses themselves. Mean and sum free the tensor `losses`, to which
-- only the caller refers.
function reduction.reduce(losses, kind)
  if kind == "none" then return losses end
  local total = kind == "sum" and losses:sum() or losses:mean()
  losses:free()
  return total
end

return reduction
