-- tags: host uncollected kernels blas
-- Products of small matrices of floats have a kernel of their own. The kernel of integers is another one, so it is the
-- oracle of products of small integers, which are exact.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local names = {"float32", "float64"}

-- Returns a matrix of NaN, or of 9 for integers, like x.
local function filled_like(x, shape)
  local is_float = x.dtype:find "float" ~= nil
  return lt.full(shape, is_float and 0.0 / 0.0 or 9, {dtype = x.dtype})
end

-- Returns x with its elements stored in another layout: "columns", a part of a larger matrix ("part"), every
-- second element ("apart"), or backwards.
local layouts = {
  rows = function(x) return x end,
  columns = function(x) return x.mT:clone().mT end,
  part = function(x)
    local wide = filled_like(x, {x.shape[1] + 2, x.shape[2] + 3})
    wide[{{2, -2}, {2, -3}}] = x
    return wide[{{2, -2}, {2, -3}}]
  end,
  apart = function(x)
    local wide = filled_like(x, {x.shape[1], 2 * x.shape[2]})
    wide[{{}, {1, -2, 2}}] = x
    return wide[{{}, {1, -2, 2}}]
  end,
  backwards = function(x) return x:flip({1, 2}):clone():flip({1, 2}) end,
}

-- Calls f(x, y, where) for x and y in all pairs of layouts. `where` is the text of an error.
local function each_layout(x, y, f)
  for left, of_left in pairs(layouts) do
    for right, of_right in pairs(layouts) do f(of_left(x), of_right(y), left .. " × " .. right) end
  end
end

local function whole(name, ...) return lt.randint(-9, 10, {...}):to(name) end

