-- Matrix products. Each element comes with the sum of the magnitudes of its terms, which bounds the error of floats.
local array = require "spec.support.reference.array"
local dtype = require "spec.support.reference.dtype"
local promotion = require "spec.support.reference.promotion"

local linalg = {}

-- Multiplies an m × k by a k × n matrix, which begin after oa and ob elements of the row-major lists a and b. Appends
-- the elements of the product to `out`, and the sums of the magnitudes of their terms to `sizes`.
local function product(a, b, oa, ob, m, k, n, out, sizes)
  for i = 0, m - 1 do
    for j = 0, n - 1 do
      local sum, size = 0, 0.0
      for l = 0, k - 1 do
        local term = a[oa + i * k + l + 1] * b[ob + l * n + j + 1]
        sum, size = sum + term, size + math.abs(term)
      end
      out[#out + 1], sizes[#sizes + 1] = sum, size
    end
  end
end

-- Multiplies as the array API standard defines matmul: a 1-d operand gets a dim of length 1, which the result drops,
-- and leading dims broadcast. Returns the product, and the list of its elements' sums of magnitudes.
function linalg.matmul(a, b)
  local result = promotion.pair(a.dtype, b.dtype)
  local left, right = #a.shape == 1, #b.shape == 1
  if left then a = array.reshape(a, {1, a.shape[1]}) end
  if right then b = array.reshape(b, {b.shape[1], 1}) end
  a, b = array.to(a, result), array.to(b, result)
  local m, k, n = a.shape[#a.shape - 1], a.shape[#a.shape], b.shape[#b.shape]
  assert(k == b.shape[#b.shape - 1], "inner dims differ")
  local batch = array.broadcast_shapes({table.unpack(a.shape, 1, #a.shape - 2)}, {table.unpack(b.shape, 1, #b.shape - 2)})
  local full_a, full_b = {table.unpack(batch)}, {table.unpack(batch)}
  table.move({m, k}, 1, 2, #batch + 1, full_a)
  table.move({k, n}, 1, 2, #batch + 1, full_b)
  a, b = array.broadcast_to(a, full_a), array.broadcast_to(b, full_b)
  local out, sizes = {}, {}
  for i = 0, array.count(batch) - 1 do product(a.data, b.data, i * m * k, i * k * n, m, k, n, out, sizes) end
  for i, x in ipairs(out) do out[i] = dtype.store(dtype.info[result].is_float and x + 0.0 or x, result) end
  local shape = {table.unpack(batch)}
  if not left then shape[#shape + 1] = m end
  if not right then shape[#shape + 1] = n end
  return array.new(shape, result, out), sizes
end

return linalg
