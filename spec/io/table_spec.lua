-- Tests tables of data: reading files with columns of any kind, the table itself, and writing.
local lt = require "luatensor"
local data = require "luatensor.data"
local helpers = require "spec.support.helpers"
local shell = require "spec.support.shell"

local fails = helpers.fails
local path = os.tmpname()
teardown(function() os.remove(path) end)

local function read(text, options)
  shell.write(path, text)
  return data.read_table(path, options)
end

local function refuses(message, text, options)
  shell.write(path, text)
  fails("read_table: " .. path .. ": " .. message, data.read_table, path, options)
end

local function written(...)
  data.write_csv(path, ...)
  return shell.read(path)
end

-- Asserts equality of lists of numbers, in which NaN equals NaN.
local function same_numbers(want, x)
  local got = x:totable()
  assert.equal(#want, #got)
  for i, v in ipairs(want) do assert.is_true(v == got[i] or v ~= v and got[i] ~= got[i], i .. ": " .. tostring(got[i])) end
end

describe("read_table", function()
  it("finds the types of columns", function()
    local t = read("i,f,b,c,e,m\n1,2,true,x,,7\n-3,0.5,FALSE,y,NA,\n5,1e3,True,x,nan,9\n")
    assert.same({"i", "f", "b", "c", "e", "m"}, t.names)
    assert.same({i = "integer", f = "float", b = "boolean", c = "category", e = "float", m = "float"}, t.kinds)
    assert.equal(3, #t)
    assert.same({{1, -3, 5}, "int64"}, {t.i:totable(), t.i.dtype})
    assert.same({{2, 0.5, 1000}, "float64"}, {t.f:totable(), t.f.dtype})
    assert.same({true, false, true}, t.b:totable())
    assert.same({{1, 2, 1}, {"x", "y"}}, {t.c.codes:totable(), t.c.levels})
    same_numbers({lt.nan, lt.nan, lt.nan}, t.e)
    same_numbers({7, lt.nan, 9}, t.m)
    assert.same({false, true, false}, t:missing("m"):totable())
  end)

  it("reads a column again that turns out to be text", function()
    local t = read("a,b,c\n1.50,true,NA\n2,7,NA\nx,false,z\n")
    assert.same({"1.50", "2", "x"}, t.a.levels)
    assert.same({{3, 1, 2}, {"7", "false", "true"}}, {t.b.codes:totable(), t.b.levels})
    assert.same({{0, 0, 1}, {"z"}, {true, true, false}}, {t.c.codes:totable(), t.c.levels, t:missing("c"):totable()})
  end)

  it("takes types, with masks of missing integers and truth values", function()
    local t = read("n,b,s,k\n1,true,a,3\n,,,3\n", {types = {n = "integer", b = "boolean", s = "text", [4] = "category"}})
    assert.same({{1, 0}, {false, true}}, {t.n:totable(), t:missing("n"):totable()})
    assert.same({{true, false}, {false, true}}, {t.b:totable(), t:missing("b"):totable()})
    assert.same({{"a", ""}, {false, true}}, {t.s, t:missing("s"):totable()})
    assert.same({{1, 1}, {"3"}}, {t.k.codes:totable(), t.k.levels})
    same_numbers({1, lt.nan}, t:tensor{"n"}:flatten())
  end)

  it("reads dates and times", function()
    -- `date -u -d … +%s` computed the numbers of seconds.
    local seconds = {["2024-02-29"] = 1709164800, ["1970-01-01T00:00:00Z"] = 0, ["1900-03-01"] = -2203891200,
                     ["1969-12-31 23:59"] = -60, ["2026-11-27T04:02:50.25"] = 1795752170.25,
                     ["2000-12-31T23:59:59+01:30"] = 978301799, ["2038-01-19T03:14:08-05"] = 2147501648,
                     ["0001-01-01"] = -62135596800, ["9999-12-31T23:59:59Z"] = 253402300799}
    for text, want in pairs(seconds) do
      local t = read("t,d\n" .. text .. "," .. text .. "\n,\n", {types = {t = "time", d = "date"}})
      same_numbers({want, lt.nan}, t.t)
      same_numbers({want / 86400, lt.nan}, t.d)
    end
    for _, bad in ipairs {"2023-02-29", "2024-2-1", "2024-13-01", "1900-02-29", "2024-02-30", "24-02-01", "2024-02-01T24:00", "2024-02-01T1:00",
                          "2024-02-01T", "2024-02-01T10:00:00.", "2024-02-01x", "2024-02-01Z", "2024-02-01T10:00+1", "0000-01-01"} do
      refuses(('line 2, column 1: no time: "%s"; na_values = {...} names missing values, types = {...} another type'):format(bad),
              "t\n" .. bad .. "\n", {types = {t = "time"}})
    end
  end)

  it("reads quotes, line ends, marks and comments of real files", function()
    local t = read('\xef\xbb\xbf"a b","c ""q"""\r\n"1","x\ny"\r\n# no "row\r\n2,"z, w"\r\n\r\n', {comment = "#"})
    assert.same({"a b", 'c "q"'}, t.names)
    assert.same({{1, 2}, {"x\ny", "z, w"}}, {t["a b"]:totable(), t['c "q"'].levels})
    t = read("skip me\nx;y\n1,5;-2\n0,25;3\n", {delimiter = ";", decimal = ",", skip = 1})
    assert.same({{1.5, 0.25}, {-2, 3}}, {t.x:totable(), t.y:totable()})
    t = read("x;y\n1.5;2\n", {delimiter = ";", decimal = ","})
    assert.same({"1.5"}, t.x.levels)
    t = read("# first\na\n1\n", {comment = "#"})
    assert.same({1}, t.a:totable())
  end)

  it("knows missing values by name", function()
    local text = "a,b\n?,NA\n3,-1\n"
    same_numbers({lt.nan, 3}, read(text, {na_values = "?"}).a)
    same_numbers({lt.nan, lt.nan}, read(text, {na_values = {"?", "-1"}}).b)
    assert.same({"-1", "NA"}, read(text, {keep_default_na = false}).b.levels)
    assert.same({"3", "?"}, read(text).a.levels)
  end)

  it("names columns, chooses and orders them", function()
    local t = read("a,,a\n1,2,3\n", {columns = {-1, "column2"}})
    assert.same({"a.2", "column2"}, t.names)
    assert.same({{3}, {2}}, {t["a.2"]:totable(), t.column2:totable()})
    t = read("1,2\n3,4\n", {names = {"x", "y"}})
    assert.same({1, 3}, t.x:totable())
    t = read("1,2\n3,4\n", {header = false})
    assert.same({2, 4}, t.column2:totable())
    t = read("x,y\n1,2\n", {names = {"u", "v"}, header = true})
    assert.same({1}, t.u:totable())
    assert.same({0, {"a"}}, {#read "a\n", read("a\n").names})
  end)

  it("says what is wrong, where, and what helps", function()
    local cure = "; na_values = {...} names missing values, types = {...} another type"
    refuses('line 3, column 2: no integer: "2.5"' .. cure, "a,b\n1,2\n1,2.5\n", {types = {b = "integer"}})
    refuses('line 2, column 1: no boolean: "yes"' .. cure, "a\nyes\n", {types = {a = "boolean"}})
    refuses("line 3: fields: 1, in the first row: 2; is the delimiter right? A field that contains it is in quotes", "a,b\n1,2\n3\n")
    refuses("the first row has numbers instead of names; header = false, or names = {...}", "1,2\n3,4\n")
    refuses("no rows", "")
    refuses("line 2: a quote that does not end", 'a\n"x\n')
    local function option(message, options)
      shell.write(path, "a,b\n1,2\n")
      fails("read_table: " .. message, data.read_table, path, options)
    end
    option('columns: ' .. path .. ' has no column "c"; its columns: a, b', {columns = {"c"}})
    option('columns: ' .. path .. ' has no column 3 of 2', {columns = {3}})
    option('columns: "a" is given twice', {columns = {"a", 1}})
    option("types: number is no type; known: boolean, category, date, float, integer, text, time", {types = {a = "number"}})
    option('types: ' .. path .. ' has no column "z"; its columns: a, b', {types = {z = "float"}})
    option('decimal: "," is the delimiter, too; delimiter = ";"?', {decimal = ","})
    option("names: " .. path .. " has 2 columns, 1 names are given", {names = {"a"}})
    option('na_values: strings as the file has them expected, such as "-1", got number', {na_values = {-1}})
    option("comment: one character expected that begins no other line, got ##", {comment = "##"})
    fails("read_table: /nowhere: No such file or directory", data.read_table, "/nowhere")
  end)
end)

describe("a table", function()
  local t = data.Table({n = lt.tensor{1, 2, 3}, f = lt.tensor{0.5, lt.nan, 2}, s = {"x", "y", "z"},
                        c = {codes = lt.tensor{2, 0, 1}, levels = {"no", "yes"}}}, {"n", "f", "c", "s"})

  it("gives tensors for training", function()
    local x = t:tensor{"n", "f"}
    assert.same({"float32", "[3, 2]", helpers.device}, {x.dtype, tostring(x.shape), x.device})
    same_numbers({1, 0.5, 2, lt.nan, 3, 2}, x:flatten())
    assert.equal("[3, 2]", tostring(t:tensor().shape))
    assert.same({{0, 1}, {0, 0}, {1, 0}}, t:one_hot("c"):totable())
    assert.equal("float64", t:tensor("n", {dtype = "float64"}).dtype)
    fails('tensor: column "c" is a category; t:one_hot("c") gives numbers', t.tensor, t, {"c"})
    fails('tensor: column "s" is a text; it has no numbers', t.tensor, t, {"s"})
    fails('one_hot: column "n" is no category, it is integer', t.one_hot, t, "n")
    fails('table: no column and no method "age"; columns: n, f, c, s; methods: column, missing, one_hot, rows, tensor',
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
  end)

  it("is made of columns that fit", function()
    fails('Table: column "b" has 1 rows, "a" has 2', data.Table, {a = {"x", "y"}, b = {"z"}}, {"a", "b"})
    fails('Table: column "a": strings expected, item 2 is a number; lt.tensor makes a column of numbers', data.Table, {a = {"x", 2}}, {"a"})
    fails('Table: column "a": codes of 1 dim from 0 to 1 expected', data.Table, {a = {codes = lt.tensor{2}, levels = {"x"}}}, {"a"})
    fails('Table: name 2 is "a" again', data.Table, {a = {"x"}}, {"a", "a"})
  end)
end)

describe("write_csv", function()
  it("writes tensors", function()
    assert.equal("1,2\n3,4\n", written(lt.tensor{{1, 2}, {3, 4}}))
    assert.equal("a;b\n1;2\n", written(lt.tensor{{1, 2}}, {names = {"a", "b"}, delimiter = ";"}))
    assert.equal("0.1\ninf\nNA\n", written(lt.tensor{0.1, lt.inf, lt.nan}, {na_rep = "NA"}))
    assert.equal("18446744073709551615\n", written(lt.tensor({-1}):to "uint64"))
    fails("write_csv: names: the tensor has 1 columns, 2 names are given", data.write_csv, path, lt.ones(2, 1), {names = {"a", "b"}})
    fails("write_csv: a table or a tensor [rows, columns] expected, got [1, 1, 1]", data.write_csv, path, lt.ones(1, 1, 1))
    fails("write_csv: a table of data.Table or a tensor [rows, columns] expected, got number", data.write_csv, path, 1)
    fails("write_csv: /nowhere/x: No such file or directory", data.write_csv, "/nowhere/x", lt.ones(1))
  end)

  it("writes what is read back digit for digit", function()
    local list = {0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, 123456789012345680, 2 ^ 53 + 2}
    for i = 1, 50 do list[7 + i] = i / 7 * 2.0 ^ (i * 13 - 300) end
    local x = lt.tensor(list, {dtype = "float64"})
    local t = data.Table({f = x, g = x:to "float32", h = x:to "float16", i = lt.range(1, #list) << 40}, {"f", "g", "h", "i"})
    data.write_csv(path, t)
    local u = data.read_table(path, {types = {f = "float", g = "float", h = "float"}})
    assert.equal(x:to_bytes(), u.f:to_bytes())
    assert.equal(t.g:to_bytes(), u.g:to("float32"):to_bytes())
    assert.equal(t.h:to_bytes(), u.h:to("float16"):to_bytes())
    assert.same(t.i:totable(), u.i:totable())
  end)

  it("writes texts, gaps, dates and truth values that are read back", function()
    local text = 't,d,b,s,c\n2024-02-29T12:00:00.125Z,1900-03-01,true,"a, ""b""",x\n,,,"line\nend",\n1969-12-31T23:59:59Z,2000-12-31,false," pad ",y\n'
    local t = read(text, {types = {t = "time", d = "date", s = "text"}})
    assert.equal(text, written(t))
    assert.equal("c,b\nx,true\n,\ny,false\n", written(t, {names = {"c", "b"}}))
    assert.equal('c\nx\n""\ny\n', written(t, {names = {"c"}}))
  end)
end)
