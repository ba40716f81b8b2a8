-- tags: host
-- Compares statistics with results that were worked out by hand. Quantile q of n sorted numbers is at position 1 + q
-- (n - 1).
local statistics = require "luatensor.bench.statistics"

describe("bench.statistics", function()
  it("finds quartiles between samples, in any order, and leaves the list as it is", function()
    local samples = {40, 10, 30, 20}
    assert.same({min = 10, q1 = 17.5, median = 25, q3 = 32.5, max = 40}, statistics.summary(samples))
    assert.same({40, 10, 30, 20}, samples)
  end)

  it("finds quartiles of five and of one", function()
    assert.same({min = 1, q1 = 2, median = 3, q3 = 4, max = 5}, statistics.summary{5, 4, 3, 2, 1})
    assert.same({min = 7, q1 = 7, median = 7, q3 = 7, max = 7}, statistics.summary{7})
  end)

  it("median of even and odd numbers", function()
    assert.equal(2.5, statistics.median{4, 1, 2, 3})
    assert.equal(2, statistics.median{9, 1, 2})
    assert.equal(1.9, statistics.quantile({1, 2}, 0.9))
  end)

  it("spread is a share of the median", function()
    assert.equal(0.5, statistics.spread{q1 = 3, median = 4, q3 = 5})
  end)

  it("ranges that touch overlap", function()
    assert.is_true(statistics.overlap({q1 = 1, q3 = 2}, {q1 = 2, q3 = 3}))
    assert.is_true(statistics.overlap({q1 = 1, q3 = 9}, {q1 = 2, q3 = 3}))
    assert.is_false(statistics.overlap({q1 = 1, q3 = 2}, {q1 = 2.1, q3 = 3}))
    assert.is_false(statistics.overlap({q1 = 2.1, q3 = 3}, {q1 = 1, q3 = 2}))
  end)

  it("trend is the second half's median by the first's, from six samples on", function()
    assert.equal(2, statistics.trend{1, 1, 1, 9, 2, 2, 2})
    assert.equal(0.5, statistics.trend{4, 4, 4, 2, 2, 2})
    assert.is_nil(statistics.trend{1, 2, 3, 4, 5})
  end)

  -- By a two-sided test, chance makes all of 8 pairs agree with probability 2 / 256, 7 or more of them with 18 / 256,
  -- and 17 or more of 20 with 2702 / 2^20.
  it("knows how many pairs must agree before chance is no explanation", function()
    assert.equal(8, statistics.majority(8, 0.01))
    assert.is_nil(statistics.majority(7, 0.01))
    assert.equal(7, statistics.majority(8, 0.08))
    assert.equal(17, statistics.majority(20, 0.01))
    assert.equal(16, statistics.majority(20, 0.012))
    local least = statistics.majority(1000, 0.01)                     -- about 500 + 2.58 standard deviations of 15.8
    assert.truthy(least > 537 and least < 545, least)
  end)
end)
