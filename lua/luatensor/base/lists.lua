--- Functions of lists of numbers, such as dims, lengths and shapes.

local lists = {}

--- Returns a new list with the elements of all given lists.
function lists.join(...)
  local all = {}
  for _, list in ipairs {...} do table.move(list, 1, #list, #all + 1, all) end
  return all
end

--- True if two lists, or shapes, have the same length and equal elements.
function lists.same(a, b)
  if #a ~= #b then return false end
  for i = 1, #a do if a[i] ~= b[i] then return false end end
  return true
end

--- Returns a list of the values at the given keys, and the product of these values.
function lists.pick(values, keys)
  local picked, product = {}, 1
  for i, key in ipairs(keys) do
    picked[i] = values[key]
    product = product * picked[i]
  end
  return picked, product
end

return lists
