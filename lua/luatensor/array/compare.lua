--- Comparisons of whole tensors. Each function returns a Lua boolean, because every 0-d tensor counts as true in an
-- `if`, even a tensor that contains false.

local args = require "luatensor.base.args"
local lists = require "luatensor.base.lists"
local core = require "luatensor.core"
local lt = require "luatensor.base.public"

local methods = core.methods

--- True if all elements of x and y are close as defined by `isclose`. The call waits for a GPU.
-- @function allclose
-- @tparam number|tensor x
-- @tparam number|tensor y broadcast with x
-- @tparam[opt=1e-5] number|tensor rtol relative tolerance
-- @tparam[opt=1e-8] number|tensor atol absolute tolerance
-- @tparam[opt] table options `rtol`, `atol`, `equal_nan` (false)
-- @treturn boolean
function lt.allclose(x, y, ...)
  local list, options = args.split("allclose", {rtol = true, atol = true, equal_nan = true}, x, y, ...)
  if list.n > 4 then args.fail("allclose", "at most 4 arguments and options expected, got %d", list.n) end
  if next(options) ~= nil then list[list.n + 1], list.n = options, list.n + 1 end
  return lt.isclose(table.unpack(list, 1, list.n)):all():item()
end

--- True if x and y have the same shape and equal elements; their dtypes may differ. NaN equals no element, not even
-- NaN. The call waits for a GPU.
-- @function equal_all
-- @tparam tensor x
-- @tparam tensor y
-- @treturn boolean
function lt.equal_all(x, y)
  args.tensor("equal_all", 1, x)
  args.tensor("equal_all", 2, y)
  return lists.same(x.shape, y.shape) and lt.equal(x, y):all():item()
end

methods.allclose, methods.equal_all = lt.allclose, lt.equal_all
