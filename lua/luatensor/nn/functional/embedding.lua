--- functional.embedding, which looks up rows of a table by their numbers, and functional.one_hot.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lt = require "luatensor"
local blame = require "luatensor.base.blame"
local ranges = require "luatensor.base.ranges"

local ag = core.autograd

local functional = {}

local function is_integer(x) return x.dtype:find("int") ~= nil end

local function check_indices(name, indices)
  if not core.is_tensor(indices) then
    blame.fail(name, "tensor of integers expected, got %s", core.type_name(indices))
  end
  if core.gone(indices) then blame.fail(name, "%s", core.gone(indices)) end
  if not is_integer(indices) then blame.fail(name, "tensor of integers expected, got %s", indices.dtype) end
end

--- Raises an error if an index or a class (`what`) is outside of 1 … count.
local function check_range(name, what, indices, count)
  local behind = (" is out of range: 1 … %d"):format(count)
  ranges.check(name, indices, {low = 1, high = count, what .. " ", behind})
end

--- If check_range makes no check, replaces negative numbers by 0; take would count negative numbers from the end.
-- Position 0 does not exist, so take reports an error, a GPU at the next wait.
local function from_0(indices)
  if core.has_values(indices) or not indices.dtype:find("^int") then return indices end
  return indices:maximum(0)
end

--- Returns g, the gradient of a weight, with the padding row set to 0. g is a new result of take's rule, and nothing
-- else refers to g. So this function changes g in place unless gradients are recorded.
local function without_row(g, row)
  if ag.mode() then
    local rows = core.arange(1, g.shape[1] + 1, {device = g.device})
    return core.where(rows:equal(row):expand_dims(-1), 0, g)
  end
  g[row] = 0
  return g
end

local padded_rule = ag.new_rule {name = "embedding", {"y", without_row}}

--- Returns a tensor that shares the weight's memory and is recorded as a function of the weight. The gradient of this
-- tensor, with 0 in the padding row, becomes the gradient of the weight.
local function padded(weight, row)
  local same = weight:detach()
  ag.new_node("embedding", padded_rule, {weight, row}, {same})
  return same
end

--- Returns weight[indices], rows of a weight. The gradient of a row is the sum of the gradients of all its uses.
-- @function nn.functional.embedding
-- @tparam tensor indices of integers from 1, of any shape
-- @tparam tensor weight [count, width]
-- @tparam[opt] table options `padding_idx`: the number of a row that gets no gradient
-- @treturn tensor [..., width]
-- @raise if an index is below 1 or above count (on a GPU at the next wait)
function functional.embedding(indices, weight, options)
  check_indices("embedding", indices)
  if core.gone(weight) then blame.fail("embedding", "the weight: %s", core.gone(weight)) end
  if not core.is_tensor(weight) or weight.ndim ~= 2 then
    blame.fail("embedding", "a weight of 2 dims expected, got %s",
               core.is_tensor(weight) and args.shape_text(weight.shape) or core.type_name(weight))
  end
  local count = weight.shape[1]
  local padding = options and args.options("embedding", options, {padding_idx = true}).padding_idx
  if padding then padding = args.integer("embedding", "padding_idx", padding, 1, count) end
  if indices.device ~= weight.device then
    blame.fail("embedding", "the indices are on %s, the weight on %s", indices.device, weight.device)
  end
  check_range("embedding", "index", indices, count)
  if padding and weight.requires_grad and ag.mode() then weight = padded(weight, padding) end
  local taken = from_0(indices)
  local rows = core.take(weight, taken, 1)
  -- if gradients are recorded, the graph needs tensor `taken`
  if not rawequal(taken, indices) and not rows.requires_grad then taken:free() end
  return rows
end

--- Converts each class to a row of zeros with a 1 at the number of the class.
-- @function nn.functional.one_hot
-- @tparam tensor classes of integers from 1, of any shape
-- @tparam[opt] int count the number of classes; by default the largest class; the call then waits for a GPU
-- @treturn tensor int64 [..., count]
function functional.one_hot(classes, count)
  check_indices("one_hot", classes)
  if count == nil then count = classes.size > 0 and classes:max():item() or 0 end
  count = args.integer("one_hot", "count", count, 0)
  check_range("one_hot", "class", classes, count)
  return classes:expand_dims(-1):equal(lt.arange(1, count + 1, {dtype = "int64", device = classes.device})):to("int64")
end

return functional
