-- Sorts elements stably: equal elements keep their order, also if the list is sorted in descending order. NaN counts
-- as the greatest value.
local array = require "spec.support.reference.array"
local dtype = require "spec.support.reference.dtype"

local sort = {}

-- Returns a function that is true if x sorts before y. Booleans count as 0 and 1.
local function less_of(name)
  local t = dtype.info[name]
  if t.is_bool then return function(x, y) return not x and y end end
  return function(x, y) return t.less(x, y) or (x == x and y ~= y) end
end

-- Returns the 1-based positions of a list's elements of dtype `name`, in sorted order.
function sort.order(list, name, descending)
  local less, at = less_of(name), {}
  for i = 1, #list do at[i] = i end
  table.sort(at, function(i, j)
    local x, y = list[i], list[j]
    if descending then x, y = y, x end
    if less(x, y) then return true end
    return not less(y, x) and i < j
  end)
  return at
end

-- Returns the first `keep` values of each line along dim in order, and their positions. A 0-d array is a line of one
-- element.
function sort.lines(a, dim, descending, keep)
  if #a.shape == 0 then return a, array.new({}, "int64", {1}) end
  local shape, orders = table.move(a.shape, 1, #a.shape, 1, {}), {}
  shape[dim] = keep or shape[dim]
  local outer, each = array.fibres(a, dim)
  for i, line in each do orders[i] = {line = line, at = sort.order(line, a.dtype, descending)} end
  local strides = array.strides(outer)
  local function order_at(index)
    local position, k = 1, 0
    for d = 1, #index do
      if d ~= dim then k = k + 1; position = position + (index[d] - 1) * strides[k] end
    end
    return orders[position]
  end
  local positions = array.build(shape, "int64", function(index) return order_at(index).at[index[dim]] end)
  local values = array.build(shape, a.dtype, function(index)
    local o = order_at(index)
    return o.line[o.at[index[dim]]]
  end)
  return values, positions
end

-- Returns the 1-based position at which x belongs in a sorted list: before equal elements, or after them if `right`
-- is true.
function sort.place(list, name, x, right)
  local less, place = less_of(name), 1
  for _, y in ipairs(list) do
    if less(y, x) or (right and not less(x, y)) then place = place + 1 end
  end
  return place
end

return sort
