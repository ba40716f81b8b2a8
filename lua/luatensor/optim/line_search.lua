--- A line search for optim.LBFGS: finds a step t along a direction d after which the strong Wolfe conditions hold,
--
--     f(x + t d) ≤ f(x) + c1 · t · g·d   and   |g(x + t d)·d| ≤ c2 · |g·d|
--
-- g is the gradient. Nocedal, Wright: Numerical Optimization (2006), algorithms 3.5 and 3.6, in the form of PyTorch's
-- L-BFGS.

local C1, C2 = 1e-4, 0.9

-- Returns the t, between `least` and `most`, of the minimum of the cubic polynomial through the points a and b, each
-- {t, f, slope}. If the polynomial has no minimum, returns the middle. The default limits are a.t and b.t.
local function interpolate(a, b, least, most)
  if a.t > b.t then a, b = b, a end
  least, most = least or a.t, most or b.t
  local d1 = a.slope + b.slope - 3 * (a.f - b.f) / (a.t - b.t)
  local square = d1 * d1 - a.slope * b.slope
  if square < 0 or square ~= square then return (least + most) / 2 end
  local d2 = math.sqrt(square)
  local at = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
  return math.min(math.max(at, least), most)
end

-- Tries the step t first, then longer steps. Returns two points {t, f, slope, g} that enclose a suitable step, or one
-- point that meets the conditions and nil. Also returns the number of points that were tried after the first, at most
-- `most`. If that number is reached, the first two results are `start` and the last point. `start` is the point of step
-- 0.
local function bracket(evaluate, start, t, most)
  local before, now, tried = start, evaluate(t), 0
  while tried < most do
    local rises = now.f > start.f + C1 * now.t * start.slope or (tried > 1 and now.f >= before.f)
    if rises then return before, now, tried end
    if math.abs(now.slope) <= -C2 * start.slope then return now, nil, tried end
    if now.slope >= 0 then return before, now, tried end
    local at = interpolate(before, now, now.t + 0.01 * (now.t - before.t), now.t * 10)
    before, now, tried = now, evaluate(at), tried + 1
  end
  return start, now, tried
end

-- Returns the next step to try between the points a and b. A step is close to a point if their distance is less than a
-- tenth of the distance between a and b. The second result is true if the step is close to a or b. stuck is true if the
-- previous step was close. Then, or if the step is one of the points, a close step is replaced by the step at a tenth
-- of the distance from this point, and the second result is false.
local function next_step(a, b, stuck)
  local t, least, most = interpolate(a, b), math.min(a.t, b.t), math.max(a.t, b.t)
  local margin = 0.1 * (most - least)
  if math.min(most - t, t - least) >= margin then return t, false end
  if not stuck and t < most and t > least then return t, true end
  return math.abs(t - most) < math.abs(t - least) and most - margin or least + margin, false
end

--- Returns the found point, a table {t, f, g, slope}, and the number of calls of the function.
-- @tparam function evaluate evaluate(t) returns the point {t, f, slope, g} at t
-- @tab start the point at t = 0
-- @number t the first step to try
-- @number size the largest change of an element of x for t = 1
-- @number tolerance the search ends when its two points differ by less than this number in each element of x
-- @int most the largest number of calls of the function after the first call
return function(evaluate, start, t, size, tolerance, most)
  local a, b, tried = bracket(evaluate, start, t, most)
  if not b then return a, tried + 1 end
  local low, high = a, b
  if a.f > b.f then low, high = b, a end
  local stuck = false
  while tried < most and math.abs(b.t - a.t) * size >= tolerance do
    t, stuck = next_step(low, high, stuck)
    local new = evaluate(t)
    tried = tried + 1
    if new.f > start.f + C1 * t * start.slope or new.f >= low.f then
      high = new
      if high.f < low.f then low, high = high, low end
    else
      local done = math.abs(new.slope) <= -C2 * start.slope
      if not done and new.slope * (high.t - low.t) >= 0 then high = low end
      low = new
      if done then break end
    end
    a, b = low, high
  end
  return low, tried + 1
end
