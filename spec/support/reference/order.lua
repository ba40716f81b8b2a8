-- Computes medians, quantiles and histograms of lists of numbers, by their definitions.
local order = {}

local function sorted(list)
  local s = table.move(list, 1, #list, 1, {})
  table.sort(s)
  return s
end

local function has_nan(list)
  for _, x in ipairs(list) do if x ~= x then return true end end
  return false
end

function order.median(list)
  if #list == 0 or has_nan(list) then return 0.0 / 0.0 end
  local s, n = sorted(list), #list
  if n % 2 == 1 then return s[(n + 1) / 2 // 1 | 0] + 0.0 end
  return s[n // 2] / 2 + s[n // 2 + 1] / 2
end

local function even_round(x)
  local low = math.floor(x)
  if x - low == 0.5 then return low % 2 == 0 and low or low + 1 end
  return math.floor(x + 0.5)
end

-- The methods of interpolation. Each gets the exact 0-based position q * (n - 1) of the quantile in a sorted list of n
-- numbers, and returns the position that is used. A fractional position is interpolated linearly.
local place = {
  linear = function(at) return at end,
  lower = math.floor, higher = math.ceil, nearest = even_round,
  midpoint = function(at) return (math.floor(at) + math.ceil(at)) / 2 end,
}

function order.quantile(list, q, method)
  if has_nan(list) then return 0.0 / 0.0 end
  local s = sorted(list)
  local at = place[method or "linear"](q * (#s - 1))
  local a, b, t = s[math.floor(at) + 1], s[math.ceil(at) + 1], at - math.floor(at)
  return a == b and a + 0.0 or t < 0.5 and a + (b - a) * t or b - (b - a) * (1 - t)
end

-- Returns for each bin edges[k] ≤ x < edges[k + 1] the number of its elements, or the sum of their weights if
-- `weights` is given. The last bin includes its upper edge.
function order.histogram(list, edges, weights)
  local counts = {}
  for k = 1, #edges - 1 do
    counts[k] = 0
    for i, x in ipairs(list) do
      local inside = edges[k] <= x and (x < edges[k + 1] or (k == #edges - 1 and x == edges[k + 1]))
      if inside then counts[k] = counts[k] + (weights and weights[i] or 1) end
    end
  end
  return counts
end

return order
