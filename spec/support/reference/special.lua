-- Functions that Lua's math library lacks, correct to about 0.5 ULP of a double. They use series and Newton steps in
-- double-double arithmetic, in which a number is the unevaluated sum hi + lo. The code favours simplicity over speed.
local inf, nan = math.huge, 0.0 / 0.0
local huge_split = 2.0 ^ 996

local function two_sum(a, b)
  local s = a + b
  local t = s - a
  return s, (a - (s - t)) + (b - t)
end

local function quick_sum(a, b)
  local s = a + b
  return s, b - (s - a)
end

local function split(a)
  if math.abs(a) > huge_split then
    local hi, lo = split(a * 2.0 ^ -28)
    return hi * 2.0 ^ 28, lo * 2.0 ^ 28
  end
  local t = 134217729.0 * a
  local hi = t - (t - a)
  return hi, a - hi
end

-- Returns the exact product a * b as hi, lo.
local function two_product(a, b)
  local p = a * b
  local ah, al = split(a)
  local bh, bl = split(b)
  return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl
end

local function add(ah, al, bh, bl)
  local s, e = two_sum(ah, bh)
  local t, f = two_sum(al, bl)
  s, e = quick_sum(s, e + t)
  return quick_sum(s, e + f)
end

local function mul(ah, al, bh, bl)
  local p, e = two_product(ah, bh)
  return quick_sum(p, e + (ah * bl + al * bh))
end

local function div(ah, al, bh, bl)
  local q1 = ah / bh
  local ph, pl = mul(bh, bl, q1, 0.0)
  local rh, rl = add(ah, al, -ph, -pl)
  local q2 = rh / bh
  ph, pl = mul(bh, bl, q2, 0.0)
  rh = add(rh, rl, -ph, -pl)
  local q3 = rh / bh
  local s, e = quick_sum(q1, q2)
  return add(s, e, q3, 0.0)
end

local function sqrt(ah, al)
  if ah == 0 then return 0.0, 0.0 end
  local y = math.sqrt(ah)
  local ph, pl = two_product(y, y)
  local rh = add(ah, al, -ph, -pl)
  return quick_sum(y, rh / (2 * y))
end

local ln2_h, ln2_l = 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56
local two_over_sqrtpi_h, two_over_sqrtpi_l = 0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56

-- The inverses 1 / n as double-doubles.
local inverse_h, inverse_l = {}, {}
for n = 1, 40 do inverse_h[n], inverse_l[n] = div(1.0, 0.0, n + 0.0, 0.0) end

-- Returns exp(x) - 1 of a double-double by its Taylor series, to a relative error of 1e-25. Callers pass |x| of at
-- most 0.25, for which 40 terms suffice.
local function expm1_series(xh, xl)
  local th, tl = xh, xl
  local sh, sl = xh, xl
  for n = 2, 40 do
    th, tl = mul(th, tl, xh, xl)
    th, tl = mul(th, tl, inverse_h[n], inverse_l[n])
    sh, sl = add(sh, sl, th, tl)
    if math.abs(th) <= math.abs(sh) * 1e-25 then break end
  end
  return sh, sl
end

-- Returns exp of a double-double as hi, lo, k: the result is (hi + lo) * 2^k.
local function exp_parts(xh, xl)
  local k = math.floor(xh / ln2_h + 0.5)
  local ph, pl = mul(ln2_h, ln2_l, k + 0.0, 0.0)
  local rh, rl = add(xh, xl, -ph, -pl)
  local sh, sl = expm1_series(rh / 16, rl / 16)
  for _ = 1, 4 do                               -- (1 + s)^2 - 1 = 2s + s^2
    local qh, ql = mul(sh, sl, sh, sl)
    sh, sl = add(2 * sh, 2 * sl, qh, ql)
  end
  local eh, el = add(sh, sl, 1.0, 0.0)
  return eh, el, k
end

local function clamp(x) return math.max(-800.0, math.min(800.0, x)) end

-- Returns 2^k * x, rounded once.
local function scale(x, k)
  while k > 1000 do x, k = x * 2.0 ^ 1000, k - 1000 end
  if k < -1000 then return x * 2.0 ^ -960 * 2.0 ^ (k + 960) end
  return x * 2.0 ^ k
end

-- Returns exp as a double-double, for |x| <= 700.
local function exp_dd(xh, xl)
  local h, l, k = exp_parts(xh, xl or 0.0)
  return h * 2.0 ^ k, l * 2.0 ^ k
end

-- Returns log of a positive double-double, by one Newton step from the double value.
local function log_dd(xh, xl)
  local y = math.log(xh)
  local eh, el, k = exp_parts(-y, 0.0)
  local up = -k // 2
  local ph, pl = mul(scale(xh, -up), scale(xl, -up), eh, el)
  local rh, rl = ph, pl
  rh, rl = scale(rh, k + up), scale(rl, k + up)
  rh, rl = add(rh, rl, -1.0, 0.0)
  local qh, ql = mul(rh, rl, rh, rl)
  rh, rl = add(rh, rl, -qh / 2, -ql / 2)
  return add(y, 0.0, rh, rl)
