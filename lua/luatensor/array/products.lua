--- Products of tensors that are composed of matmul, multiply and views: tensordot, outer and matrix_transpose.

local args = require "luatensor.base.args"
local lists = require "luatensor.base.lists"
local core = require "luatensor.core"
local lt = require "luatensor.base.public"

local methods = core.methods

local join, pick = lists.join, lists.pick

--- Returns two lists: the dims of x and the dims of y to contract. `dims` is a pair of such lists, or a number n: the
-- last n dims of x and the first n dims of y.
local function contracted(x, y, dims)
  if dims == nil then dims = 2 end
  if type(dims) == "number" then
    local n = args.integer("tensordot", "dims", dims, 0, math.min(x.ndim, y.ndim))
    local left, right = {}, {}
    for k = 1, n do left[k], right[k] = x.ndim - n + k, k end
    return left, right
  end
  if type(dims) ~= "table" or type(dims[1]) ~= "table" or type(dims[2]) ~= "table" then
    args.fail("tensordot", "dims: a number or two lists of dims expected, as in {{1, 2}, {2, 1}}")
  end
  if #dims[1] ~= #dims[2] then
    args.fail("tensordot", "dims: lists of the same length expected, got %d and %d", #dims[1], #dims[2])
  end
  local left, right = {}, {}
  for k, d in ipairs(dims[1]) do
    left[k], right[k] = args.dim("tensordot", d, x.ndim), args.dim("tensordot", dims[2][k], y.ndim)
  end
  return left, right
end

--- Returns the dims of a tensor that are not in the list. Raises an error if the list names a dim twice.
local function others(ndim, list)
  local named, free = {}, {}
  for _, d in ipairs(list) do
    if named[d] then args.fail("tensordot", "dim %d is named twice", d) end
    named[d] = true
  end
  for d = 1, ndim do
    if not named[d] then free[#free + 1] = d end
  end
  return free
end

--- Multiplies x by y and sums over pairs of dims. The result has the remaining dims, first those of x, then those of
-- y.
-- @tparam tensor x
-- @tparam tensor y
-- @param[opt=2] dims n: the last n dims of x, the first n of y; or {dims of x, dims of y}; also option `dims`
-- @treturn tensor
function lt.tensordot(x, y, dims)
  args.tensor("tensordot", 1, x)
  args.tensor("tensordot", 2, y)
  if args.is_options(dims) then dims = args.options("tensordot", dims, {dims = true}).dims end
  local left, right = contracted(x, y, dims)
  for k, d in ipairs(left) do
    if x.shape[d] ~= y.shape[right[k]] then
      args.fail("tensordot", "dim %d of %s and dim %d of %s differ", d, args.shape_text(x.shape), right[k],
                args.shape_text(y.shape))
    end
  end
  local rows, columns = others(x.ndim, left), others(y.ndim, right)
  local row_lengths, m = pick(x.shape, rows)
  local column_lengths, n = pick(y.shape, columns)
  local _, k = pick(x.shape, left)
  local a = x:permute_dims(join(rows, left)):reshape(m, k)
  local b = y:permute_dims(join(right, columns)):reshape(k, n)
  return a:matmul(b):reshape(join(row_lengths, column_lengths))
end

--- Multiplies every element of x by every element of y.
-- @tparam tensor x 1-d
-- @tparam tensor y 1-d
-- @treturn tensor shape [#x, #y]
function lt.outer(x, y)
  local function check(i, t)
    local ndim = args.tensor("outer", i, t).ndim
    if ndim ~= 1 then args.fail("outer", "argument %d: 1-d tensor expected, got %d-d", i, ndim) end
  end
  check(1, x)
  check(2, y)
  return x:expand_dims(2):multiply(y:expand_dims(1))
end

--- Swaps the last two dims, and returns a view, like x.mT.
-- @tparam tensor x 2-d or more
-- @treturn tensor
function lt.matrix_transpose(x)
  if args.tensor("matrix_transpose", 1, x).ndim < 2 then
    args.fail("matrix_transpose", "2 dims or more expected, got %d", x.ndim)
  end
  return x:swapaxes(-2, -1)
end

for _, name in ipairs {"tensordot", "outer", "matrix_transpose"} do methods[name] = lt[name] end
