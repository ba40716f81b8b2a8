-- The oracle of x[…]: which elements an index selects, by NumPy's rules, in plain Lua.
-- Each item of an index is a number, a range {} or {first, last, step}, "new" (a new dim), or "..." (the ellipsis).
-- Items {index = {…}} have nested tables of numbers, items {mask = {…}} nested tables of booleans.

local indexing = {}

local function shape_of(t)
  local shape = {}
  while type(t) == "table" do shape[#shape + 1] = #t; t = t[1] end
  return shape
end

local function at(t, coordinates, shape)
  local skip = #coordinates - #shape
  for d = 1, #shape do t = t[shape[d] == 1 and 1 or coordinates[skip + d]] end
  return t
end

-- Calls f(coordinates) for each position of a shape, in row-major order.
local function each(shape, f, coordinates, d)
  coordinates, d = coordinates or {}, d or 1
  if d > #shape then return f(coordinates) end
  for i = 1, shape[d] do
    coordinates[d] = i
    each(shape, f, coordinates, d + 1)
  end
end
indexing.each = each

-- Returns the positions at which a mask is true, as one list of numbers for each dim.
local function mask_lists(mask)
  local shape, lists = shape_of(mask), {}
  for d = 1, #shape do lists[d] = {} end
  each(shape, function(c)
    if at(mask, c, shape) then for d = 1, #shape do table.insert(lists[d], c[d]) end end
  end)
  return lists
end

local function range(item, n)
  local first, last, step = item[1] or 1, item[2], item[3] or 1
  if not item[1] then last = n end
  if first < 0 then first = first + n + 1 end
  last = last or first
  if last < 0 then last = last + n + 1 end
  local list = {}
  for i = first, last, step do list[#list + 1] = i end
  return list
end

local function takes(item)
  if item == "new" or item == "..." then return 0 end
  return type(item) == "table" and item.mask and #shape_of(item.mask) or 1
end

-- Expands an index so that it has one item for each dim of x, in addition to its "new" items. The ellipsis, and dims
-- after the last item, become ranges {} over whole dims. A mask becomes a list of indices for each of its dims.
local function written_out(shape, items)
  local needed, list = 0, {}
  for _, item in ipairs(items) do needed = needed + takes(item) end
  local function fill() for _ = 1, #shape - needed do list[#list + 1] = {} end; needed = #shape end
  for _, item in ipairs(items) do
    if item == "..." then fill()
    elseif type(item) == "table" and item.mask then
      for _, l in ipairs(mask_lists(item.mask)) do list[#list + 1] = {index = l} end
    else list[#list + 1] = item end
  end
  fill()
  return list
end

local function broadcast(a, b)
  local shape = {}
  for k = 1, math.max(#a, #b) do
    local m, n = a[#a + 1 - k] or 1, b[#b + 1 - k] or 1
    table.insert(shape, 1, m == 1 and n or m)
  end
  return shape
end

-- Returns the shape of x[items], and a function from coordinates in the result to coordinates in x.
function indexing.select(shape, items)
  -- plain: a list of positions for each range and new dim. picked: the broadcast shape of the index tensors.
  -- source[d]: the list of `plain`, or the index tensor, that gives the coordinate in dim d of x. before: the number
  -- of dims of the result that precede the dims of the index tensors.
  local plain, picked, source = {}, {}, {}
  local before, state = 0, "none"
  local tensors = false
  for _, item in ipairs(items) do tensors = tensors or (type(item) == "table" and (item.index or item.mask)) end
  for _, item in ipairs(written_out(shape, items)) do
    local n = shape[#source + 1]
    if type(item) == "number" or (type(item) == "table" and item.index) then
      local index = type(item) == "table" and item.index or item
      source[#source + 1] = {index = index, shape = shape_of(index), n = n}
      if type(item) == "table" then picked = broadcast(picked, shape_of(index)) end
      if state == "none" then before, state = #plain, "in" elseif state == "after" then before = 0 end
    else
      if item == "new" then plain[#plain + 1] = {1}
      else
        plain[#plain + 1] = range(item, n)
        source[#source + 1] = {plain = #plain}
      end
      if state == "in" then state = "after" end
    end
  end
  if not tensors then picked, before = {}, 0 end
  local result = {}
  for d = 1, before do result[d] = #plain[d] end
  table.move(picked, 1, #picked, before + 1, result)
  for d = before + 1, #plain do result[#picked + d] = #plain[d] end
  return result, function(c)
    local coordinates = {}
    local b = table.move(c, before + 1, before + #picked, 1, {})
    for d, s in ipairs(source) do
      if s.plain then coordinates[d] = plain[s.plain][c[s.plain <= before and s.plain or s.plain + #picked]]
      else
        local i = at(s.index, b, s.shape)
        coordinates[d] = i < 0 and i + s.n + 1 or i
      end
    end
    return coordinates
  end
end

-- Returns the 1-based position of coordinates in row-major order.
function indexing.position(shape, c)
  local p = 0
  for d = 1, #shape do p = p * shape[d] + c[d] - 1 end
  return p + 1
end

return indexing
