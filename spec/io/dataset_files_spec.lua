-- Tests the readers of data set files: IDX, separated values, and files packed by gzip.
local lt = require "luatensor"
local data = require "luatensor.data"
local helpers = require "spec.support.helpers"
local shell = require "spec.support.shell"

local fails, holds = helpers.fails, helpers.holds

local path
setup(function() path = os.tmpname() end)
teardown(function() os.remove(path) end)

-- Packs bytes by gzip.
local function gzip(bytes)
  local plain = os.tmpname()
  shell.write(plain, bytes)
  local pipe <close> = io.popen("gzip -nc9 " .. plain)
  local packed = pipe:read "a"
  os.remove(plain)
  return packed
end

local function idx(kind, dims, elements)
  return ("BBBB"):pack(0, 0, kind, #dims) .. (">" .. ("I4"):rep(#dims)):pack(table.unpack(dims)) .. elements
end

local function reads_idx(bytes, options)
  shell.write(path, bytes)
  return data.read_idx(path, options)
end

local function refuses_idx(message, bytes)
  shell.write(path, bytes)
  fails("read_idx: " .. path .. ": " .. message, data.read_idx, path)
end

local function csv(text, options)
  shell.write(path, text)
  return data.read_csv(path, options)
end

local function refuses_csv(message, text, options)
  shell.write(path, text)
  fails("read_csv: " .. path .. ": " .. message, data.read_csv, path, options)
end

describe("an IDX file", function()
  it("is read, every type, big endian", function()
    for kind, row in pairs{[0x08] = {"uint8", "BBB", 0, 7, 255}, [0x09] = {"int8", "bbb", -128, 7, 127}, [0x0b] = {"int16", ">hhh", -2, 256, 3},
                           [0x0c] = {"int32", ">i4i4i4", -2, 65536, 3}, [0x0d] = {"float32", ">fff", -2, 0.5, 3}, [0x0e] = {"float64", ">ddd", -2, 0.1, 3}} do
      local x = reads_idx(idx(kind, {3}, row[2]:pack(row[3], row[4], row[5])))
      assert.equal(row[1], x.dtype)
      assert.same({row[3], row[4], row[5]}, x:totable())
    end
  end)

  it("has any shape", function()
    holds(reads_idx(idx(8, {2, 3}, "\1\2\3\4\5\6")), "[2, 3]", {{1, 2, 3}, {4, 5, 6}})
    holds(reads_idx(idx(8, {}, "\9")), "[]", 9)
    holds(reads_idx(idx(8, {0, 4}, "")), "[0, 4]", {})
    local x = reads_idx(idx(8, {2}, "\1\2"), {dtype = "float64", device = "cpu"})
    assert.same({"float64", "cpu"}, {x.dtype, x.device})
    local many = ("abcdefg"):rep(60000)
    assert.equal(many, reads_idx(idx(8, {60000, 7}, many)):to_bytes())
  end)

  it("may be packed by gzip, also in several parts and with zeros behind", function()
    local whole = idx(0x0b, {300, 100}, (">i2"):pack(-7):rep(30000))
    local packed = gzip(whole)
    assert.equal(-7 * 30000, reads_idx(packed):to("int64"):sum():item())
    assert.equal(-7 * 30000, reads_idx(gzip(whole:sub(1, 1000)) .. gzip(whole:sub(1001)) .. ("\0"):rep(100)):to("int64"):sum():item())
    refuses_idx("something else follows the gzip data", packed .. "x")
  end)

  it("is refused at each length but its own", function()
    local whole = idx(0x0c, {2, 2}, (">i4i4i4i4"):pack(1, 2, 3, 4))
    local packed = gzip(whole)
    for _, bytes in ipairs{whole, packed} do
      for n = 0, #bytes - 1 do
        shell.write(path, bytes:sub(1, n))
        local message = helpers.message_of(data.read_idx, path)
        assert.truthy(message and message:find("^read_idx: .*: [%w][^\n]*$"), n .. ": " .. tostring(message))
      end
    end
    refuses_idx("truncated: shape [2, 2] of int32 takes 16 bytes, the file has 15", whole:sub(1, -2))
    refuses_idx("too long: shape [2, 2] of int32 takes 16 bytes, the file has 17", whole .. "x")
    refuses_idx("truncated: its gzip data end early", packed:sub(1, -2))
    refuses_idx("truncated", gzip(whole:sub(1, -2)))
    refuses_idx("too long: elements follow that its shape does not name", gzip(whole .. "x"))
  end)

  it("is refused where a byte is wrong", function()
    local packed = gzip(idx(8, {50}, ("abcde"):rep(10)))
    local refused = 0
    for i = 1, #packed do
      local other = string.char(packed:byte(i) ~ 0x55)
      shell.write(path, packed:sub(1, i - 1) .. other .. packed:sub(i + 1))
      local ok, result = pcall(data.read_idx, path)
      if not ok then refused = refused + 1 end
      assert.is_true(ok or type(result) == "string" and result:find("read_idx: ", 1, true) ~= nil, tostring(result))
    end
    -- Six bytes of gzip's header (time, operating system and compression level) may have any value. Changes of these
    -- bytes are not noticed.
    assert.is_true(refused >= #packed - 6)
    refuses_idx("gzip data is damaged: incorrect data check", packed:sub(1, -9) .. "1234" .. packed:sub(-4))
  end)

  it("claims no more than it can hold", function()
    refuses_idx("a shape whose size does not fit", idx(8, {0xffffffff, 0xffffffff}, ""))
    refuses_idx("truncated: shape [1000000000, 1000] of uint8 takes 1000000000000 bytes, the file has 0", idx(8, {1000000000, 1000}, ""))
    local bomb = gzip(idx(8, {1000000000, 1000}, ("\0"):rep(100000)))
    refuses_idx(("truncated: shape [1000000000, 1000] of uint8 takes 1000000000000 bytes, the file has at most %d"):format(#bomb * 1032 - 12), bomb)
  end)

  it("of another kind is refused", function()
    refuses_idx("not an IDX file", "")
    refuses_idx("not an IDX file", "\0\0\8")
    refuses_idx("not an IDX file", "GIF89a and so on")
    refuses_idx("no type of an IDX file: 10", idx(0x0a, {1}, "x"))
    refuses_idx("more than 16 dims: 17", ("BBBB"):pack(0, 0, 8, 17))
    refuses_idx("truncated in the header", ("BBBB"):pack(0, 0, 8, 2) .. "\0\0\0\1")
    fails("read_idx: /nowhere: No such file or directory", data.read_idx, "/nowhere")
    fails("read_idx: /tmp: not a plain file", data.read_idx, "/tmp")
    fails("read_idx: path expected, got nil", data.read_idx)
    fails('read_idx: unknown option "type"; known: device, dtype; did you mean "dtype"?', data.read_idx, path, {type = 1})
  end)
end)

describe("MNIST", function()
  local folder
  setup(function()
    folder = shell.folder()
    shell.write(folder .. "/train-images-idx3-ubyte", idx(8, {3, 2, 2}, ("\0\51\102\255"):rep(3)))
    shell.write(folder .. "/train-labels.idx1-ubyte", idx(8, {3}, "\0\9\5"))
    shell.write(folder .. "/t10k-images-idx3-ubyte.gz", gzip(idx(8, {1, 2, 2}, "\255\0\0\0")))
    shell.write(folder .. "/t10k-labels-idx1-ubyte.gz", gzip(idx(8, {1}, "\7")))
  end)
  teardown(function() shell.passes("LD_PRELOAD= rm -r " .. folder) end)

  it("is two data sets", function()
    local train, test = data.mnist(folder)
    assert.equal("TensorDataset: [3, 4] float32, [3] int64", tostring(train))
    assert.equal("TensorDataset: [1, 4] float32, [1] int64", tostring(test))
    local x, y = train:all()
    assert.same({1, 10, 6}, y:totable())
    helpers.holds((x * 5):round(), "[3, 4]", {{0, 1, 2, 5}, {0, 1, 2, 5}, {0, 1, 2, 5}})
    train = data.mnist(folder, {image = true, dtype = "float64"})
    assert.equal("TensorDataset: [3, 1, 2, 2] float64, [3] int64", tostring(train))
  end)

  it("is refused where files are missing or do not fit", function()
    fails("mnist: no train-images-idx3-ubyte or train-images-idx3-ubyte.gz in /nowhere", data.mnist, "/nowhere")
    fails("mnist: folder expected, got nil", data.mnist)
    shell.write(folder .. "/t10k-labels-idx1-ubyte", idx(8, {2}, "\7\1"))
    fails("mnist: " .. folder .. ": 1 test images have 2 labels", data.mnist, folder)
    shell.write(folder .. "/t10k-labels-idx1-ubyte", idx(9, {1}, "\7"))
    fails("mnist: " .. folder .. "/t10k-labels-idx1-ubyte: 1 dims of uint8 expected, got [1] of int8", data.mnist, folder)
  end)
end)

describe("separated values", function()
  it("are numbers in rows", function()
    local x = csv "1,2.5,-3\n4,5e1,+.5\n"
    holds(x, "[2, 3]", {{1, 2.5, -3}, {4, 50, 0.5}})
    assert.same({"float32", helpers.device}, {x.dtype, x.device})
    holds(csv "1", "[1, 1]", {{1}})
    holds(csv "1,2\r\n\r\n  \n 3 ,\t4 \r\n", "[2, 2]", {{1, 2}, {3, 4}})
    holds(csv("1;2\n3;4", {delimiter = ";"}), "[2, 2]", {{1, 2}, {3, 4}})
    holds(csv("1\t2\n3\t4", {delimiter = "\t"}), "[2, 2]", {{1, 2}, {3, 4}})
    holds(csv("\xef\xbb\xbf1,2\n"), "[1, 2]", {{1, 2}})
    holds(csv(gzip "1,2\n3,4\n"), "[2, 2]", {{1, 2}, {3, 4}})
  end)

  it("are the nearest doubles", function()
    local texts = {"0.1", "-0.0", "1e22", "1e23", "123456789012345678", "9007199254740993", "2.2250738585072011e-308", "5e-324", "1.7976931348623157e308",
                   "0.000001", "3.", ".5", "00012", "1E5", "1e-7", "inf", "-inf", "1234567890.123456789", "0.30000000000000004", "12345678901234567890123"}
    local x = csv(table.concat(texts, "\n"), {dtype = "float64"})
    for i, text in ipairs(texts) do
      local want = tonumber(text) or (text == "inf" and math.huge or -math.huge)
      assert.equal(("%a"):format(want * 1.0), ("%a"):format(x[{i, 1}]:item()), text)
    end
    assert.is_true(csv("nan", {dtype = "float64"}):isnan():item())
  end)

  it("are exact integers, or refused", function()
    local x = csv("9223372036854775807,-9223372036854775808\n0,+7", {dtype = "int64"})
    holds(x, "[2, 2]", {{math.maxinteger, math.mininteger}, {0, 7}})
    holds(csv("255\n0", {dtype = "uint8"}), "[2, 1]", {{255}, {0}})
    refuses_csv('line 2, column 1: too large for the dtype: "256"', "255\n256", {dtype = "uint8"})
    refuses_csv('line 1, column 1: no integer: "1.0"', "1.0", {dtype = "int32"})
    refuses_csv('line 1, column 1: no integer: "9223372036854775808"', "9223372036854775808", {dtype = "int64"})
    refuses_csv('line 1, column 1: an empty field: ""', '"",', {dtype = "int64"})
  end)

  it("have quotes, names and lines before them", function()
    local text = "# a comment, \"unbalanced\nanother\n\"the, first\",second,\"thi\"\"rd\"\n\"1\",2, \"3\" \n4,5,6\n"
    holds(csv(text, {skip = 2, header = true}), "[2, 3]", {{1, 2, 3}, {4, 5, 6}})
    holds(csv(text, {skip = 2, header = true, columns = {'thi"rd', "the, first"}}), "[2, 2]", {{3, 1}, {6, 4}})
    holds(csv(text, {skip = 3, columns = {-1, 2}}), "[2, 2]", {{3, 2}, {6, 5}})
    holds(csv("a,b\n", {header = true}), "[0, 2]", {})
    holds(csv('a,"b\nc"\n1,2\n', {header = true, columns = {"b\nc"}}), "[1, 1]", {{2}})
  end)

  it("have a column of classes", function()
    local x, y, classes = csv("a,species,b\n1,setosa,2\n3,\"Iris, other\",4\n5,setosa,6", {header = true, labels = "species"})
    holds(x, "[3, 2]", {{1, 2}, {3, 4}, {5, 6}})
    holds(y, "[3]", {2, 1, 2})
    assert.same({"Iris, other", "setosa"}, classes)
    assert.equal("int64", y.dtype)
    x, y, classes = csv("10,1\n9,2\n10,3\n-1,4", {labels = 1})
    assert.same({{{1}, {2}, {3}, {4}}, {3, 2, 3, 1}, {"-1", "9", "10"}}, {x:totable(), y:totable(), classes})
    -- "5x" is no number, so the names are sorted as text
    classes = select(3, csv("1,57\n2,5x\n3,6\n4,58", {labels = 2}))
    assert.same({"57", "58", "5x", "6"}, classes)
    x, y, classes = csv("x\n", {header = true, labels = -1})
    assert.same({"[0, 0]", "[0]", {}}, {tostring(x.shape), tostring(y.shape), classes})
  end)

  it("of columns with one name are told apart by number only", function()
    local text = "a,b,a\n1,2,3\n4,5,6\n"
    holds(csv(text, {header = true}), "[2, 3]", {{1, 2, 3}, {4, 5, 6}})
    holds(csv(text, {header = true, columns = {"b", 3}}), "[2, 2]", {{2, 3}, {5, 6}})
    for _, what in ipairs {"columns", "labels"} do
      local message = select(2, pcall(csv, text, {header = true, [what] = what == "labels" and "a" or {"a"}}))
      assert.matches("read_csv: " .. what .. ': columns 1 and 3 of .* are named "a"; give the number of one$', message)
    end
  end)

  it("may be missing, where a number for them is given", function()
    refuses_csv('line 1, column 2: an empty field: ""; missing = 0/0 takes it as NaN', "1,,3")
    holds(csv("1,,3\n,,", {missing = -1}), "[2, 3]", {{1, -1, 3}, {-1, -1, -1}})
    assert.is_true(csv("1,", {missing = lt.nan})[{1, 2}]:isnan():item())
  end)

  it("that are none are refused with line and column", function()
    refuses_csv("no rows", "")
    refuses_csv("no rows", "\n\n  \n")
    local cure = "; data.read_table reads columns of text"
    refuses_csv('line 1, column 1: no number: "height"; header = true if the first row names the columns', "height,weight\n1,2")
    refuses_csv('line 1, column 1: no number: "red"' .. cure, "red,1\nblue,2")
    refuses_csv('line 1, column 1: no number: "-"' .. cure, "-,x\n1,2")
    refuses_csv("line 4: fields: 1, in the first row: 2", "1,2\n\n3,4\n5\n")
    refuses_csv("line 2: fields: 3, in the first row: 2", "1,2\n3,4,\n")
    refuses_csv('line 2, column 1: no number: "\n2"' .. cure, '1\n"\n2"\nx')
    refuses_csv('line 4, column 1: no number: "x"' .. cure, '"a\nb"\n1\nx', {header = true})
    for _, bad in ipairs{"1x", "0x10", "1e", "--1", ".", "-", "+", "1 2", "1.2.3", "e5", "nan(1)", "1,5x"} do
      assert.raises("^read_csv: .*: line 1, column %d: no number: ", csv, bad)
    end
    refuses_csv('line 1, column 1: no number: "' .. ("7x"):rep(22) .. '..."' .. cure, ("7x"):rep(300))
    refuses_csv('line 1, column 1: no number: "1?2"' .. cure, "1\0002")
    refuses_csv("line 2: a quote that does not end", '1\n"2\n3\n')
    refuses_csv("line 1: something follows a quoted field", '"1"2\n')
    refuses_csv("line 1: a quote inside of a field", '1"2"\n')
  end)

  it("longer than what is read at a time are whole", function()
    local rows = {}
    for i = 1, 60000 do rows[i] = ('%d,"%d"\n'):format(i, -i) end
    local x = csv(table.concat(rows), {dtype = "int64"})
    assert.equal("[60000, 2]", tostring(x.shape))
    assert.is_true(lt.equal_all(x[{{}, 1}], lt.range(1, 60000)))
    assert.is_true(lt.equal_all(x[{{}, 2}], -lt.range(1, 60000)))
    local wide = ("1.5,"):rep(200000) .. "2"
    assert.equal(300002, csv(wide .. "\n" .. wide):narrow(1, 1, 1):sum():item())
  end)

  it("take no wrong options", function()
    shell.write(path, "a,b\n1,2\n")
    local function refuses(message, options) fails("read_csv: " .. message, data.read_csv, path, options) end
    refuses('labels: "c" is a name, the file\'s columns have none: header = true?', {labels = "c"})
    refuses("labels: " .. path .. ' has no column "c"; its columns: a, b', {labels = "c", header = true})
    refuses("columns: " .. path .. " has no column 3 of 2", {columns = {1, 3}})
    refuses("columns: " .. path .. " has no column 0 of 2", {columns = {0}})
    refuses("columns: list of names or numbers expected, got number", {columns = 1})
    refuses('delimiter: one character that is in no number expected, got "--"', {delimiter = "--"})
    refuses('delimiter: one character that is in no number expected, got "."', {delimiter = "."})
    refuses("delimiter: one character that is in no number expected, got boolean", {delimiter = true})
    refuses("dtype: a float or integer dtype expected, got bool", {dtype = "bool"})
    refuses("missing: number expected, got string", {missing = "x"})
    refuses("skip: -1 is out of range", {skip = -1})
    fails("read_csv: /nowhere: No such file or directory", data.read_csv, "/nowhere")
  end)
end)
