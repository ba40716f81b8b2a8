--- Comparisons of whole tensors. They answer with a Lua boolean, because a 0-d tensor is always true in an `if`.

local args = require "luatensor.args"
local lists = require "luatensor.lists"

return function(lt, methods)
  --- Are all elements of x and y close, in the sense of isclose? Waits for the result.
  -- @function allclose
  -- @tparam number|tensor x
  -- @tparam number|tensor y broadcast with x
  -- @tparam[opt] table options rtol (1e-5), atol (1e-8), equal_nan (false)
  -- @treturn boolean
  function lt.allclose(x, y, ...)
    return lt.isclose(x, y, ...):all():item()
  end

  --- Have x and y the same shape and equal elements, whatever their dtypes? NaN equals nothing. Waits for the result.
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
end
