-- Plain arrays {shape = {…}, dtype = "…", data = {row-major …}}, and shape arithmetic on Lua tables.
-- Positions in `data` and indices are 1-based.
local dtype = require "spec.support.reference.dtype"

local array = {}

function array.count(shape)
  local n = 1
  for _, d in ipairs(shape) do n = n * d end
  return n
end

function array.new(shape, name, data)
  assert(#data == array.count(shape), "data does not fit the shape")
  return {shape = shape, dtype = name, data = data}
end

-- Returns an array whose element at each index list is f(index, position).
function array.build(shape, name, f)
  local data = {}
  for position, index in array.indices(shape) do data[position] = f(index, position) end
  return {shape = shape, dtype = name, data = data}
end

-- Iterates in row-major order: for position, index in array.indices(shape). The table `index` is reused.
function array.indices(shape)
  local n, index = array.count(shape), {}
  for d = 1, #shape do index[d] = 1 end
  if #shape > 0 then index[#shape] = 0 end
  return function(_, position)
    position = position + 1
    if position > n then return nil end
    local d = #shape
    while d > 0 do
      index[d] = index[d] + 1
      if index[d] <= shape[d] then break end
      index[d], d = 1, d - 1
    end
    return position, index
  end, nil, 0
end

function array.strides(shape)
  local strides, n = {}, 1
  for d = #shape, 1, -1 do strides[d], n = n, n * shape[d] end
  return strides
end

-- Returns the element at an index list, and its position in a.data.
function array.at(a, index)
  local position, strides = 1, array.strides(a.shape)
  for d = 1, #a.shape do position = position + (index[d] - 1) * strides[d] end
  return a.data[position], position
end

function array.same_shape(s, t)
  if #s ~= #t then return false end
  for d = 1, #s do if s[d] ~= t[d] then return false end end
  return true
end

-- Returns the common shape to which shapes broadcast, or nil.
function array.broadcast_shapes(...)
  local result = {}
  for _, shape in ipairs {...} do
    local longer, shorter = result, shape
    if #shape > #result then longer, shorter = shape, result end
    local out = {table.unpack(longer)}
    for back = 0, #shorter - 1 do
      local l, s = longer[#longer - back], shorter[#shorter - back]
      if l == 1 then l = s elseif s ~= 1 and s ~= l then return nil end
      out[#out - back] = l
    end
    result = out
  end
  return result
end

function array.broadcast_to(a, shape)
  if array.same_shape(a.shape, shape) then return a end
  local pad, inner = #shape - #a.shape, {}
  return array.build(shape, a.dtype, function(index)
    for d = 1, #a.shape do inner[d] = a.shape[d] == 1 and 1 or index[d + pad] end
    return (array.at(a, inner))
  end)
end

function array.permute(a, order)
  local shape, inner = {}, {}
  for d, from in ipairs(order) do shape[d] = a.shape[from] end
  return array.build(shape, a.dtype, function(index)
    for d, from in ipairs(order) do inner[from] = index[d] end
    return (array.at(a, inner))
  end)
end

function array.reshape(a, shape) return array.new(shape, a.dtype, a.data) end

function array.to(a, name)
  if a.dtype == name then return a end
  local data = {}
  for i, x in ipairs(a.data) do data[i] = dtype.convert(x, a.dtype, name) end
  return {shape = a.shape, dtype = name, data = data}
end

-- Returns a[spec] for basic indexing. spec[d] selects along dim d. An integer selects one position and drops the dim;
-- {i} selects one position and keeps the dim. {} selects all positions, and {first, last[, step]} selects a range.
function array.slice(a, spec)
  local shape, walks = {}, {}
  local function resolve(i, n) return i < 0 and i + n + 1 or i end
  for d, n in ipairs(a.shape) do
    local s = spec[d] or {}
    if type(s) == "number" then
      walks[d] = {first = resolve(s, n)}
    else
      local step = s[3] or 1
      local first = resolve(s[1] or 1, n)
      local last = #s == 0 and n or #s == 1 and first or s[2]
      if last < 0 then last = resolve(last, n) end
      shape[#shape + 1] = math.max(0, (last - first + step) // step)
      walks[d] = {first = first, step = step, dim = #shape}
    end
  end
  local inner = {}
  return array.build(shape, a.dtype, function(index)
    for d, w in ipairs(walks) do inner[d] = w.first + (w.dim and (index[w.dim] - 1) * w.step or 0) end
    return (array.at(a, inner))
  end)
end

-- Returns the shape of a without `dim`, and an iterator over the positions in this shape, which returns (position,
-- fibre). A fibre is the list of the elements along dim at this position.
function array.fibres(a, dim)
  local outer = {}
  for d, n in ipairs(a.shape) do if d ~= dim then outer[#outer + 1] = n end end
  local next_index, _, position = array.indices(outer)
  local inner = {}
  return outer, function()
    local index
    position, index = next_index(nil, position)
    if not position then return nil end
    local k = 0
    for d = 1, #a.shape do
      if d ~= dim then k = k + 1; inner[d] = index[k] end
    end
    local fibre = {}
    for i = 1, a.shape[dim] do
      inner[dim] = i
      fibre[i] = array.at(a, inner)
    end
    return position, fibre
  end
end

return array
