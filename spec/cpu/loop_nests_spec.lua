-- tags: host uncollected kernels
-- Tests the CPU's loop nests: maps that compute row after row, copies of many rows, reductions of many rows at a time, and
-- reads and writes by index in blocks. The oracle loops in plain Lua over the numbers of which the tensors were made.
-- These are small integers, so that each sum is exact in each order.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local it = helpers.drawn_it(it)

local nan, inf <const> = 0.0 / 0.0, math.huge

-- Returns n small integers that differ from their neighbours.
local function numbers(n, seed)
  local list = {}
  for i = 1, n do list[i] = (i * 37 + (seed or 0) * 11) % 29 - 14 end
  return list
end

-- Returns an array: a function that gives the element at 1-based positions, its shape, and the tensor of these elements.
local function array(shape, dtype, seed)
  local n = 1
  for _, d in ipairs(shape) do n = n * d end
  local list = numbers(n, seed)
  local function at(...)
    local i = 0
    for d, k in ipairs {...} do i = i * shape[d] + k - 1 end
    return list[i + 1]
  end
  return at, lt.tensor(list, {dtype = "int64"}):to(dtype):reshape(shape)
end

-- Asserts that the elements of the tensor are expected(i, j, …) for every position, in row-major order.
local function holds(expected, t, label)
  local shape, list, at = t.shape, t:to("float64", {copy = true}):flatten():totable(), {}
  for d = 1, #shape do at[d] = 1 end
  for i = 1, #list do
    local wanted = expected(table.unpack(at))
    if wanted ~= list[i] and (wanted == wanted or list[i] == list[i]) then
      error(("%s: element [%s] is %s instead of %s"):format(label, table.concat(at, ", "), list[i], wanted))
    end
    for d = #shape, 1, -1 do
      at[d] = at[d] + 1
      if at[d] <= shape[d] then break end
      at[d] = 1
    end
  end
end

local dtypes <const> = {"float32", "float64", "int64", "int16", "bfloat16", "float16"}
local widths <const> = {1, 255, 256, 300, 1025}     -- around the least row, and the copies of a repeated element

describe("a map of rows", function()
  for _, dtype in ipairs(dtypes) do
    it("of " .. dtype .. " repeats columns and numbers", function()
      for _, w in ipairs(widths) do
        local x, tx = array({3, 5, w}, dtype)
        local c, tc = array({5, 1}, dtype, 3)
        holds(function(i, j, k) return x(i, j, k) + c(j, 1) end, tx + tc, w)
        holds(function(i, j, k) return c(j, 1) - x(i, j, k) end, tc - tx, w)
        holds(function(i, j, k) return x(i, j + 1, k) + 2 end, tx[{ {}, {2, 4} }] + 2, w)
      end
    end)

    it("of " .. dtype .. " walks backwards, and over dims that are broadcast", function()
      for _, w in ipairs(widths) do
        local x, tx = array({4, 1, 3, w}, dtype)
        local y, ty = array({2, 3, w + 2}, dtype, 5)
        local flipped, inner = tx:flip {1, 3}, ty[{ {}, {}, {2, w + 1} }]
        holds(function(i, j, k, l) return x(5 - i, 1, 4 - k, l) - y(j, k, l + 1) end, flipped - inner, w)
      end
    end)
  end

  it("writes into a part of a larger tensor, and only there", function()
    for _, w in ipairs(widths) do
      local x, tx = array({3, 4, w}, "float32")
      local c, tc = array({4, 1}, "float32", 2)
      local whole = lt.full({3, 6, w + 3}, 99, {dtype = "float32"})
      lt.multiply(tx, tc, {out = whole[{ {}, {2, 5}, {3, w + 2} }]})
      holds(function(i, j, k)
        local inside = j > 1 and j < 6 and k > 2 and k < w + 3
        return inside and x(i, j - 1, k - 2) * c(j - 1, 1) or 99
      end, whole, w)
    end
  end)

  it("replaces its own input", function()
    for _, w in ipairs(widths) do
      local x, tx = array({3, 4, w}, "float64")
      local c, tc = array({4, 1}, "float64", 2)
      lt.subtract(tc, tx, {out = tx})
      holds(function(i, j, k) return c(j, 1) - x(i, j, k) end, tx, w)
    end
  end)

  it("selects by conditions of one element a row", function()
    for _, dtype in ipairs {"float32", "int64", "bool", "float16"} do
      for _, w in ipairs(widths) do
        local x, tx = array({2, 6, w}, dtype)
        local m, tm = array({6, 1}, "int64", 1)
        local expected = dtype == "bool" and function(i, j, k) return (m(j, 1) > 0 or x(i, j, k) ~= 0) and 1 or 0 end or
          function(i, j, k) return m(j, 1) > 0 and 1 or x(i, j, k) end
        holds(expected, lt.where(tm:greater(0), dtype == "bool" and true or 1, tx):to "int64", dtype .. w)
      end
    end
  end)
end)

