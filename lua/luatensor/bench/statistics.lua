--- Statistics of repeated measurements.

local statistics = {}

local function sorted(samples)
  local copy = table.move(samples, 1, #samples, 1, {})
  table.sort(copy)
  return copy
end

-- Interpolates between the two samples nearest to the quantile, like NumPy's default. The samples must ascend.
local function quantile(samples, q)
  local at = 1 + q * (#samples - 1)
  local below = math.floor(at)
  local low, high = samples[below], samples[math.min(below + 1, #samples)]
  return low + (high - low) * (at - below)
end

--- Returns the q-quantile (0 … 1) of a non-empty list of numbers.
function statistics.quantile(samples, q) return quantile(sorted(samples), q) end

--- Returns the median of a non-empty list of numbers.
function statistics.median(samples) return statistics.quantile(samples, 0.5) end

--- Summarises a non-empty list of numbers.
-- @treturn table min, q1, median, q3 and max
function statistics.summary(samples)
  local list = sorted(samples)
  return {
    min = list[1], q1 = quantile(list, 0.25), median = quantile(list, 0.5), q3 = quantile(list, 0.75),
    max = list[#list],
  }
end

--- Returns the distance between the quartiles of a summary, divided by its median.
function statistics.spread(summary) return (summary.q3 - summary.q1) / summary.median end

--- True if the quartile ranges of two summaries touch. The difference of the two may then be noise.
function statistics.overlap(a, b) return a.q1 <= b.q3 and b.q1 <= a.q3 end

--- Returns the median of the second half divided by the median of the first half: 1.2 means that later samples are a
-- fifth larger.
-- @treturn ?number nil for fewer than 6 samples
function statistics.trend(samples)
  local n = #samples
  if n < 6 then return nil end
  local first = table.move(samples, 1, n // 2, 1, {})
  local second = table.move(samples, n - n // 2 + 1, n, 1, {})
  return statistics.median(second) / statistics.median(first)
end

--- Returns the least number of `pairs` pairs that must favour the same side for significance at `level`, by a
-- two-sided sign test.
-- @int pairs
-- @number level the accepted probability that so many pairs favour one side by chance
-- @treturn ?int nil if the agreement of all pairs would not suffice
function statistics.majority(pairs, level)
  -- `ways` is the number of the 2 ^ pairs outcomes in which all but k pairs favour a given side.
  local ways, tail, least = 1, 0, nil
  for k = 0, pairs // 2 do
    tail = tail + ways * 2.0 ^ (1 - pairs)
    if tail > level then break end
    least, ways = pairs - k, ways * (pairs - k) / (k + 1)
  end
  return least
end

return statistics
