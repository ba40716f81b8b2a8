-- Tests the readers of data set files: IDX, and files packed by gzip.
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