describe("a copy of rows", function()
  it("of every short length leaves the elements beside the rows as they were", function()
    for w = 1, 70 do
      local x, tx = array({3, w}, "int8", w)
      local whole = lt.full({3, w + 2}, 77, {dtype = "int8"})
      whole[{ {}, {2, w + 1} }] = tx
      holds(function(i, j) return j > 1 and j < w + 2 and x(i, j - 1) or 77 end, whole, w)
    end
  end)

  it("repeats and turns rows of every layout", function()
    for _, dtype in ipairs {"bool", "int16", "float32", "float64", "complex128"} do
      for _, w in ipairs {1, 7, 256, 400, dtype == "float32" and 17000 or nil} do
        local x, tx = array({3, w}, "int64")
        local function number(i, j) return dtype == "bool" and (x(i, j) ~= 0 and 1 or 0) or x(i, j) end
        local t = tx:to(dtype)
        local function real(y) return dtype == "complex128" and y:real() or y end
        holds(function(i, j) return number((i - 1) % 3 + 1, (j - 1) % w + 1) end, real(t:tile(2, 3)), dtype .. w)
        holds(function(i, j) return number(4 - i, j) end, real(t:flip(1):clone()), dtype .. w)
        holds(function(i, j) return number((i - 1) // 2 + 1, j) end, real(t:repeat_interleave(2, 1)), dtype .. w)
      end
    end
  end)
end)

describe("a transposed copy", function()
  for _, dtype in ipairs {"int8", "int16", "float32", "float64", "complex128"} do
    it("of " .. dtype .. " fills matrices of each size, and nothing beside them", function()
      for _, shape in ipairs {{1, 9}, {9, 9}, {4, 17}, {8, 31}, {15, 16}, {16, 15}, {17, 33}, {35, 67}} do
        local rows, cols = shape[1], shape[2]
        local x, tx = array({rows, cols}, "int64")
        local whole = lt.full({cols + 2, rows + 2}, 77, {dtype = dtype})
        whole[{ {2, cols + 1}, {2, rows + 1} }] = tx:to(dtype).T
        holds(function(j, i)
          local inside = i > 1 and j > 1 and i < rows + 2 and j < cols + 2
          return inside and x(i - 1, j - 1) or 77
        end, dtype == "complex128" and whole:real() or whole, rows .. " × " .. cols)
      end
    end)
  end
end)

-- For each reduction, its result for a list of numbers.
local folds = {
  sum = function(list) local s = 0; for _, x in ipairs(list) do s = s + x end return s end,
  max = function(list) return math.max(table.unpack(list)) end,
  min = function(list) return math.min(table.unpack(list)) end,
  any = function(list) for _, x in ipairs(list) do if x ~= 0 then return 1 end end return 0 end,
  all = function(list) for _, x in ipairs(list) do if x == 0 then return 0 end end return 1 end,
  count_nonzero = function(list) local n = 0; for _, x in ipairs(list) do n = n + (x ~= 0 and 1 or 0) end return n end,
}

-- Lengths of rows around the numbers of accumulators of a row.
local lengths <const> = {1, 2, 15, 16, 17, 32, 33, 63, 64, 131}

local function result(fold, t, dims) return lt[fold](t, dims):to "float64" end

describe("a reduction of rows", function()
  for fold, of in pairs(folds) do
    it(fold .. " of each length", function()
      for _, dtype in ipairs {"float32", "float64", "int64", "int8", "bfloat16"} do
        for k, n in ipairs(lengths) do
          local rows = ({1, 2, 16, 17, 35})[k % 5 + 1]
          local x, tx = array({rows, n}, dtype, k)
          local function expected(i)
            local list = {}
            for j = 1, n do list[j] = x(i, j) end
            return of(list)
          end
          if not (fold == "sum" and dtype == "bfloat16") then
            holds(expected, result(fold, tx, 2), ("%s %d × %d"):format(dtype, rows, n))
          end
          holds(function(i) return expected(rows + 1 - i) end, result(fold, tx:to("float32"):flip(1), 2), "flipped")
        end
      end
    end)

    it(fold .. " along several dims", function()
      for _, dtype in ipairs {"float32", "int32", "float16"} do
        for _, shape in ipairs {{3, 5, 7}, {70, 3, 5}, {9, 4, 130}, {2, 3, 1}, {66, 2, 33}} do
          local x, tx = array(shape, dtype)
          holds(function(j)
            local list = {}
            for i = 1, shape[1] do for k = 1, shape[3] do list[#list + 1] = x(i, j, k) end end
            return of(list)
          end, result(fold, tx:to(fold == "sum" and dtype == "float16" and "float32" or dtype), {1, 3}),
          dtype .. table.concat(shape, "×"))
        end
      end
    end)
  end

  it("does not read beyond the ends of rows", function()
    for _, n in ipairs(lengths) do
      for _, bad in ipairs {nan, inf} do
        local x, tx = array({19, n}, "float32")
        local whole = lt.full({19, n + 5}, bad)
        local view = whole[{ {}, {3, n + 2} }]
        view:copy_(tx)
        holds(function(i)
          local s = 0
          for j = 1, n do s = s + x(i, j) end
          return s
        end, view:sum(2), n)
      end
    end
  end)

  it("finds NaN in every place of a row", function()
    for n = 1, 40 do
      local x = lt.full({n, n}, 1.0)
      for i = 1, n do x[i][i] = nan end
      for _, name in ipairs {"max", "min", "sum", "prod"} do
        assert.equal(n, lt[name](x, 2):isnan():sum():item(), name)
      end
    end
  end)

  it("sums few columns of few rows", function()
    for _, rows in ipairs {1, 7, 8, 15, 16, 50, 130} do
      for _, n in ipairs {1, 3, 8, 33, 64} do
        local x, tx = array({5, rows, n}, "float64", rows)
        holds(function(i, k)
          local s = 0
          for j = 1, rows do s = s + x(i, j, k) end
          return s
        end, tx:sum(2), rows .. " × " .. n)
      end
    end
  end)

  for fold, of in pairs(folds) do
    it(fold .. " of short columns, many at a time", function()
      for _, dtype in ipairs {"float32", "int64", "int8", "float16"} do
        for _, shape in ipairs {{2, 60, 4, 3}, {3, 9, 2, 8}, {1, 2100, 2, 1}, {2, 13, 17, 5}, {1, 70, 3, 30}} do
          local x, tx = array(shape, dtype)
          local t = tx:to(fold == "sum" and dtype == "float16" and "float32" or dtype)
          local function expected(i, j, l)
            local list = {}
            for k = 1, shape[3] do list[k] = x(i, j, k, l) end
            return of(list)
          end
          local label = dtype .. table.concat(shape, "×")
          holds(expected, result(fold, t, 3), label)
          holds(function(i, j, l) return expected(i, shape[2] + 1 - j, l) end, result(fold, t:flip(2), 3), label .. " flipped")
          local wide = t:repeat_interleave(2, 4)[{ {}, {}, {}, {1, -1, 2} }]
          holds(expected, result(fold, wide, 3), label .. " sliced")
        end
      end
    end)
  end

  it("sums short columns into a part of a larger tensor, and only there", function()
    local x, tx = array({50, 4, 3}, "float64")
    local whole = lt.full({52, 5}, 99.0, {dtype = "float64"})
    tx:sum(2, {out = whole[{ {2, 51}, {2, 4} }]})
    holds(function(i, l)
      if i == 1 or i == 52 or l == 1 or l == 5 then return 99 end
      return x(i - 1, 1, l - 1) + x(i - 1, 2, l - 1) + x(i - 1, 3, l - 1) + x(i - 1, 4, l - 1)
    end, whole, "out")
  end)

  it("adds exponentials of columns that are -infinity", function()
    local x = lt.full({130, 3}, -inf)
    x[{ 100, 2 }], x[{ {}, 3 }] = 2.0, 0.0
    local y = x:logsumexp(1):totable()
    assert.same({-inf, 2.0}, {y[1], y[2]})
    assert.near(math.log(130), y[3], 1e-6)
  end)
end)

-- Enough repeated elements that their results are computed once and copied.
describe("repeated elements", function()
  -- Returns the array of shape {9, 5, 7, width} whose elements differ only along dims 2 and 4, and its tensor, a view.
  local function repeated(width, dtype)
    local x, tx = array({1, 5, 1, width}, dtype, width)
    return function(_, j, _, l) return x(1, j, 1, l) end, tx:broadcast_to(9, 5, 7, width)
  end

  for _, dtype in ipairs(dtypes) do
    it("of " .. dtype .. " are converted", function()
      for _, w in ipairs {1, 33, 300} do
        local x, tx = repeated(w, dtype)
        local other = dtype == "float64" and "float32" or "float64"
        holds(x, tx:to(other), w)
        local whole = lt.full({10, 5, 7, w + 3}, 99, {dtype = other})
        whole[{ {2, -1}, {}, {}, {3, w + 2} }]:copy_(tx:flip(4))
        holds(function(i, j, k, l)
          return i > 1 and l > 2 and l < w + 3 and x(i - 1, j, k, w + 3 - l) or 99
        end, whole, w)
      end
    end)
  end

  it("are inputs of costly functions", function()
    for _, dtype in ipairs {"float32", "float64", "int16"} do
      for _, w in ipairs {1, 33, 300} do
        local x, tx = repeated(w, dtype)
        local function root(...) return math.abs(x(...)) end
        local squares = (tx * tx)[{ {1}, {}, {1}, {} }]:broadcast_to(9, 5, 7, w)
        holds(root, lt.sqrt(squares), w)
        holds(function(l, k, j, i) return root(i, j, k, l) end, lt.sqrt(squares:permute(4, 3, 2, 1)), w)
        holds(root, lt.hypot(squares[{ {}, {}, {1}, {} }] * 0, tx), w)
      end
    end
  end)

  for fold, of in pairs(folds) do
    it("are reduced to their " .. fold, function()
      for _, w in ipairs {3, 33} do
        local x, tx = repeated(w, "float32")
        for _, dtype in ipairs {"float32", "float64", "int32"} do
          local t = tx[{ {1}, {}, {1}, {} }]:to(dtype):broadcast_to(9, 5, 7, w)
          local list, row, columns = {}, {}, {}
          for i = 1, 9 do for j = 1, 5 do for k = 1, 7 do for l = 1, w do list[#list + 1] = x(i, j, k, l) end end end end
          for j = 1, 5 do
            row[j] = {}
            for l = 1, w do row[j][l] = x(1, j, 1, l) end
          end
          for l = 1, w do
            columns[l] = {}
            for _ = 1, 9 do for j = 1, 5 do table.insert(columns[l], x(1, j, 1, l)) end end
          end
          local label = dtype .. " " .. w
          holds(function() return of(list) end, result(fold, t), label)
          holds(function(_, j) return of(row[j]) end, result(fold, t, 4), label)
          holds(function(j) return of(row[j]) end, result(fold, t[{ {1}, {}, {}, {} }], {1, 3, 4}) /
            (fold == "sum" and 7 or fold == "count_nonzero" and 7 or 1), label)
          holds(function(_, l) return of(columns[l]) end, result(fold, t, {1, 2}), label)
          holds(function(l) return of(columns[l]) end, result(fold, t:permute(2, 1, 3, 4)[{ {}, {}, 4, {} }], {1, 2}), label)
        end
      end
    end)
  end

  it("keep the position of the first largest element", function()
    local x, tx = repeated(33, "float32")
    local best = {}
    for j = 1, 5 do
      best[j] = 1
      for l = 2, 33 do if x(1, j, 1, l) > x(1, j, 1, best[j]) then best[j] = l end end
    end
    holds(function(_, j) return best[j] end, tx:argmax(4), "rows")
    holds(function() return 1 end, tx:argmax(1), "equal elements")
    holds(function() return 1 end, tx:argmin(3), "equal elements")
  end)
end)

describe("a mask", function()
  it("of each length is inverted, wherever it begins", function()
    for n = 1, 140 do
      local x, tx = array({n + 3}, "int64", n)
      local mask = (tx:greater(0))[{ {4, n + 3} }]
      for _, name in ipairs {"logical_not", "bitwise_invert"} do
        holds(function(i) return x(i + 3) > 0 and 0 or 1 end, lt[name](mask), name .. n)
      end
      holds(function(i) return x(i + 3) > 0 and 0 or 1 end, lt.logical_not(tx[{ {4, n + 3} }]:clip(0, 9)), n)
    end
  end)

  it("has its true elements found, whether they are few or many", function()
    for _, shape in ipairs {{1}, {17}, {4, 9}, {3, 70}, {2, 3, 33}, {5, 1, 16}, {2, 2, 2, 24}} do
      for _, limit in ipairs {-20, -13, 0, 13, 20} do
        local _, tx = array(shape, "int64")
        local mask, list = tx:greater(limit), tx:flatten():totable()
        local expected = {}
        for d = 1, #shape do expected[d] = {} end
        for i, v in ipairs(list) do
          local rest = i - 1
          for d = v > limit and #shape or 0, 1, -1 do
            table.insert(expected[d], rest % shape[d] + 1)
            rest = rest // shape[d]
          end
        end
        for d, places in ipairs {mask:nonzero()} do assert.same(expected[d], places:totable()) end
      end
    end
  end)
end)

describe("an access by index", function()
  for _, dtype in ipairs {"float32", "float64", "int8", "int16", "complex128"} do
    it("reads and writes " .. dtype .. " in rows of each length", function()
      for _, shape in ipairs {{1, 1}, {3, 5}, {7, 100}, {2, 512}, {3, 513}, {2, 1100}} do
        local rows, n = shape[1], shape[2]
        local x, tx = array({rows, n}, "int64")
        local list, index = {}, {}
        for i = 1, rows do
          index[i] = {}
          for j = 1, n do
            local p = (j * 7 + i) % n + 1
            list[#list + 1], index[i][j] = j % 3 == 0 and p - n - 1 or p, p
          end
        end
        local ti, t = lt.tensor(list, {dtype = "int64"}):reshape(rows, n), tx:to(dtype)
        local function real(y) return dtype == "complex128" and y:real() or y end
        local read = lt.full({rows, 2 * n}, 0, {dtype = dtype})
        lt.gather(t, 2, ti, {out = read[{ {}, {1, -1, 2} }]})
        holds(function(i, j) return j % 2 == 1 and x(i, index[i][(j + 1) // 2]) or 0 end, real(read), n)
        holds(function(i, j) return x(i, index[i][j]) end, real(t:gather(2, ti)), n)
        local written, added = {}, {}
        for i = 1, rows do
          written[i], added[i] = {}, {}
          for j = 1, n do written[i][index[i][j]] = x(i, j) end
          for j = 1, n do added[i][index[i][j]] = (added[i][index[i][j]] or 0) + x(i, j) end
        end
        local zeros = lt.zeros({rows, n}, {dtype = dtype})
        holds(function(i, j) return written[i][j] or 0 end, real(zeros:scatter(2, ti, t)), n)
        if dtype ~= "int8" then holds(function(i, j) return added[i][j] or 0 end, real(zeros:scatter_add(2, ti, t)), n) end
      end
    end)
  end

  it("combines several index tensors in rows of each length", function()
    local x, tx = array({6, 7, 3}, "float32")
    for _, n in ipairs {1, 40, 511, 1030} do
      local first, second = {}, {}
      for i = 1, n do first[i], second[i] = i % 6 + 1, -(i * 5 % 7) - 1 end
      local a, b = lt.tensor(first, {dtype = "int64"}), lt.tensor(second, {dtype = "int64"})
      holds(function(i, k) return x(first[i], second[i] + 8, k) end, tx[{a, b}], n)
      holds(function(i) return x(first[i], second[i] + 8, 2) end, tx[{a, b, 2}], n)
      holds(function(i, j) return x(first[i], second[j] + 8, 2) end, tx[{a:reshape(n, 1)[{ {1, math.min(n, 9)} }], b, 2}], n)
    end
  end)
end)