describe("small products", function()
  before_each(function() lt.manual_seed(1) end)

  it("are exact for small integers, of every size beside the tiles' sizes", function()
    local x, y = whole("int64", 29, 128), whole("int64", 128, 70)
    for _, m in ipairs {1, 2, 6, 7, 12, 13, 14, 15, 29} do
      for _, n in ipairs {1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 32, 33, 48, 70} do
        for _, k in ipairs {0, 1, 2, 3, 4, 7, 30, 128} do
          local a, b = x:narrow(1, 1, m):narrow(2, 1, k), y:narrow(1, 1, k):narrow(2, 1, n)
          local want = a:matmul(b)
          for _, name in ipairs(names) do
            local p, q = a:to(name), b:to(name)
            for _, got in ipairs {p:matmul(q), p.mT:clone().mT:matmul(q), p:matmul(q.mT:clone().mT)} do
              if not got:equal(want):all():item() then error(("%s: %d × %d × %d"):format(name, m, k, n)) end
            end
          end
        end
      end
    end
  end)

  it("read only the elements of their matrices, in every layout", function()
    for _, name in ipairs(names) do
      for _, size in ipairs {{2, 3, 2}, {15, 9, 21}, {70, 30, 70}, {5, 128, 100}, {100, 20, 5}, {101, 127, 123}, {50, 64, 128}} do
        local x, y = whole(name, size[1], size[2]), whole(name, size[2], size[3])
        local want = x:to("int64"):matmul(y:to("int64"))
        each_layout(x, y, function(a, b, where)
          local got = a:matmul(b)
          assert.is_true(got:equal(want):all():item(), name .. ": " .. where)
        end)
      end
    end
  end)

  it("write only the elements of out, in every layout", function()
    for _, name in ipairs(names) do
      for _, size in ipairs {{3, 4, 5}, {29, 30, 37}, {100, 20, 5}} do
        local m, k, n = table.unpack(size)
        local x, y = whole(name, m, k), whole(name, k, n)
        local want = x:to("int64"):matmul(y:to("int64"))
        local wide, tall = lt.full({m + 2, 2 * n + 2}, 7, {dtype = name}), lt.full({n + 2, m + 1}, 7, {dtype = name})
        for _, case in ipairs {
          {wide, wide[{{2, -2}, {2, n + 1}}]}, {wide, wide[{{2, -2}, {2, -2, 2}}]}, {tall, tall[{{2, -2}, {2, -1}}].mT},
        } do
          local all, out = case[1], case[2]
          all:fill_(7)
          local sum = all:sum():item() - out:sum():item()
          x:matmul(y, {out = out})
          assert.is_true(out:equal(want):all():item())
          assert.equal(sum, all:sum():item() - out:sum():item())
          out:fill_(0.0 / 0.0)                  -- the old elements are not read
          x:matmul(y, {out = out})
          assert.is_true(out:equal(want):all():item())
        end
      end
    end
  end)

  it("scale and add, in every layout", function()
    for _, name in ipairs(names) do
      for _, size in ipairs {{3, 4, 5}, {29, 30, 37}, {16, 5, 64}, {100, 90, 70}} do
        local m, k, n = table.unpack(size)
        local x, y, c = whole(name, m, k), whole(name, k, n), whole(name, m, n)
        local product = x:to("int64"):matmul(y:to("int64"))
        each_layout(x, y, function(a, b, where)
          assert.is_true(c:addmm(a, b, {alpha = 3, beta = -2}):equal(3 * product - 2 * c):all():item(), where)
          assert.is_true(c:addmm(a, b):equal(product + c):all():item(), where)
        end)
        local sum = c.mT:clone().mT
        sum:addmm_(x, y)
        assert.is_true(sum:equal(product + c):all():item())
      end
    end
  end)

  it("are added to a part of a matrix, whose other elements stay", function()
    for _, name in ipairs(names) do
      for _, n in ipairs {1, 3, 7, 16, 17, 33, 48} do
        local x, y, wide = whole(name, 14, 9), whole(name, 9, n), whole(name, 17, n + 5)
        local want = wide:clone():to("int64")
        want[{{2, -3}, {3, -4}}] = x:to("int64"):matmul(y:to("int64")) + want[{{2, -3}, {3, -4}}]
        wide[{{2, -3}, {3, -4}}]:addmm_(x, y)
        assert.is_true(wide:equal(want):all():item(), ("%s, %d columns"):format(name, n))
      end
    end
  end)

  it("keep NaN and infinities in the rows and columns of their elements", function()
    for _, name in ipairs(names) do
      local x, y = whole(name, 20, 40):abs() + 1, whole(name, 40, 37):abs() + 1
      x[{3, 40}], x[{7, 1}], y[{5, 36}] = 0.0 / 0.0, math.huge, -math.huge
      each_layout(x, y, function(a, b, where)
        local got = a:matmul(b)
        assert.equal(37 + 1, got:isnan():sum():item(), where)            -- row 3, and infinity less infinity
        assert.is_true(got[{3}]:isnan():all():item() and got[{7, 36}]:isnan():item(), where)
        assert.equal(36, got:equal(math.huge):sum():item(), where)
        assert.equal(18, got:equal(-math.huge):sum():item(), where)
      end)
    end
  end)

  it("have errors of at most the rounding of each step", function()
    for _, name in ipairs(names) do
      for _, size in ipairs {{70, 30, 70}, {9, 128, 33}, {128, 16, 11}} do
        local x, y = lt.randn({size[1], size[2]}, {dtype = name}), lt.randn({size[2], size[3]}, {dtype = name})
        -- the sums of the oracle are of float64, in the order of a reduction
        local wide = (x:to("float64"):unsqueeze(3) * y:to("float64"):unsqueeze(1))
        local want, size_of_terms = wide:sum(2), wide:abs():sum(2)
        local eps = name == "float32" and 2.0 ^ -24 or 2.0 ^ -53
        local bound = size_of_terms * (eps * (size[2] + 1))
        assert.is_true(((x:matmul(y):to("float64") - want):abs() - bound):max():item() <= 0, name)
      end
    end
  end)

  it("have the same bits in every layout, by any number of threads, in a batch and alone", function()
    if lt.devices()[1].isa == "baseline" then return end         -- OpenBLAS computes the products
    local threads = lt.get_num_threads()
    for _, name in ipairs(names) do
      for _, size in ipairs {{70, 30, 70}, {128, 128, 128}, {14, 100, 300}, {3, 4, 5}, {16, 16, 1}, {1, 30, 20}} do
        local x, y = lt.randn({size[1], size[2]}, {dtype = name}), lt.randn({size[2], size[3]}, {dtype = name})
        local want = x:matmul(y):to_bytes()
        for n = 1, 3 do
          lt.set_num_threads(n)
          each_layout(x, y, function(a, b, where) assert.is_true(a:matmul(b):to_bytes() == want, where) end)
          assert.is_true(lt.stack({x, x}):matmul(lt.stack({y, y}))[{2}]:to_bytes() == want)
        end
        lt.set_num_threads(threads)
      end
    end
  end)

  it("read broadcast matrices", function()
    for _, name in ipairs(names) do
      local row, column = whole(name, 1, 40), whole(name, 40, 1)
      local x, y = row:broadcast_to(20, 40), column:broadcast_to(40, 33)
      local want = lt.full({20, 33}, row:matmul(column):item(), {dtype = name})
      assert.is_true(x:matmul(y):equal(want):all():item())
      assert.is_true(x:clone():matmul(y):equal(want):all():item())
      assert.is_true(x:matmul(y:clone()):equal(want):all():item())
    end
  end)

  it("are computed by threads of a batch, with broadcast dims", function()
    local x, y = whole("int64", 50, 1, 9, 7), whole("int64", 3, 7, 18)
    local want = x:matmul(y)
    for _, name in ipairs(names) do
      assert.is_true(x:to(name):matmul(y:to(name)):equal(want):all():item())
      local turned = y:to(name).mT:clone().mT
      assert.is_true(x:to(name):matmul(turned):equal(want):all():item())
    end
  end)

  -- Returns x stored with other orders of its dims, and as every second matrix of a batch.
  local function batches(x)
    local apart = lt.full({x.shape[1], 2 * x.shape[2], x.shape[3], x.shape[4]}, 0.0 / 0.0, {dtype = x.dtype})
    apart[{{}, {1, -2, 2}}] = x
    return {x, x.mT:clone().mT, x:permute_dims(3, 4, 1, 2):clone():permute_dims(3, 4, 1, 2), apart[{{}, {1, -2, 2}}]}
  end

  it("are exact in batches of any strides, also with vectors", function()
    for _, size in ipairs {{2, 2, 2}, {3, 4, 5}, {17, 3, 20}, {4, 4, 1}, {1, 9, 6}, {30, 32, 1}, {1, 30, 3}, {5, 1, 1}} do
      local m, k, n = table.unpack(size)
      local x, y = whole("int64", 4, 50, m, k), whole("int64", 1, 50, k, n)
      local want = x:matmul(y)
      for _, name in ipairs(names) do
        for _, left in ipairs(batches(x:to(name))) do
          for _, right in ipairs(batches(y:to(name))) do
            assert.is_true(left:matmul(right):equal(want):all():item(), table.concat(size, " × "))
          end
        end
        local all = lt.full({4, 50, m + 1, n + 2}, 7, {dtype = name})
        local out = all[{{}, {}, {2, -1}, {2, -2}}]
        x:to(name):matmul(y:to(name), {out = out})
        assert.is_true(out:equal(want):all():item())
        assert.equal(4 * 50 * (2 * m + n + 2) * 7, (all:sum() - out:sum()):item())
      end
    end
  end)

  it("refuse an out that shares memory with an input", function()
    local x = lt.ones(30, 30)
    helpers.fails("matmul: the target shares memory with an input; use :clone() on one of them", lt.matmul, x, x, {out = x.mT})
    assert.is_true(x:equal(1):all():item())
  end)
end)