end

local special = {}

function special.expm1(x)
  if x ~= x or x == 0 or x == inf then return x end
  if x > 710 then return inf elseif x < -50 then return -1.0 end
  if math.abs(x) < 0.25 then return (expm1_series(x, 0.0)) end
  if x > 700 then return math.exp(x) end
  local h, l = exp_dd(x, 0.0)
  return (add(h, l, -1.0, 0.0))
end

-- Returns log(1 + x) as a double-double, for x > -1.
local function log1p_dd(xh, xl)
  if math.abs(xh) > 1e-4 then
    local h, l = add(1.0, 0.0, xh, xl)
    return log_dd(h, l)
  end
  local th, tl, sh, sl = xh, xl, xh, xl
  for n = 2, 12 do
    th, tl = mul(th, tl, -xh, -xl)
    local qh, ql = div(th, tl, n, 0.0)
    sh, sl = add(sh, sl, qh, ql)
  end
  return sh, sl
end

function special.log1p(x)
  if x ~= x or x == 0 or x == inf then return x end
  if x == -1 then return -inf elseif x < -1 then return nan end
  if math.abs(x) < 1e-300 then return x end
  if x > 1e30 then return math.log(x) end
  return (log1p_dd(x, 0.0))
end

-- Extends f(x), x > 0, to an odd function. NaN and x with |x| < 1e-280, for which f(x) rounds to x, are returned
-- unchanged.
local function odd(f)
  return function(x)
    if x ~= x or math.abs(x) < 1e-280 then return x end
    if x < 0 then return -f(-x) end
    return f(x)
  end
end

special.sinh = odd(function(x)
  if x > 711 then return inf end
  if x > 40 then
    local h, _, k = exp_parts(x, 0.0)
    return scale(h / 2, k)
  end
  local eh, el = x < 0.25 and 0.0, 0.0
  if x < 0.25 then eh, el = expm1_series(x, 0.0) else eh, el = add(-1.0, 0.0, exp_dd(x, 0.0)) end
  -- (e + e / (1 + e)) / 2 with e = expm1(x)
  local dh, dl = add(1.0, 0.0, eh, el)
  local qh, ql = div(eh, el, dh, dl)
  return (add(eh / 2, el / 2, qh / 2, ql / 2))
end)

function special.cosh(x)
  if x ~= x then return x end
  x = math.abs(x)
  if x > 711 then return inf end
  if x > 40 then
    local h, _, k = exp_parts(x, 0.0)
    return scale(h / 2, k)
  end
  local h, l = exp_dd(x, 0.0)
  local qh, ql = div(1.0, 0.0, h, l)
  return (add(h / 2, l / 2, qh / 2, ql / 2))
end

special.tanh = odd(function(x)
  if x > 25 then return 1.0 end
  local eh, el
  if x < 0.125 then eh, el = expm1_series(2 * x, 0.0) else eh, el = add(-1.0, 0.0, exp_dd(2 * x, 0.0)) end
  local dh, dl = add(eh, el, 2.0, 0.0)
  return (div(eh, el, dh, dl))
end)

special.asinh = odd(function(x)
  if x == inf then return inf end
  if x > 1e20 then return (add(ln2_h, ln2_l, log_dd(x, 0.0))) end
  -- log1p(x + x^2 / (1 + sqrt(1 + x^2)))
  local qh, ql = two_product(x, x)
  local rh, rl = sqrt(add(1.0, 0.0, qh, ql))
  rh, rl = add(1.0, 0.0, rh, rl)
  qh, ql = div(qh, ql, rh, rl)
  return (log1p_dd(add(x, 0.0, qh, ql)))
end)

function special.acosh(x)
  if x ~= x or x < 1 then return nan end
  if x == inf then return inf end
  if x > 1e20 then return (add(ln2_h, ln2_l, log_dd(x, 0.0))) end
  -- log1p(d + sqrt(d * (x + 1))) with d = x - 1
  local dh, dl = add(x, 0.0, -1.0, 0.0)
  local sh, sl = add(x, 0.0, 1.0, 0.0)
  local rh, rl = sqrt(mul(dh, dl, sh, sl))
  if rh == 0 then return 0.0 end
  return (log1p_dd(add(dh, dl, rh, rl)))
end

special.atanh = odd(function(x)
  if x == 1 then return inf elseif x > 1 then return nan end
  -- log1p(2x / (1 - x)) / 2
  local dh, dl = add(1.0, 0.0, -x, 0.0)
  local qh, ql = div(2 * x, 0.0, dh, dl)
  local h = log1p_dd(qh, ql)
  return h / 2
end)

