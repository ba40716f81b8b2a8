-- Reads tables of special cases, such as special_real.lua. The name of a set of operands stands for some values of a
-- dtype, and a result stands for a check.
local reference = require "spec.support.reference"
local info = reference.dtype.info

local special = {}

local inf = math.huge
local nan = string.unpack("<d", string.pack("<i8", 0x7ff8 << 48))
local minus_nan = string.unpack("<d", string.pack("<i8", 0xfff8 << 48))

-- True if the sign bit is set, also for zeros and NaNs.
local function is_negative(x) return string.pack(">d", x):byte() >= 0x80 end
local function with_sign(x, negative) return negative and -math.abs(x) or math.abs(x) end

-- ---- operands ----

local function negated(list)
  local out = {}
  for i, x in ipairs(list) do out[i] = -x end
  return out
end

local function join(...)
  local out = {}
  for _, list in ipairs {...} do table.move(list, 1, #list, #out + 1, out) end
  return out
end

local function filter(list, keep)
  local out = {}
  for _, x in ipairs(list) do if keep(x) then out[#out + 1] = x end end
  return out
end

-- Returns the sets of values of a float dtype.
local function make_sets(t)
  local limit = 2.0 ^ t.bits                     -- from this number on, all numbers are even
  local positive = {t.smallest, t.smallest_normal, 0.5, 1.0, 1.5, 2.0, 3.0, 7.0, limit - 1, limit, t.max}
  local nonzero = join(positive, negated(positive))
  local finite, number = join({0.0, -0.0}, nonzero), join({0.0, -0.0, inf, -inf}, nonzero)
  local function fraction(x) return x % 1 ~= 0 end
  local function odd(x) return x % 2 == 1 end
  local function but_odd(x) return not odd(x) end
  local above, below = join(positive, {inf}), negated(join(positive, {inf}))
  return {
    any = join(number, {nan, minus_nan}), ["not NaN"] = number, finite = finite, nonzero = nonzero,
    NaN = {nan, minus_nan}, ["+NaN"] = {nan}, ["-NaN"] = {minus_nan},
    ["+inf"] = {inf}, ["-inf"] = {-inf}, ["±inf"] = {inf, -inf}, ["+0"] = {0.0}, ["-0"] = {-0.0}, ["±0"] = {0.0, -0.0},
    positive = positive, negative = negated(positive), ["> 0"] = above, ["< 0"] = below,
    ["> 1"] = filter(above, function(x) return x > 1 end), ["< 1"] = filter(number, function(x) return x < 1 end),
    ["< -1"] = filter(below, function(x) return x < -1 end),
    ["not 0"] = filter(join(number, {nan}), function(x) return x ~= 0 end),
    ["not 1"] = filter(join(number, {nan}), function(x) return x ~= 1 end),
    ["abs 1"] = {1.0, -1.0}, ["abs < 1"] = filter(finite, function(x) return math.abs(x) < 1 end),
    ["abs > 1"] = filter(number, function(x) return math.abs(x) > 1 end),
    ["odd > 0"] = filter(positive, odd), ["odd < 0"] = negated(filter(positive, odd)),
    ["not odd > 0"] = join(filter(positive, but_odd), {inf}),
    ["not odd < 0"] = negated(join(filter(positive, but_odd), {inf})),
    fraction = filter(nonzero, fraction), integral = filter(finite, function(x) return not fraction(x) end),
    least = {t.smallest}, ["-least"] = {-t.smallest}, largest = {t.max}, ["-largest"] = {-t.max},
    ["half largest"] = {t.max / 2}, ["below 0.5"] = {0.5 - t.eps / 4}, ["above 0.5"] = {0.5 + t.eps / 2},
  }
end

-- The operands "x" and "-x", which are the first operand and its negative.
local dependent = {
  ["x"] = function(x) return x end,
  ["-x"] = function(x) return -x end,
}

-- ---- results: a value and how it is compared ----

local function exactly(f) return function(...) return f(...), "exactly" end end
local function always(x, how) return function() return x, how or "exactly" end end
local function roughly(x) return always(x, "roughly") end

-- The results by name. Each function gets the dtype's info and the numbers of all operands: x, y, z, or the parts
-- a, b of the first complex operand and c, d of the second. The function returns the wanted number and the key of a
-- function in `compare`.
local results = {
  NaN = always(nan), ["+NaN"] = always(nan, "sign"), ["-NaN"] = always(minus_nan, "sign"),
  ["+inf"] = always(inf), ["-inf"] = always(-inf), ["±inf"] = always(inf, "magnitude"),
  ["+0"] = always(0.0), ["-0"] = always(-0.0), ["0"] = always(0.0, "magnitude"),
  ["true"] = always(true), ["false"] = always(false),
  ["sign x*y"] = function(_, x, y) return with_sign(1.0, is_negative(x) ~= is_negative(y)), "sign" end,
  ["inf, sign x*y"] = exactly(function(_, x, y) return with_sign(inf, is_negative(x) ~= is_negative(y)) end),
  ["0, sign x*y"] = exactly(function(_, x, y) return with_sign(0.0, is_negative(x) ~= is_negative(y)) end),
  ["inf*cos b"] = exactly(function(_, _, b) return inf * math.cos(b) end),
  ["inf*sin b"] = exactly(function(_, _, b) return inf * math.sin(b) end),
  ["0*cos b"] = exactly(function(_, _, b) return 0.0 * math.cos(b) end),
  ["0*sin b"] = exactly(function(_, _, b) return 0.0 * math.sin(b) end),
  least = exactly(function(t) return t.smallest end), ["-least"] = exactly(function(t) return -t.smallest end),
  largest = exactly(function(t) return t.max end), ["-largest"] = exactly(function(t) return -t.max end),
  ["1 + epsilon"] = exactly(function(t) return 1 + t.eps end),
  ["largest/sqrt(2)"] = function(t) return t.max / math.sqrt(2), "roughly" end,
  ["pi"] = roughly(math.pi), ["-pi"] = roughly(-math.pi), ["pi/2"] = roughly(math.pi / 2),
  ["-pi/2"] = roughly(-math.pi / 2), ["pi/4"] = roughly(math.pi / 4), ["-pi/4"] = roughly(-math.pi / 4),
  ["3pi/4"] = roughly(3 * math.pi / 4), ["-3pi/4"] = roughly(-3 * math.pi / 4),
  ["±pi/2"] = always(math.pi / 2, "roughly, either sign"),
}
for k, name in ipairs {"x", "y"} do
  results[name] = exactly(function(_, ...) return (select(k, ...)) end)
  results["-" .. name] = exactly(function(_, ...) return -select(k, ...) end)
  results["|" .. name .. "|"] = exactly(function(_, ...) return with_sign(select(k, ...), false) end)
  results["-|" .. name .. "|"] = exactly(function(_, ...) return with_sign(select(k, ...), true) end)
end
for name, of_real in pairs {a = "x", b = "y", ["-a"] = "-x", ["-b"] = "-y", ["|a|"] = "|x|", ["|b|"] = "|y|"} do
  results[name] = results[of_real]
end

local function result_of(text)
  local number = tonumber(text)
  if number and number ~= 0 then return always(number + 0.0) end
  return assert(results[text], "no such result: " .. text)
end

local function is_near(got, want, t) return math.abs(got - t.round(want)) <= 2 * t.ulp(want) end

local compare = {
  exactly = function(got, want)
    if want ~= want then return got ~= got end
    return got == want and (want ~= 0 or is_negative(got) == is_negative(want))
  end,
  magnitude = function(got, want) return math.abs(got) == math.abs(want) end,
  sign = function(got, want) return (got == got) == (want == want) and is_negative(got) == is_negative(want) end,
  roughly = is_near,
  ["roughly, either sign"] = function(got, want, t) return is_near(math.abs(got), math.abs(want), t) end,
}

-- ---- rows ----

local function split(text, separator)
  local parts = {}
  for part in (text .. separator):gmatch("%s*(.-)%s*" .. separator) do parts[#parts + 1] = part end
  return parts
end

-- Calls f(chosen) for each combination of values from the sets `names`. The list `chosen` has the values that were
-- chosen for the first operands.
local function each_choice(names, sets, f, chosen)
  local k = #chosen + 1
  if k > #names then return f(chosen) end
  local name = names[k]
  local set = k > 1 and dependent[name] and {dependent[name](chosen[1])} or sets[name] or {tonumber(name)}
  assert(#set > 0, "no such operand: " .. name)
  for _, x in ipairs(set) do
    chosen[k] = x * 1.0                            -- keeps the sign of zero: -0.0 + 0.0 would be 0.0
    each_choice(names, sets, f, chosen)
  end
  chosen[k] = nil
end

-- Makes the case for the numbers of all operands. width: how many numbers an operand has (1, or 2 if it is complex).
-- of_parts: the functions of `results`, one for each part of the result.
local function make_case(row, t, numbers, width, of_parts)
  local case = {row = row, operands = {}, parts = {}}
  for k = 1, #numbers // width do case.operands[k] = {table.unpack(numbers, (k - 1) * width + 1, k * width)} end
  for i, result in ipairs(of_parts) do
    local want, how = result(t, table.unpack(numbers))
    case.parts[i] = {want = want, how = how}
  end
  return case
end

-- Expands the rows of a text to cases {row, operands = {{number} or {a, b}, …}, parts = {{want, how}, …}}. t is the
-- info of a real dtype. width is 2 if operands are complex, else 1.
local function expand(text, t, width)
  local cases, sets = {}, make_sets(t)
  for row in text:gmatch "[^\n]+" do
    local left, right = row:match "^%s*(.-)%s*%->%s*(.-)%s*$"
    local names, of_parts = split(left:gsub(",", ";"), ";"), {}
    for i, part in ipairs(results[right] and {right} or split(right, ",")) do of_parts[i] = result_of(part) end
    each_choice(names, sets, function(chosen)
      cases[#cases + 1] = make_case(left .. " -> " .. right, t, chosen, width, of_parts)
    end, {})
  end
  return cases
end

--- Returns the cases of a function of real floats, from the text of its rows.
function special.real(text, dtype) return expand(text, info[dtype], 1) end

-- ---- complex numbers ----

local part_of = {complex64 = "float32", complex128 = "float64"}

local function negate(part)
  local want = part.want
  return {want = type(want) == "number" and -want or want, how = part.how}
end

-- Returns the cases, and one more case for each case with one operand and two parts. image(a, b, c, d) returns the
-- operand {a, b} and the parts {c, d} of the additional case. Its row ends with `about`, for error messages.
local function with_images(cases, about, image)
  local out = table.move(cases, 1, #cases, 1, {})
  for _, case in ipairs(cases) do
    if #case.operands == 1 and #case.parts == 2 then
      local a, b = table.unpack(case.operands[1])
      local operand, parts = image(a, b, table.unpack(case.parts))
      out[#out + 1] = {row = case.row .. about, operands = {operand}, parts = parts}
    end
  end
  return out
end

local function conjugate(a, b, c, d) return {a, -b}, {c, negate(d)} end
local function odd(a, b, c, d) return {-a, -b}, {negate(c), negate(d)} end
local function even(a, b, c, d) return {-a, -b}, {c, d} end

local function times(part, factor)
  local want = part.want * factor
  return {want = want, how = part.how == "exactly" and want - want == 0 and want ~= 0 and "roughly" or part.how}
end

--- Returns the cases of a function of complex numbers, from the tables of special_complex.lua. Returns nil if there
-- are none.
function special.complex(rows, name, dtype)
  local turn, scale = rows.turned[name], rows.scaled[name]
  if not turn and not scale and not rows.cases[name] then return nil end
  local base = turn and turn[1] or scale and scale[1] or name
  local cases = with_images(expand(rows.cases[base], info[part_of[dtype]], 2), ", conjugate", conjugate)
  if rows.odd[base] then cases = with_images(cases, ", odd", odd) end
  if rows.even[base] then cases = with_images(cases, ", even", even) end
  for _, case in ipairs(cases) do
    local a, b, c, d = case.operands[1][1], case.operands[1][2], case.parts[1], case.parts[2]
    if turn then case.operands, case.parts = {{b, -a}}, {turn[2](c, d, negate)} end
    if scale then case.parts = {times(c, scale[2]), times(d, scale[2])} end
    if base ~= name then case.row = base .. " " .. case.row end
  end
  return cases
end

-- ---- checking ----

--- True if the parts of a result, or its boolean, satisfy the case.
function special.fits(case, got, dtype)
  local t = info[part_of[dtype] or dtype]
  for i, part in ipairs(case.parts) do
    if not compare[part.how](got[i], part.want, t) then return false end
  end
  return true
end

--- Returns the elements of a tensor, each a list of its parts.
function special.elements(t)
  local width = part_of[t.dtype] and 2 or 1
  local flat, out = reference.dtype.unpack_all(part_of[t.dtype] or t.dtype, t:to_bytes()), {}
  for i = 1, #flat // width do out[i] = {table.unpack(flat, (i - 1) * width + 1, i * width)} end
  return out
end

local function show(x)
  if type(x) ~= "number" then return tostring(x) end
  if x ~= x then return is_negative(x) and "-NaN" or "NaN" end
  return ("%.9g"):format(x)
end

--- Returns the parts as text for error messages, with the sign of zeros and NaNs.
function special.show(parts)
  local words = {}
  for i, part in ipairs(parts) do words[i] = show(type(part) == "table" and part.want or part) end
  return table.concat(words, ", ")
end

return special
