-- Access through index arrays and masks, and functions that move elements. Indices are 1-based, negative from the end.
local array = require "spec.support.reference.array"
local dtype = require "spec.support.reference.dtype"

local index = {}

local function copy(list) return table.move(list, 1, #list, 1, {}) end

local function place(i, n)
  if i < 0 then i = i + n + 1 end
  assert(i >= 1 and i <= n, "index out of range")
  return i
end

local function truth(x) return x ~= 0 and x ~= false end

-- Returns the positions `indices` of array a along dim.
function index.take(a, indices, dim)
  local shape, at = copy(a.shape), {}
  shape[dim] = #indices
  return array.build(shape, a.dtype, function(i)
    for d = 1, #i do at[d] = i[d] end
    at[dim] = place(indices[i[dim]], a.shape[dim])
    return (array.at(a, at))
  end)
end

-- Returns the array with out[i][j][k] = a[i][indices[i][j][k]][k] for a 3-d array and dim 2; for another dim, the
-- index of that dim is replaced.
function index.gather(a, dim, indices)
  local at = {}
  return array.build(indices.shape, a.dtype, function(i, position)
    for d = 1, #i do at[d] = i[d] end
    at[dim] = place(indices.data[position], a.shape[dim])
    return (array.at(a, at))
  end)
end

-- Returns `out`, which is a copy of `a` with out[i][indices[i][j][k]][k] = source[i][j][k] for a 3-d array and dim 2.
-- For another dim, the index of that dim is replaced.
function index.scatter(a, dim, indices, source)
  local out, at = array.new(a.shape, a.dtype, copy(a.data)), {}
  for position, i in array.indices(indices.shape) do
    for d = 1, #i do at[d] = i[d] end
    at[dim] = place(indices.data[position], a.shape[dim])
    local _, to = array.at(out, at)
    out.data[to] = (array.at(source, i))
  end
  return out
end

function index.masked_select(a, mask)
  local shape = array.broadcast_shapes(a.shape, mask.shape)
  a, mask = array.broadcast_to(a, shape), array.broadcast_to(mask, shape)
  local data = {}
  for i, x in ipairs(a.data) do if mask.data[i] then data[#data + 1] = x end end
  return array.new({#data}, a.dtype, data)
end

-- Returns the positions of elements that are not 0: one int64 array for each dim.
function index.nonzero(a)
  local out = {}
  for d = 1, #a.shape do out[d] = {} end
  for position, i in array.indices(a.shape) do
    if truth(a.data[position]) then
      for d = 1, #i do out[d][#out[d] + 1] = i[d] end
    end
  end
  for d, list in ipairs(out) do out[d] = array.new({#list}, "int64", list) end
  return out
end

function index.concat(list, dim)
  local shape, starts, n = copy(list[1].shape), {}, 0
  for k, a in ipairs(list) do starts[k], n = n, n + a.shape[dim] end
  shape[dim] = n
  local at = {}
  return array.build(shape, list[1].dtype, function(i)
    local k = #list
    while i[dim] <= starts[k] or list[k].shape[dim] == 0 do k = k - 1 end
    for d = 1, #i do at[d] = i[d] end
    at[dim] = i[dim] - starts[k]
    return (array.at(list[k], at))
  end)
end

-- Returns an array of `shape`. where(i) changes its argument, a copy of an index of the result, into the index of the
-- same element in a.
local function moved(a, shape, where)
  return array.build(shape, a.dtype, function(i)
    local at = copy(i)
    where(at)
    return (array.at(a, at))
  end)
end

function index.flip(a, dims)
  return moved(a, a.shape, function(i)
    for _, d in ipairs(dims) do i[d] = a.shape[d] + 1 - i[d] end
  end)
end

function index.roll(a, shift, dim)
  return moved(a, a.shape, function(i) i[dim] = (i[dim] - 1 - shift) % a.shape[dim] + 1 end)
end

-- Repeats each element n times, in consecutive positions along dim.
function index.repeat_elements(a, n, dim)
  local shape = copy(a.shape)
  shape[dim] = shape[dim] * n
  return moved(a, shape, function(i) i[dim] = (i[dim] - 1) // n + 1 end)
end

-- Repeats the whole array repetitions[d] times along dim d; repetitions has an entry for each dim.
function index.tile(a, repetitions)
  local shape = {}
  for d, n in ipairs(a.shape) do shape[d] = n * repetitions[d] end
  return moved(a, shape, function(i)
    for d, n in ipairs(a.shape) do i[d] = (i[d] - 1) % n + 1 end
  end)
end

-- Sets elements of the last two dims to zero unless keep(row, column) is true.
local function triangle(a, keep)
  local zero = dtype.convert(0, "int64", a.dtype)
  return array.build(a.shape, a.dtype, function(i, position)
    if keep(i[#i - 1], i[#i]) then return a.data[position] end
    return zero
  end)
end

function index.tril(a, k) return triangle(a, function(i, j) return j - i <= k end) end
function index.triu(a, k) return triangle(a, function(i, j) return j - i >= k end) end

return index
