-- Defines the storage of each dtype that is not complex, with rounding, wrapping, conversions and ULPs, in one row for
-- each dtype.
local inf = math.huge

local dtype = {}

-- Returns the exponent of the largest power of two that is not above |x|. x must be finite and not 0.
local function exponent(x)
  local bits = string.unpack("<i8", string.pack("<d", x))
  local e = (bits >> 52) & 0x7ff
  if e > 0 then return e - 1023 end
  return exponent(x * 2.0 ^ 64) - 64
end

-- Rounds x to the nearest multiple of `quantum`, halves to even. |x / quantum| must be less than 2^51.
local function nearest_multiple(x, quantum)
  local magic = 0x1.8p52
  local y = (x / quantum + magic - magic) * quantum
  if y == 0 then return x < 0 and -0.0 or 0.0 end
  return y
end

-- Returns the spacing of floats around x in a format of `bits` significant bits with the least normal number 2^emin.
local function spacing(bits, emin)
  return function(x)
    if x ~= x or x == inf or x == -inf then return 0.0 end
    local e = x == 0 and emin or math.max(exponent(x), emin)
    return 2.0 ^ (e - bits + 1)
  end
end

-- Returns a function that rounds a double to a format of `bits` significant bits, to nearest, ties to even.
local function rounder(bits, emin, max)
  local quantum = spacing(bits, emin)
  return function(x)
    if x ~= x or x == 0 or x == inf or x == -inf then return x end
    local y = nearest_multiple(x, quantum(x))
    if y > max then return inf elseif y < -max then return -inf end
    return y
  end
end

local function unsigned_wrap(bits)
  if bits == 64 then return function(x) return x end end
  local mask = (1 << bits) - 1
  return function(x) return x & mask end
end

local function signed_wrap(bits)
  if bits == 64 then return function(x) return x end end
  local mask, half = (1 << bits) - 1, 1 << (bits - 1)
  return function(x) return ((x + half) & mask) - half end
end

-- Defines an integer dtype. kind: "int" or "uint"; format: the format of string.pack.
local function integer(name, kind, bytes, format)
  local bits = bytes * 8
  local unsigned = kind == "uint"
  dtype[name] = {
    name = name, kind = kind, bytes = bytes, format = format, bits = bits, is_integer = true,
    wrap = (unsigned and unsigned_wrap or signed_wrap)(bits),
    min = unsigned and 0 or math.mininteger >> (64 - bits) | (bits < 64 and -1 << (bits - 1) or 0),
    max = bits == 64 and (unsigned and -1 or math.maxinteger) or (1 << (unsigned and bits or bits - 1)) - 1,
    less = name == "uint64" and math.ult or function(x, y) return x < y end,
  }
end

local function float(name, bytes, format, bits, emin, max)
  dtype[name] = {
    name = name, kind = "float", bytes = bytes, format = format, bits = bits, is_float = true,
    round = bits == 53 and function(x) return x end or rounder(bits, emin, max),
    ulp = spacing(bits, emin), max = max, min = -max,
    eps = 2.0 ^ (1 - bits), smallest_normal = 2.0 ^ emin, smallest = 2.0 ^ (emin - bits + 1),
    less = function(x, y) return x < y end,
  }
end

dtype.bool = {name = "bool", kind = "bool", bytes = 1, format = "<B", is_bool = true}
integer("uint8", "uint", 1, "<I1")
integer("uint16", "uint", 2, "<I2")
integer("uint32", "uint", 4, "<I4")
integer("uint64", "uint", 8, "<i8")
integer("int8", "int", 1, "<i1")
integer("int16", "int", 2, "<i2")
integer("int32", "int", 4, "<i4")
integer("int64", "int", 8, "<i8")
float("float16", 2, nil, 11, -14, 65504.0)
float("bfloat16", 2, nil, 8, -126, 0x1.fep127)
float("float32", 4, "<f", 24, -126, 0x1.fffffep127)
float("float64", 8, "<d", 53, -1022, 0x1.fffffffffffffp1023)

local names = {"bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64",
               "float16", "bfloat16", "float32", "float64"}

-- The dtype classes of ops.def, without complex dtypes. They are repeated here, so that the oracle does not depend on
-- ops.def.
local classes = {
  ANY = names,
  NUMERIC = {table.unpack(names, 2)},
  REALS = {table.unpack(names, 2)},
  INTEGER = {table.unpack(names, 2, 9)},
  BITS = {table.unpack(names, 1, 9)},
  FLOAT = {table.unpack(names, 10)},
  REALFLOAT = {table.unpack(names, 10)},
}

