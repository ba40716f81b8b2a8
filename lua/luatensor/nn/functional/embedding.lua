--- Rows of a table by number.

local args = require "luatensor.args"
local core = require "luatensor.core"
local lt = require "luatensor"
local blame = require "luatensor.autograd.blame"

local functional = {}

local function is_integer(x) return x.dtype:find("int") ~= nil end

local function check_indices(name, indices)
  if not core.is_tensor(indices) then blame.fail(name, "tensor of integers expected, got %s", type(indices)) end
  if core.gone(indices) then blame.fail(name, "%s", core.gone(indices)) end
  if not is_integer(indices) then blame.fail(name, "tensor of integers expected, got %s", indices.dtype) end
end

--- The first number that is not in 1 … count.
local function outlier(indices, count)
  for _, i in ipairs(indices:flatten():totable()) do
    if i < 1 or i > count then return i end
  end
end

-- take counts negative numbers from the end; as 0, which nothing has, a GPU says them at the next wait, too.
local function on_gpu_from_0(indices)
  if indices.device == "cpu" or not indices.dtype:find("^int") then return indices end
  return indices:maximum(0)
end

--- weight[indices]: its rows. A row's gradient is the sum of those of its uses.
-- @function nn.functional.embedding
-- @tparam tensor indices of integers from 1, of any shape
-- @tparam tensor weight [count, width]
-- @tparam[opt] table options `padding_idx`: this row gets no gradient
-- @treturn tensor [..., width]
-- @raise an index below 1 or above count (of a GPU's tensor: at the next wait)
function functional.embedding(indices, weight, options)
  check_indices("embedding", indices)
  if core.gone(weight) then blame.fail("embedding", "the weight: %s", core.gone(weight)) end
  if not core.is_tensor(weight) or weight.ndim ~= 2 then
    blame.fail("embedding", "a weight of 2 dims expected, got %s",
               core.is_tensor(weight) and args.shape_text(weight.shape) or type(weight))
  end
  local count = weight.shape[1]
  local padding = options and blame.call(args.options, "embedding", options, {padding_idx = true}).padding_idx
  if padding then padding = blame.call(args.integer, "embedding", "padding_idx", padding, 1, count) end
  local taken = on_gpu_from_0(indices)
  local ok, rows = pcall(core.take, weight, taken, 1)
  if not rawequal(taken, indices) then taken:free() end
  if not ok then
    local index = indices.device == "cpu" and outlier(indices, count)
    if index then blame.fail("embedding", "index %d is out of range: 1 … %d", index, count) end
    error(rows, 0)
  end
  if indices.device == "cpu" and indices.size > 0 and indices.dtype:find("^int") and indices:min():item() < 1 then
    blame.fail("embedding", "index %d is out of range: 1 … %d", outlier(indices, count), count)
  end
  if not padding or not rows.requires_grad then return rows end
  return core.where(indices:equal(padding):expand_dims(-1), rows:detach(), rows)
end

--- Each class as a row of zeros with a 1 at its number.
-- @function nn.functional.one_hot
-- @tparam tensor classes of integers from 1, of any shape
-- @tparam[opt] int count how many classes there are: the largest one unless given, which waits
-- @treturn tensor int64 [..., count]
function functional.one_hot(classes, count)
  check_indices("one_hot", classes)
  if count == nil then count = classes.size > 0 and classes:max():item() or 0 end
  count = blame.call(args.integer, "one_hot", "count", count, 0)
  local index = classes.device == "cpu" and outlier(classes, count)
  if index then blame.fail("one_hot", "class %d is out of range: 1 … %d", index, count) end
  return classes:expand_dims(-1):equal(lt.arange(1, count + 1, {dtype = "int64", device = classes.device})):to("int64")
end

return functional
