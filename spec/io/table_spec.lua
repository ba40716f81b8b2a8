-- Tests data.Table: columns of data by name.
local lt = require "luatensor"
local data = require "luatensor.data"
local helpers = require "spec.support.helpers"

local fails = helpers.fails

-- Asserts equality of lists of numbers, in which NaN equals NaN.
local function same_numbers(want, x)
  local got = x:totable()
  assert.equal(#want, #got)
  for i, v in ipairs(want) do assert.is_true(v == got[i] or v ~= v and got[i] ~= got[i], i .. ": " .. tostring(got[i])) end
end

describe("a table", function()
  local t = data.Table({n = lt.tensor{1, 2, 3}, f = lt.tensor{0.5, lt.nan, 2}, s = {"x", "y", "z"},
                        c = {codes = lt.tensor{2, 0, 1}, levels = {"no", "yes"}}}, {"n", "f", "c", "s"})

  it("gives tensors for training", function()
    local x = t:tensor{"n", "f"}
    assert.same({"float32", "[3, 2]", helpers.device}, {x.dtype, tostring(x.shape), x.device})
    same_numbers({1, 0.5, 2, lt.nan, 3, 2}, x:flatten())
    assert.same({{"n", "f"}, "[3, 2]"}, {t:drop{"c", -1}.names, tostring(t:drop{"c", "s"}:tensor().shape)})
    assert.same({{"n", "f", "s"}, 3}, {t:drop("c").names, #t:drop "c"})
    assert.same({{0, 1}, {0, 0}, {1, 0}}, t:one_hot("c"):totable())
    assert.equal("float64", t:tensor("n", {dtype = "float64"}).dtype)
    fails('tensor: column "c" is a category with the text "no"; t:one_hot("c") gives numbers, t:drop("c"):tensor() has the other columns',
          t.tensor, t)
    fails('tensor: column "s" is a list of texts; t:drop("s"):tensor() has the other columns', t.tensor, t, {"s"})
    fails('tensor: column "f" has missing values, for which int32 has no number', t.tensor, t, "f", {dtype = "int32"})
    fails("tensor: dtype: a float or integer dtype expected, got bool", t.tensor, t, "n", {dtype = "bool"})
    fails("tensor: dtype: a float or integer dtype expected, got 3", t.tensor, t, "n", {dtype = 3})
    fails('drop: the table has no column "x"; its columns: n, f, c, s', t.drop, t, "x")
    fails('one_hot: column "n" is no category, it is integer', t.one_hot, t, "n")
    fails('table: no column and no method "age"; columns: n, f, c, s; methods: column, drop, missing, one_hot, rows, tensor',
          function() return t.age end)
    fails("table: a table is not changed; data.Table(columns, names) makes a new one", function() t.age = 1 end)
  end)

  it("selects rows by masks and numbers", function()
    for _, selection in ipairs {{3, 1}, lt.tensor{3, 1}} do
      local u = t:rows(selection)
      assert.same({{3, 1}, {"z", "x"}, {1, 2}, 2}, {u.n:totable(), u.s, u.c.codes:totable(), #u})
    end
    local u = t:rows(t.f:isnan())
    assert.same({{2}, {"y"}, {0}, {true}}, {u.n:totable(), u.s, u.c.codes:totable(), u:missing("c"):totable()})
    assert.equal(0, #t:rows{})
    fails("rows: row 4 is none of 3", t.rows, t, {4})
    fails("rows: a mask [3], row numbers or a list of them expected, got bool [2]", t.rows, t, lt.tensor{true, false})
  end)

  it("is printed in aligned columns, and cut", function()
    assert.equal("n    f  c    s\n1  0.5  yes  x\n2   NA  NA   y\n3    2  no   z\n3 rows, 4 columns", tostring(t))
    local long = data.Table({i = lt.range(1, 100)}, {"i"})
    assert.equal("  i\n  1\n  2\n  3\n  4\n  5\n…\n 96\n 97\n 98\n 99\n100\n100 rows, 1 column", tostring(long))
    local wide, names = {}, {}
    for k = 1, 30 do names[k], wide["column" .. k] = "column" .. k, lt.tensor{k} end
    for line in tostring(data.Table(wide, names)):gmatch "[^\n]+" do assert.is_true(utf8.len(line) <= 83, line) end
    for text, want in pairs {[("\x80"):rep(30)] = ("\x80"):rep(23) .. "…", [("é"):rep(30)] = ("é"):rep(23) .. "…"} do
      assert.truthy(tostring(data.Table({a = {text}}, {"a"})):find("\n" .. want .. "\n", 1, true))
    end
    local html = getmetatable(t).__mime(data.Table({["a<b"] = {"x&y"}}, {"a<b"}))["text/html"]
    assert.equal("<table><tr><th>a&lt;b</th></tr>\n<tr><td>x&amp;y</td></tr></table><p>1 row, 1 column</p>", html)
    local lengthy = data.Table({n = lt.arange(100), m = lt.arange(100)}, {"n", "m"})
    assert.truthy(getmetatable(t).__mime(lengthy)["text/html"]:find("<tr><td>…</td><td>…</td></tr>", 1, true))
  end)

  it("names at most 20 of its columns in errors", function()
    local wide, names = {}, {}
    for k = 1, 30 do names[k], wide["c" .. k] = "c" .. k, lt.tensor{k} end
    fails('column: the table has no column "x"; its columns: ' .. table.concat(names, ", ", 1, 20) .. " … (30)", data.Table(wide, names).column,
          data.Table(wide, names), "x")
  end)

  it("is made of columns that fit", function()
    fails('Table: column "b" has 1 rows, "a" has 2', data.Table, {a = {"x", "y"}, b = {"z"}}, {"a", "b"})
    fails('Table: column "a": strings expected, item 2 is a number; lt.tensor makes a column of numbers', data.Table, {a = {"x", 2}}, {"a"})
    fails('Table: column "a": codes of 1 dim from 0 to 1 expected', data.Table, {a = {codes = lt.tensor{2}, levels = {"x"}}}, {"a"})
    fails('Table: name 2 is "a" again', data.Table, {a = {"x"}}, {"a", "a"})
  end)
end)