-- Converts an integer of dtype t to a double that rounds to the same float32 or half float as the integer. If the
-- integer is beyond ±2^53, its lowest 11 bits become one sticky bit, so that only the caller rounds.
local function integer_to_double(x, t)
  local sticky = x & 0x7ff ~= 0 and 1 or 0
  if t.name == "uint64" and x < 0 then return ((x >> 11) | sticky) * 2048.0 end
  if x >= -(1 << 53) and x <= 1 << 53 then return x + 0.0 end
  return ((x // 2048) | sticky) * 2048.0
end

local function integer_to_float(x, from, to)
  if to.bits == 53 then
    if from.name == "uint64" and x < 0 then return ((x >> 1) | (x & 1)) * 2.0 end
    return x + 0.0
  end
  return to.round(integer_to_double(x, from))
end

-- Converts a float to integer dtype `to`: truncates, like C. Values outside of the dtype's range become its minimum
-- or maximum, and NaN becomes 0.
local function float_to_integer(x, to)
  if x ~= x then return 0 end
  local low, high = to.min, to.max
  if to.name == "uint64" then
    if x <= -1 then return 0 elseif x >= 2.0 ^ 64 then return -1 end
    if x >= 2.0 ^ 63 then return math.tointeger(x - 2.0 ^ 63) ~ math.mininteger end
  elseif to.bits == 64 then
    if x >= 2.0 ^ 63 then return high elseif x < -2.0 ^ 63 then return low end
  else
    if x >= high then return high elseif x <= low then return low end
  end
  return math.tointeger(x < 0 and math.ceil(x) or math.floor(x))
end

-- Converts x, an element of dtype `from`, to dtype `to`, like x:to().
local function convert(x, from, to)
  from, to = dtype[from], dtype[to]
  if to.is_bool then
    if from.is_bool then return x end
    return x ~= 0
  end
  if from.is_bool then x, from = x and 1 or 0, dtype.int64 end
  if to.is_integer then
    if from.is_integer then return to.wrap(x) end
    return float_to_integer(x, to)
  end
  if from.is_integer then return integer_to_float(x, from, to) end
  return to.round(x)
end

-- Converts a kernel's result, computed in double or int64, to the stored dtype `name`.
local function store(x, name)
  local t = dtype[name]
  if t.is_bool then return x end
  if t.is_integer then
    assert(math.type(x) == "integer", "the oracle made a float for an integer dtype")
    return t.wrap(x)
  end
  return t.round(math.type(x) == "float" and x or x + 0.0)      -- -0.0 + 0.0 would be 0.0
end

-- The NaN of each sign.
local nan_of = {[1.0] = string.unpack("<d", string.pack("<i8", 0x7ff8 << 48)),
                [-1.0] = string.unpack("<d", string.pack("<i8", 0xfff8 << 48))}

local function half_from_bits(h, exponent_bits, fraction_bits)
  local sign = h >> 15 == 1 and -1.0 or 1.0
  local e, f = (h >> fraction_bits) & ((1 << exponent_bits) - 1), h & ((1 << fraction_bits) - 1)
  local bias, unit = (1 << (exponent_bits - 1)) - 1, 2.0 ^ -fraction_bits
  if e == (1 << exponent_bits) - 1 then return f == 0 and sign * inf or nan_of[sign] end
  if e == 0 then return sign * f * unit * 2.0 ^ (1 - bias) end
  return sign * (1 + f * unit) * 2.0 ^ (e - bias)
end

-- Returns the element of dtype `name` at byte position `at` of string `s`.
local function unpack_element(name, s, at)
  if name == "float16" then return half_from_bits(string.unpack("<I2", s, at), 5, 10) end
  if name == "bfloat16" then return half_from_bits(string.unpack("<I2", s, at), 8, 7) end
  local x = string.unpack(dtype[name].format, s, at)
  if name == "bool" then
    assert(x <= 1, "a bool that is neither 0 nor 1")
    return x == 1
  end
  return x
end

-- Returns the list of all elements in the bytes s of dtype `name`. If string.unpack has a format for the dtype, 100
-- elements are unpacked at once, because this is the slowest part of the oracle.
local function unpack_all(name, s)
  local size, data, n = dtype[name].bytes, {}, 0
  local format, group = dtype[name].format, 100
  if format and name ~= "bool" then
    local many = "<" .. format:sub(2):rep(group)
    while n + group <= #s // size do
      table.move({string.unpack(many, s, n * size + 1)}, 1, group, n + 1, data)
      n = n + group
    end
  end
  for i = n + 1, #s // size do data[i] = unpack_element(name, s, (i - 1) * size + 1) end
  return data
end

return {info = dtype, unpack_all = unpack_all, names = names, classes = classes, convert = convert, store = store,
        unpack = unpack_element, exponent = exponent}