describe("vecdot of short rows", function()
  before_each(function() lt.manual_seed(2) end)

  it("is exact for small integers, in every layout", function()
    for _, name in ipairs {"uint8", "int32", "int64", "float32", "float64"} do
      for _, rows in ipairs {1, 2, 15, 16, 17, 40} do
        for _, k in ipairs {0, 1, 2, 3, 4, 5, 16, 31, 33, 100} do
          local x, y = lt.randint(0, 3, {rows, k}), lt.randint(0, 3, {rows, k})
          local want = (x * y):sum(2)
          each_layout(x:to(name), y:to(name), function(a, b, where)
            assert.is_true(a:vecdot(b):equal(want:to(name)):all():item(), ("%s: %d × %d, %s"):format(name, rows, k, where))
            assert.is_true(a.mT:vecdot(b.mT, 1):equal(want:to(name)):all():item(), where)
          end)
        end
      end
    end
  end)

  it("reads broadcast and turned rows", function()
    for _, name in ipairs {"int32", "float32", "float64"} do
      local x, y = whole(name, 3, 50, 7), whole(name, 7)
      local want = (x:to("int64") * y:to("int64")):sum(3)
      assert.is_true(x:vecdot(y):equal(want):all():item())
      assert.is_true(x:flip({1, 2}):vecdot(y):equal(want:flip({1, 2})):all():item())
    end
  end)

  it("keeps NaN and infinities in their rows", function()
    for _, name in ipairs(names) do
      for _, k in ipairs {3, 8, 70} do
        local x, y = lt.ones({20, k}, {dtype = name}), lt.ones({20, k}, {dtype = name})
        x[{4, k}], y[{19, 1}] = 0.0 / 0.0, -math.huge
        local got = x:vecdot(y)
        assert.is_true(got[4]:isnan():item() and got[19]:item() == -math.huge)
        assert.equal(18, got:equal(k):sum():item())
      end
    end
  end)
end)
