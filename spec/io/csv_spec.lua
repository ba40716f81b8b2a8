-- tags: uncollected
-- Tests data.read_csv and data.write_csv: files of separated values.
local lt = require "luatensor"
local data = require "luatensor.data"
local helpers = require "spec.support.helpers"
local shell = require "spec.support.shell"

local fails, holds = helpers.fails, helpers.holds
local path = os.tmpname()
teardown(function() os.remove(path) end)

local function read(text, options)
  shell.write(path, text)
  return data.read_csv(path, options)
end

local function refuses(message, text, options)
  shell.write(path, text)
  fails("read_csv: " .. path .. ": " .. message, data.read_csv, path, options)
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

describe("read_csv", function()
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

  it("finds out whether the first row has names", function()
    assert.same({{"2019", "2020"}, 1}, {read("2019,2020\n1,2\n", {header = true}).names, #read("2019,2020\n1,2\n", {header = true})})
    assert.same({{"a", "column2"}, 0}, {read("a,\n").names, #read("a,\n")})
    assert.same({{"column1", "column2"}, 1}, {read("1,NA\n").names, #read("1,NA\n")})
    local iris = read("5.1,setosa\n7,virginica\n", {header = false})
    assert.same({{1, 2}, {"setosa", "virginica"}}, {iris.column2.codes:totable(), iris.column2.levels})
  end)

  it("sorts categories by size if all of them are numbers", function()
    local types = {types = {column1 = "category"}}
    local k = read("10,1\n9,2\n10,3\n-1,4", types).column1
    assert.same({{3, 2, 3, 1}, {"-1", "9", "10"}}, {k.codes:totable(), k.levels})
    assert.same({"57", "58", "5x", "6"}, read("57\n5x\n6\n58", types).column1.levels)      -- "5x" is no number
    k = read('species\nsetosa\n"Iris, other"\nNA\nsetosa', nil).species
    assert.same({{2, 1, 0, 2}, {"Iris, other", "setosa"}}, {k.codes:totable(), k.levels})
    assert.same({{0, 0}, {}}, {read("a,b\n1,\n2,\n", {types = {b = "category"}}).b.codes:totable(), read("a,b\n1,\n", {types = {b = "category"}}).b.levels})
  end)

  it("names columns, chooses and orders them", function()
    local t = read("a,,a\n1,2,3\n", {columns = {-1, "column2"}})
    assert.same({"a.2", "column2"}, t.names)
    assert.same({{3}, {2}}, {t["a.2"]:totable(), t.column2:totable()})
    t = read("1,2\n3,4\n", {names = {"x", "y"}})
    assert.same({1, 3}, t.x:totable())
    t = read("1,2\n3,4\n")
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
    refuses("the first row has names and numbers; header = true if it names the columns, else header = false", "name,2019,2020\nx,1,2\n")
    refuses("no rows", "")
    refuses("no rows", "\n\n  \n")
    refuses("line 2: column 1: a quote that does not end; quote = false reads quotes as letters", 'a\n"x\n')
    refuses("line 1: column 2: something follows a quoted field; quote = false reads quotes as letters", '1,"1"2\n')
    refuses("line 1: column 1: a quote inside of a field; quote = false reads quotes as letters", '1"2"\n')
    refuses("line 2: fields: 3, in the first row: 2; is the delimiter right? A field that contains it is in quotes", "1,2\n3,4,\n")
    local function option(message, options)
      shell.write(path, "a,b\n1,2\n")
      fails("read_csv: " .. message, data.read_csv, path, options)
    end
    option('columns: ' .. path .. ' has no column "c"; its columns: a, b', {columns = {"c"}})
    option('columns: ' .. path .. ' has no column 3 of 2', {columns = {3}})
    option('columns: "a" is given twice', {columns = {"a", 1}})
    option("types: number is no type; known: boolean, category, date, float, integer, text, time", {types = "number"})
    option("types: number is no type; known: boolean, category, date, float, integer, text, time", {types = {a = "number"}})
    option('types: ' .. path .. ' has no column "z"; its columns: a, b', {types = {z = "float"}})
    option('decimal: "," is the delimiter, too; delimiter = ";"?', {decimal = ","})
    option("names: " .. path .. " has 2 columns, 1 names are given", {names = {"a"}})
    option('na_values: strings as the file has them expected, such as "-1", got number', {na_values = {-1}})
    option('delimiter: one character that is in no number expected, got "--"', {delimiter = "--"})
    option('delimiter: one character that is in no number expected, got "."', {delimiter = "."})
    option("delimiter: one character that is in no number expected, got boolean", {delimiter = true})
    option("skip: -1 is out of range", {skip = -1})
    option("columns: list expected, got number", {columns = 1})
    option("comment: one character expected that begins no other line, got ##", {comment = "##"})
    fails("read_csv: /nowhere: No such file or directory", data.read_csv, "/nowhere")
  end)
end)

describe("read_csv of files of other programs", function()
  it("takes leading zeros for a text unless a type is given", function()
    local t = read("zip,n\n01234,0\n99999,10\n")
    assert.same({{"01234", "99999"}, "integer"}, {t.zip.levels, t.kinds.n})
    assert.same({"1.5", "007"}, read("a\n1.5\n007\n", {types = "text"}).a)
    assert.equal("category", read("a\n1.5\n007\n").kinds.a)
    assert.same({1234, 99999}, read("zip\n01234\n99999\n", {types = "integer"}).zip:totable())
    assert.same({0.5, 0}, read("a\n0.5\n0\n").a:totable())
  end)

  it("proposes a delimiter", function()
    local words = ': one column, but each row has 1 "%s"; delimiter = "%s"? With delimiter = "," it is one column'
    for character, shown in pairs {[";"] = ";", ["\t"] = "\\t"} do
      shell.write(path, ("id;x\n1;2\n"):gsub(";", character))
      fails("read_csv: " .. path .. words:format(shown, shown), data.read_csv, path)
    end
    assert.same({"1;2"}, read("id;x\n1;2\n", {delimiter = ","})["id;x"].levels)
    assert.same({"1;2", "3"}, read("id;x\n1;2\n3\n")["id;x"].levels)
  end)

  it("takes the delimiter from Excel's first line", function()
    for _, delimiter in ipairs {";", ",", "\t", "|"} do
      local t = read((("sep=;\r\nid;x\r\n1;2\r\n"):gsub(";", delimiter)))
      assert.same({{"id", "x"}, {2}}, {t.names, t.x:totable()})
    end
    assert.same({2}, read("sep=;\nid;x\n1;2\n", {delimiter = ";"}).x:totable())
    assert.same({"sep=,"}, read('"sep=,"\n1\n').names)
  end)

  it("refuses line ends of CR alone, and UTF-16", function()
    local words = "line 1: the lines end in CR alone; convert the file by tr '\\r' '\\n'"
    refuses(words, "a,b\r1,2\r3,4\r")
    refuses(words, '"a","b"\r"1","2"\r')
    assert.same({"a\rb", "c"}, read('"a\rb",c\r\r\n1,2\r\n').names)
    refuses("line 1: the file is UTF-16; convert it by iconv -f UTF-16 -t UTF-8", "\xff\xfea\0\n\0")
    shell.write(path, "\xfe\xff\0a\0\n")
    fails("read_csv: " .. path .. ": the file is UTF-16; convert it by iconv -f UTF-16 -t UTF-8", data.read_csv, path, {skip = 1})
  end)

  it("reads quotes as letters with quote = false", function()
    local t = read('a,size\n1,2"\n2,"3\n', {quote = false})
    assert.same({'"3', '2"'}, t.size.levels)
    refuses('line 2: column 2: a quote inside of a field; quote = false reads quotes as letters', 'a,size\n1,2"\n')
  end)

  it("knows missing values in quotes in columns of numbers only", function()
    local t = read('n,s,e\n"1","x",""\n"NA","NA",""\n"",NA,""\n')
    same_numbers({1, lt.nan, lt.nan}, t.n)
    assert.same({{"NA", "x"}, {false, false, true}}, {t.s.levels, t:missing("s"):totable()})
    same_numbers({lt.nan, lt.nan, lt.nan}, t.e)
  end)
end)

describe("files of numbers", function()
  local NUMBERS <const> = {types = "float"}

  -- Returns the numbers of a file as a tensor of the default dtype or of this one.
  local function numbers(text, options, dtype) return read(text, options):tensor(nil, {dtype = dtype}) end

  it("have no header, and become a matrix", function()
    local x = numbers "1,2.5,-3\n4,5e1,+.5\n"
    holds(x, "[2, 3]", {{1, 2.5, -3}, {4, 50, 0.5}})
    assert.same({"float32", helpers.device}, {x.dtype, x.device})
    holds(numbers "1", "[1, 1]", {{1}})
    holds(numbers "1,2\r\n\r\n  \n 3 ,\t4 \r\n", "[2, 2]", {{1, 2}, {3, 4}})
    holds(numbers("1;2\n3;4", {delimiter = ";"}), "[2, 2]", {{1, 2}, {3, 4}})
    holds(numbers("1\t2\n3\t4", {delimiter = "\t"}), "[2, 2]", {{1, 2}, {3, 4}})
    holds(numbers "\xef\xbb\xbf1,2\n", "[1, 2]", {{1, 2}})
    same_numbers({1, lt.nan, 3, 4, 5, lt.nan}, numbers("1,,3\n4,5,NA\n"):flatten())
    holds(numbers("1,5;2\n", {delimiter = ";", decimal = ","}), "[1, 2]", {{1.5, 2}})
    assert.same({"column1", "column2"}, read("1,2\n").names)
    shell.write(path, "1,2\n3,4\n")
    shell.passes(("gzip -nc9 %s > %s.gz && mv %s.gz %s"):format(path, path, path, path))
    holds(data.read_csv(path):tensor(), "[2, 2]", {{1, 2}, {3, 4}})
  end)

  it("are read as the nearest doubles", function()
    local texts = {"0.1", "-0.0", "1e22", "1e23", "123456789012345678", "9007199254740993", "2.2250738585072011e-308", "5e-324", "1.7976931348623157e308",
                   "0.000001", "3.", ".5", "00012", "1E5", "1e-7", "inf", "-inf", "1234567890.123456789", "0.30000000000000004", "12345678901234567890123"}
    local x = numbers(table.concat(texts, "\n"), NUMBERS, "float64")
    for i, text in ipairs(texts) do
      local want = tonumber(text) or (text == "inf" and math.huge or -math.huge)
      assert.equal(("%a"):format(want * 1.0), ("%a"):format(x[{i, 1}]:item()), text)
    end
  end)

  it("are read as exact integers, or refused", function()
    local x = numbers("9223372036854775807,-9223372036854775808\n0,+7", {types = "integer"}, "int64")
    holds(x, "[2, 2]", {{math.maxinteger, math.mininteger}, {0, 7}})
    local cure = "; na_values = {...} names missing values, types = {...} another type"
    refuses('line 1, column 1: no integer: "1.0"' .. cure, "1.0", {types = "integer"})
    refuses('line 1, column 1: no integer: "9223372036854775808"' .. cure, "9223372036854775808", {types = "integer"})
    fails('tensor: column "column2" has missing values, for which int32 has no number', numbers, "1,\n", nil, "int32")
    fails('tensor: column "a" has missing values, for which int64 has no number', numbers, "a\n2.5\nNA\n", nil, "int64")
  end)

  it("are refused with line and column if a field is no number", function()
    local cure = "; na_values = {...} names missing values, types = {...} another type"
    refuses('line 3, column 1: no float: "red"' .. cure, "1,2\n\nred,4\n", NUMBERS)
    refuses('line 1, column 1: no float: "\n2"' .. cure, '"\n2",1\nx', {types = "float", header = false})
    refuses('line 4, column 1: no float: "x"' .. cure, '"a\nb"\n1\nx', NUMBERS)
    refuses('line 4, column 2: no float: "x"' .. cure, '1,"2\n\n"\n3,x', {types = "float", na_values = "2\n\n"})
    for _, bad in ipairs {"1x", "0x10", "1e", "--1", ".", "-", "+", "1 2", "1.2.3", "e5", "nan(1)", "1;5x"} do
      assert.raises("^read_csv: .*: line 2, column %d: no float: ", read, "1\n" .. bad, NUMBERS)
    end
    refuses('line 2, column 1: no float: "' .. ("7x"):rep(22) .. '..."' .. cure, "1\n" .. ("7x"):rep(300), NUMBERS)
    refuses('line 2, column 1: no float: "1?2"' .. cure, "1\n1\0002", NUMBERS)
    fails('tensor: column "b" is a category with the text "?"; t:one_hot("b") gives numbers, t:drop("b"):tensor() has the other columns',
          numbers, "a,b\n1,?\n2,3\n")
  end)

  it("longer than what is read at a time are whole", function()
    local rows = {}
    for i = 1, 60000 do rows[i] = ('%d,"%d"\n'):format(i, -i) end
    local x = numbers(table.concat(rows), nil, "int64")
    assert.equal("[60000, 2]", tostring(x.shape))
    assert.is_true(lt.equal_all(x[{{}, 1}], lt.range(1, 60000)))
    assert.is_true(lt.equal_all(x[{{}, 2}], -lt.range(1, 60000)))
    local wide = ("1.5,"):rep(20000) .. "2"
    assert.equal(30002, numbers(wide .. "\n" .. wide):narrow(1, 1, 1):sum():item())
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
    local u = data.read_csv(path, {types = {f = "float", g = "float", h = "float"}})
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
    assert.equal('c\nx\nNA\ny\n', written(t, {names = {"c"}}))
  end)

  it("writes texts that look like missing values, and names that are numbers", function()
    local texts = {"NA", "DE", "None", "", "nan", "#N/A", "-"}
    local t = data.Table({["2019"] = texts, NA = texts}, {"2019", "NA"})
    for _, na in ipairs {"", "NA", "-"} do
      data.write_csv(path, t, {na_rep = na})
      local u = data.read_csv(path, {types = "text", na_values = {na}})
      assert.same({{"2019", "NA"}, texts}, {u.names, u["2019"]})
      assert.is_false(u:missing("2019"):any():item())
    end
    data.write_csv(path, data.Table({["2019"] = lt.tensor{1, 2}, ["2020"] = lt.tensor{3, 4}}, {"2019", "2020"}))
    assert.same({{"2019", "2020"}, 2}, {data.read_csv(path).names, #data.read_csv(path)})
    data.write_csv(path, data.Table({a = {"NA", "NA"}}, {"a"}))
    assert.same({"NA"}, data.read_csv(path).a.levels)
  end)

  it("writes decimal commas", function()
    assert.equal("x;s\n1,5;a.b\n", written(data.Table({x = lt.tensor{1.5}, s = {"a.b"}}, {"x", "s"}), {decimal = ",", delimiter = ";"}))
    fails('write_csv: decimal: "," is the delimiter, too; delimiter = ";"?', data.write_csv, path, lt.ones(1), {decimal = ","})
  end)

  it("refuses texts of missing values that would need quotes", function()
    for _, na in ipairs {",", '"', "a\n", " a"} do
      fails(("write_csv: na_rep: text without delimiter, quotes, line ends and outer white space expected, got %q"):format(na),
            data.write_csv, path, lt.ones(1), {na_rep = na})
    end
  end)
end)
