-- tags: host uncollected kernels
-- Least squares of real matrices: batches of small matrices are solved in lanes, and larger matrices by a reduction to
-- bidiagonal form. The oracle is the pseudoinverse, which consists of LAPACK's singular vectors.

local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local la = lt.linalg
local fails = helpers.fails

local dtypes = {"float32", "float64"}

local function size_of(x) return x.size == 0 and 0 or x:abs():max():item() end

-- Checks that the largest difference is at most `bound` times the largest element.
local function near(want, got, bound, what)
  assert.equal(tostring(want.shape), tostring(got.shape), what)
  local off = size_of(want - got)
  assert(off <= bound * size_of(want), ("%s: off by %g of %g"):format(what, off, size_of(want)))
end

-- Makes a matrix with singular values between 1 and 2 of which only `rank` are not 0.
local function matrix_of(m, n, rank, name)
  local p = math.min(m, n)
  local u = la.qr(lt.randn({m, p}, {dtype = name}))
  local v = la.qr(lt.randn({n, p}, {dtype = name}))
  local values = lt.linspace(2, 1, p, {dtype = name}) * lt.range(1, p):less_equal(rank):to(name)
  return u:multiply(values):matmul(v.mT)
end

-- Compares the results for one matrix with the pseudoinverse.
local function check(x, b, rank, results, what)
  local got, residuals, got_rank, values = table.unpack(results, 1, 4)
  local bound = 60 * lt.finfo(x.dtype).eps * math.max(x.shape[1], x.shape[2])
  local want = la.pinv(x:to("float64"), {rtol = 1e-4}):matmul(b:to("float64"))
  near(want, got:to("float64"), bound, what)
  near(select(2, la.svd(x:to("float64"))), values:to("float64"), bound, what)
  assert.equal(rank, got_rank:item(), what)
  if residuals then
    local rest = (x:to("float64"):matmul(want) - b:to("float64")):square():sum(1)
    near(rest, residuals:to("float64"), 4 * bound, what)
  end
end

local function make_batch(count, m, n, k, name, rank_of)
  local xs, ranks = {}, {}
  for i = 1, count do
    ranks[i] = rank_of(i)
    xs[i] = matrix_of(m, n, ranks[i], name)
  end
  return lt.stack(xs), lt.randn({count, m, k}, {dtype = name}), ranks
end

local function check_batch(x, b, ranks, what)
  local got, residuals, rank, values = la.lstsq(x, b, {rtol = 1e-4})
  for i = 1, x.shape[1] do
    local rest = residuals.ndim > 1 and residuals[i] or nil
    check(x[i], b[i], ranks[i], {got[i], rest, rank[i], values[i]}, ("%s, matrix %d"):format(what, i))
  end
end

describe("least squares", function()
  for _, name in ipairs(dtypes) do
    it("of batches of " .. name, function()
      for _, shape in ipairs {{1, 1}, {4, 3}, {3, 4}, {16, 16}, {17, 9}, {9, 32}, {32, 32}, {100, 7}, {5, 60}, {33, 33}} do
        local m, n = table.unpack(shape)
        local full = math.min(m, n)
        for _, k in ipairs {1, 11} do
          local x, b, ranks = make_batch(19, m, n, k, name, function() return full end)
          check_batch(x, b, ranks, ("%d × %d, %d columns"):format(m, n, k))
        end
      end
    end)

    it("of batches of " .. name .. " with matrices of lower rank", function()
      for _, shape in ipairs {{4, 3}, {3, 4}, {20, 12}, {12, 12}} do
        local m, n = table.unpack(shape)
        local full = math.min(m, n)
        local x, b, ranks = make_batch(21, m, n, 3, name, function(i) return i % 4 == 0 and i % full or full end)
        check_batch(x, b, ranks, ("%d × %d"):format(m, n))
      end
    end)

    it("of batches of " .. name .. " whose matrices have very different sizes", function()
      local x, b, ranks = make_batch(16, 9, 5, 2, name, function() return 5 end)
      local far = name == "float32" and 30 or 280
      local scales = lt.tensor({10.0 ^ far, 1, 10.0 ^ -far, 1e-3}, {dtype = name}):tile(4):reshape(16, 1, 1)
      local want, rest, _, values = la.lstsq(x, b)
      local got, other, rank, scaled = la.lstsq(x * scales, b)
      near(want, got * scales, 1e3 * lt.finfo(name).eps, "solutions")
      near(rest, other, 1e3 * lt.finfo(name).eps, "residuals")
      near(values, scaled / scales:squeeze(-1), 1e3 * lt.finfo(name).eps, "values")
      assert.same(ranks, rank:totable())
    end)

    it("of single matrices of " .. name, function()
      for _, shape in ipairs {{1, 1}, {2, 1}, {2, 2}, {20, 16}, {64, 64}, {100, 97}, {70, 33}, {300, 20}, {700, 13}, {200, 40},
                              {131, 131}, {300, 135}} do
        local m, n = table.unpack(shape)
        for _, rank in ipairs {n, n // 2} do
          for _, k in ipairs {1, 35} do
            local x, b = matrix_of(m, n, rank, name), lt.randn({m, k}, {dtype = name})
            local got, residuals, got_rank, values = la.lstsq(x, b, {rtol = 1e-4})
            check(x, b, rank, {got, m > n and rank == n and residuals or nil, got_rank, values},
              ("%d × %d, rank %d, %d columns"):format(m, n, rank, k))
          end
        end
      end
    end)
  end

  it("counts singular values above rtol times the largest one", function()
    for _, count in ipairs {1, 20} do
      local x = lt.eye(6, {dtype = "float64"}) * lt.tensor({1, 0.5, 0.1, 0.02, 1e-9, 0}, {dtype = "float64"})
      x = x:broadcast_to(count, 6, 6)
      for rtol, rank in pairs {[0] = 5, [1e-8] = 4, [0.05] = 3, [0.5] = 1} do
        local _, _, got = la.lstsq(x, lt.ones({count, 6, 1}, {dtype = "float64"}), {rtol = rtol})
        assert(got:equal(rank):all():item(), ("%d matrices, rtol %g"):format(count, rtol))
      end
    end
  end)

  it("refuses one matrix or right-hand side of a batch with NaN or infinity", function()
    for _, bad in ipairs {0 / 0, math.huge} do
      local x, b = lt.randn(20, 5, 4), lt.randn(20, 5, 2)
      x[{7, 2, 3}] = bad
      fails("lstsq: matrix 7 of 20 has NaN or infinite elements", function() la.lstsq(x, b) end)
      x[{7, 2, 3}], b[{9, 5, 2}] = 1, bad
      fails("lstsq: matrix 9 of 20 has NaN or infinite elements", function() la.lstsq(x, b) end)
    end
  end)
end)
