-- Computes Philox 4×32-10, and random numbers from it as described in src/base/random.h, in plain Lua.
local dtype = require "spec.support.reference.dtype"

local random = {}

-- Returns four random words of Philox. c: the counter, four 32-bit words; k: the key, two 32-bit words.
function random.philox(c, k)
  local c0, c1, c2, c3 = table.unpack(c)
  local k0, k1 = table.unpack(k)
  for _ = 1, 10 do
    local p0, p1 = c0 * 0xD2511F53, c2 * 0xCD9E8D57
    c0, c1, c2, c3 = (p1 >> 32) ~ c1 ~ k0, p1 & 0xffffffff, (p0 >> 32) ~ c3 ~ k1, p0 & 0xffffffff
    k0, k1 = (k0 + 0x9E3779B9) & 0xffffffff, (k1 + 0xBB67AE85) & 0xffffffff
  end
  return {c0, c1, c2, c3}
end

local function words_at(seed, counter)
  return random.philox({counter & 0xffffffff, counter >> 32, 0, 0}, {seed & 0xffffffff, seed >> 32})
end

-- Returns the 32 random bits from which element i (0-based) is computed. offset: the generator's counter at the start
-- of the call.
function random.draw32(seed, offset, i)
  return words_at(seed, offset + i // 64 * 16 + i % 16)[i % 64 // 16 + 1]
end

-- Returns the 64 random bits from which element i (0-based) is computed, for dtypes that need more than 32 bits.
function random.draw64(seed, offset, i)
  local words, w = words_at(seed, offset + i // 32 * 16 + i % 16), i % 32 // 16
  return words[2 * w + 1] | words[2 * w + 2] << 32
end

-- Returns element i of rand() of a float dtype.
function random.uniform(name, seed, offset, i)
  if name == "float64" then return (random.draw64(seed, offset, i) >> 11) * 2.0 ^ -53 end
  local bits = ({float32 = 24, float16 = 11, bfloat16 = 8})[name]
  return (random.draw32(seed, offset, i) >> 32 - bits) * 2.0 ^ -bits
end

-- Returns element i of randint(low, high): low + (draw * n >> 64), where n = high - low + 1 is the number of values.
-- If n overflows to 0, it stands for 2^64.
function random.integer(low, high, seed, offset, i)
  local draw, n = random.draw64(seed, offset, i), high - low + 1
  if n == 0 then return low + draw end
  local a, b, c, d = draw >> 32, draw & 0xffffffff, n >> 32, n & 0xffffffff
  local mid = a * d + (b * d >> 32)
  local mid2 = b * c + (mid & 0xffffffff)
  return low + a * c + (mid >> 32) + (mid2 >> 32)
end

-- Returns element i of randn() of float32 or float64. In each group of 32 elements, elements i and i + 16 are the
-- cosine and sine results of one Box–Muller transform of their two draws.
function random.normal(name, seed, offset, i)
  local first = i // 32 * 32 + i % 16
  local radius_draw, angle
  if name == "float64" then
    radius_draw = ((random.draw64(seed, offset, first) >> 11) + 0.5) * 2.0 ^ -53
    angle = (random.draw64(seed, offset, first + 16) >> 11) * 2.0 ^ -52 - 1
  else
    local round = dtype.info.float32.round
    radius_draw = round(round((random.draw32(seed, offset, first) >> 1) + 0.0) + 0.5) * 2.0 ^ -31
    angle = dtype.convert(random.draw32(seed, offset, first + 16), "uint32", "int32") * 2.0 ^ -31
  end
  local radius = math.sqrt(-2 * math.log(radius_draw))
  return radius * (i % 32 < 16 and math.cos(math.pi * angle) or math.sin(math.pi * angle))
end

return random