-- Returns erf for 0 < x < 6 by a series of positive terms: 2/sqrt(pi) exp(-x^2) sum of 2^n x^(2n+1) /
-- (1·3·5···(2n+1)).
local function erf_dd(x)
  local qh, ql = two_product(x, x)
  local th, tl, sh, sl = x, 0.0, x, 0.0
  for n = 1, 400 do
    th, tl = mul(th, tl, 2 * qh, 2 * ql)
    th, tl = div(th, tl, 2 * n + 1, 0.0)
    sh, sl = add(sh, sl, th, tl)
    if th < sh * 1e-34 then break end            -- small even relative to erfc(5), which is 1.5e-12
  end
  local eh, el = exp_dd(-qh, -ql)
  sh, sl = mul(sh, sl, eh, el)
  return mul(sh, sl, two_over_sqrtpi_h, two_over_sqrtpi_l)
end

-- Returns erfc for x >= 5 as hi, lo, k: the result is (hi + lo) * 2^k. The continued fraction is cut after 100 terms:
-- exp(-x^2) / sqrt(pi) / (x + (1/2) / (x + (2/2) / (x + (3/2) / …)))
local function erfc_parts(x)
  local fh, fl = x, 0.0
  for n = 100, 1, -1 do
    local qh, ql = div(n / 2, 0.0, fh, fl)
    fh, fl = add(x, 0.0, qh, ql)
  end
  local qh, ql = two_product(x, x)
  local eh, el, k = exp_parts(-qh, -ql)
  eh, el = div(eh, el, fh, fl)
  eh, el = mul(eh, el, two_over_sqrtpi_h / 2, two_over_sqrtpi_l / 2)
  return eh, el, k
end

function special.erf(x)
  if x ~= x or x == 0 then return x end
  if x < 0 then return -special.erf(-x) end
  if x > 6 then return 1.0 elseif x < 1e-250 then return (mul(x * 2.0 ^ 64, 0.0, two_over_sqrtpi_h, two_over_sqrtpi_l)) * 2.0 ^ -64 end
  return (erf_dd(x))
end

function special.erfc(x)
  if x ~= x then return x end
  if x < -6 then return 2.0 elseif x > 28 then return 0.0 end
  if x >= 5 then
    local h, _, k = erfc_parts(x)
    return scale(h, k)
  end
  if x == 0 then return 1.0 end
  local h, l = erf_dd(math.abs(x))
  if x > 0 then h, l = -h, -l end
  return (add(1.0, 0.0, h, l))
end

-- Returns 1 / (1 + exp(-x)).
function special.sigmoid(x)
  if x ~= x then return x end
  if x < -746 then return 0.0 elseif x > 40 then return 1.0 end
  if x < -40 then return math.exp(x) end
  local h, l = exp_dd(-x, 0.0)
  h, l = add(1.0, 0.0, h, l)
  return (div(1.0, 0.0, h, l))
end

-- Returns x * erfc(-x / sqrt(2)) / 2.
function special.gelu(x)
  if x ~= x or x > 40 then return x end
  if x < -39 then return -0.0 end
  local sh, sl = sqrt(0.5, 0.0)
  local ah, al = two_product(-x, sh)
  al = al - x * sl
  ah, al = quick_sum(ah, al)
  -- al is below an ULP of ah, so a correction of first order suffices. erfc(ah + al) is erfc(ah) * (1 - 2 * ah * al)
  -- for large ah. For other ah it is erfc(ah) - al * 2/sqrt(pi) * exp(-ah^2).
  if ah >= 5 then
    local h, _, k = erfc_parts(ah)
    return scale(x * (h * (1 - 2 * ah * al)) / 2, k)
  end
  return x * ((special.erfc(ah) - al * two_over_sqrtpi_h * math.exp(-ah * ah)) / 2)
end

-- Returns log(exp(x) + exp(y)).
function special.logaddexp(x, y)
  if x ~= x or y ~= y then return nan end
  local high, low = math.max(x, y), math.min(x, y)
  if high == inf or low == -inf then return high end
  if high - low > 800 then return high end
  local dh, dl = two_sum(low, -high)
  local h, l, k = exp_parts(clamp(dh), dl)
  h, l = log1p_dd(scale(h, k), scale(l, k))
  return (add(high, 0.0, h, l))
end

function special.hypot(x, y)
  x, y = math.abs(x), math.abs(y)
  if x == inf or y == inf then return inf end
  if x ~= x or y ~= y then return nan end
  local high = math.max(x, y)
  if high == 0 then return 0.0 end
  local k = -math.floor(math.log(high, 2))
  if k > 1000 then k = 1000 end
  x, y = scale(x, k), scale(y, k)
  local qh, ql = two_product(x, x)
  local ph, pl = two_product(y, y)
  local h = sqrt(add(qh, ql, ph, pl))
  return scale(h, -k)
end

return special
