-- Makes inputs for specs: special values of each dtype, and memory layouts of tensors.
local reference = require "spec.support.reference"

local array, info = reference.array, reference.dtype.info
local inf, nan = math.huge, 0.0 / 0.0

local cases = {}

-- Returns a deterministic generator of integers in [0, n), independent of math.random's seed (Knuth's MMIX
-- constants).
function cases.random(seed)
  local state = seed or 1
  return function(n)
    state = state * 6364136223846793005 + 1442695040888963407
    return (state >> 33) % n
  end
end

local function float_specials(t)
  local list = {nan, inf, -inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.0, -2.0, 2.5, -3.0, 10.0, 100.25,
                0.1, -0.1, 1e-3, -1e-5, 3.14159265358979, 1.57079632679490, 0.7071, 0.999, 7.7, -7.3, 20.5, -30.0,
                87.5, 88.8, -87.5, -103.5, 300.0, 709.5, 711.0, -745.5, 12345.678, 1e10, -1e15, 1e30,
                t.smallest, -t.smallest, t.smallest_normal - t.smallest, t.smallest_normal, -t.smallest_normal,
                t.max, -t.max, t.max / 2, 1 + t.eps, 1 - t.eps / 2, 1 / t.eps, 2 ^ 31.0, -2.0 ^ 63, 2.0 ^ 64}
  for i, x in ipairs(list) do list[i] = t.round(x) end
  return list
end

local function integer_specials(t)
  local list = {0, 1, 2, 3, 5, 7, 8, 10, 31, 63, 64, 100, t.max, t.max - 1, t.min, t.min + 1, t.max >> 1, t.wrap(-1)}
  if t.kind == "int" then table.move({-1, -2, -3, -7, -8, -31, -64, -100, t.max // -2}, 1, 9, #list + 1, list) end
  for i, x in ipairs(list) do list[i] = t.wrap(x) end
  return list
end

-- Returns values at which functions of this dtype often fail.
function cases.specials(name)
  local t = info[name]
  if t.is_bool then return {true, false} end
  if t.is_integer then return integer_specials(t) end
  return float_specials(t)
end

-- Returns n ordinary values: small, of both signs unless the dtype is unsigned, with repetitions.
function cases.values(name, n, seed)
  local t, random, list = info[name], cases.random(seed), {}
  for i = 1, n do
    if t.is_bool then list[i] = random(2) == 1
    elseif t.kind == "uint" then list[i] = random(13)
    elseif t.kind == "int" then list[i] = random(25) - 12
    else list[i] = t.round((random(1 << 20) / (1 << 20) - 0.45) * 6) end
  end
  return list
end

local function base(shape, name, seed)
  return array.new(shape, name, cases.values(name, array.count(shape), seed))
end

-- Makes a layout: a label, the shape of a whole tensor, a function `view` that returns a view of this tensor, and a
-- function `same` that returns the same view of a reference array. Without functions, the view is the whole.
local function layout(label, shape, view, same)
  local function whole(x) return x end
  return {label = label, shape = shape, view = view or whole, same = same or whole}
end

-- Layouts with views of shape [3, 5], so that any two can be operands of a binary op.
cases.matrix_layouts = {
  layout("contiguous", {3, 5}),
  layout("transposed", {5, 3}, function(x) return x.T end,
    function(a) return array.permute(a, {2, 1}) end),
  layout("sliced with steps", {7, 11}, function(x) return x[{{1, 5, 2}, {2, 10, 2}}] end,
    function(a) return array.slice(a, {{1, 5, 2}, {2, 10, 2}}) end),
  layout("reversed", {3, 5}, function(x) return x[{{-1, 1, -1}, {-1, 1, -1}}] end,
    function(a) return array.slice(a, {{-1, 1, -1}, {-1, 1, -1}}) end),
  layout("one row broadcast", {1, 5}, function(x) return x:broadcast_to(3, 5) end,
    function(a) return array.broadcast_to(a, {3, 5}) end),
  layout("one column broadcast", {3, 1}, function(x) return x:broadcast_to(3, 5) end,
    function(a) return array.broadcast_to(a, {3, 5}) end),
  layout("offset", {5, 5}, function(x) return x[{{2, 4}, {}}] end,
    function(a) return array.slice(a, {{2, 4}, {}}) end),
  layout("middle of three dims", {3, 2, 5}, function(x) return x[{{}, 2, {}}] end,
    function(a) return array.slice(a, {{}, 2, {}}) end),
}

-- Layouts whose views have other shapes than [3, 5].
cases.shape_layouts = {
  layout("empty", {0}),
  layout("empty in the middle", {3, 0, 2}),
  layout("0-d", {}),
  layout("one element", {1}),
  layout("many dims of one", {1, 1, 1, 1}),
  layout("odd length", {37}),
  layout("odd length, unaligned", {70}, function(x) return x[{{4, 70}}] end,
    function(a) return array.slice(a, {{4, 70}}) end),
  layout("every third", {100}, function(x) return x[{{2, 100, 3}}] end,
    function(a) return array.slice(a, {{2, 100, 3}}) end),
  layout("permuted", {2, 3, 4}, function(x) return x:permute_dims(3, 1, 2) end,
    function(a) return array.permute(a, {3, 1, 2}) end),
  layout("five dims", {2, 1, 3, 2, 2}),
}

cases.layouts = table.move(cases.shape_layouts, 1, #cases.shape_layouts, #cases.matrix_layouts + 1,
                           table.move(cases.matrix_layouts, 1, #cases.matrix_layouts, 1, {}))

local made = {}

-- Returns the array of a layout, and the array of which it is a view. Both are made once, and must not be changed.
function cases.make(l, name, seed)
  local key = l.label .. name .. (seed or 1)
  if not made[key] then
    local whole = base(l.shape, name, seed)
    made[key] = {l.same(whole), whole}
  end
  return made[key][1], made[key][2]
end

-- Returns all pairs of elements of two lists, as two lists of the same length.
function cases.pairs(xs, ys)
  local a, b = {}, {}
  for _, x in ipairs(xs) do
    for _, y in ipairs(ys) do a[#a + 1], b[#b + 1] = x, y end
  end
  return a, b
end

return cases
