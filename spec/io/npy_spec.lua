local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local shell = require "spec.support.shell"

local fails = helpers.fails

local path = os.tmpname()

local function write(bytes)
  local f = assert(io.open(path, "wb"))
  f:write(bytes)
  f:close()
end

local function read()
  local f = assert(io.open(path, "rb"))
  local bytes = f:read "a"
  f:close()
  return bytes
end

-- Returns the bytes of a file that NumPy writes: version 1, the header padded to a multiple of 64 bytes.
local function npy(descr, fortran, shape, data)
  local text = ("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }"):format(descr, fortran, shape)
  text = text .. (" "):rep(-(10 + #text + 1) % 64) .. "\n"
  return "\x93NUMPY\1\0" .. string.pack("<s2", text) .. data
end

local function loads(bytes, dtype, shape, values)
  write(bytes)
  local x = lt.load(path)
  assert.equal(dtype, x.dtype)
  assert.equal(shape, tostring(x.shape))
  assert.same(values, x:totable())
  assert.is_true(x:is_contiguous())
end

local function refuses(message, bytes)
  write(bytes)
  local ok, text = pcall(lt.load, path)
  assert.is_false(ok)
  assert.equal("load: " .. path .. ": " .. message, (text:gsub("^[^:]+:%d+: ", "")))
end

teardown(function() os.remove(path) end)

describe("save", function()
  it("writes what NumPy writes", function()
    lt.save(path, lt.tensor({{1, 2, 3}, {4, 5, 6}}, {dtype = "int16"}))
    assert.equal(npy("<i2", "False", "(2, 3)", string.pack("<i2i2i2i2i2i2", 1, 2, 3, 4, 5, 6)), read())
    lt.save(path, lt.tensor({0.5, -1}, {dtype = "float64"}))
    assert.equal(npy("<f8", "False", "(2,)", string.pack("<dd", 0.5, -1)), read())
    lt.save(path, lt.tensor(true))
    assert.equal(npy("|b1", "False", "()", "\1"), read())
    lt.save(path, lt.zeros(0, 3, {dtype = "uint8"}))
    assert.equal(npy("|u1", "False", "(0, 3)", ""), read())
    lt.save(path, lt.ones(1, {dtype = "float16"}))
    assert.equal(npy("<f2", "False", "(1,)", "\0\60"), read())
  end)
  it("follows any layout", function()
    lt.save(path, lt.tensor({{1, 2}, {3, 4}}, {dtype = "int8"}).T)
    assert.equal(npy("|i1", "False", "(2, 2)", "\1\3\2\4"), read())
  end)
  it("is read back, every dtype, more than one chunk", function()
    for _, dtype in ipairs{"bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64",
                           "float16", "float32", "float64"} do
      local x = lt.arange(70):reshape(2, 5, 7):to(dtype)
      lt.save(path, x)
      local y = lt.load(path)
      assert.equal(dtype, y.dtype)
      assert.equal("[2, 5, 7]", tostring(y.shape))
      assert.equal(x:to_bytes(), y:to_bytes())
    end
    local x = lt.arange(100003, {dtype = "float64"})
    lt.save(path, x)
    assert.equal(x:to_bytes(), lt.load(path):to_bytes())
  end)
  it("replaces a file in full or not at all", function()
    write "before"
    fails('save: NumPy has no bfloat16; use x:to("float32")', lt.save, path, lt.zeros(2, {dtype = "bfloat16"}))
    fails("save: the value is nil; tensors, numbers, strings, booleans, modules, optimisers, generators and tables of these are saved",
          lt.save, path, nil)
    assert.equal("before", read())
    lt.save(path, lt.zeros(2))
    assert.equal(128 + 8, #read())
  end)
  it("refuses paths that cannot be written", function()
    fails("save: /nowhere/x.npy: No such file or directory", lt.save, "/nowhere/x.npy", lt.zeros(1))
    fails("save: /tmp: Is a directory", lt.save, "/tmp", lt.zeros(1))
    fails("save: path expected, got number", lt.save, 1, lt.zeros(1))
    fails("save: a path with a zero byte", lt.save, "a\0b", lt.zeros(1))
  end)
  it("leaves no temporary file", function()
    local folder = shell.folder()              -- other processes may write in the folder of `path`
    lt.save(folder .. "/x.npy", lt.zeros(2))
    assert.has_error(function() lt.save(folder .. "/x.npy", print) end)
    assert.equal("x.npy\n", shell.passes("ls -A " .. folder))
    shell.passes("rm -r " .. folder)
  end)
  it("writes to what is no plain file", function()
    lt.save("/dev/null", lt.zeros(3))
    fails("load: /dev/null: not a plain file", lt.load, "/dev/null")
    local f = io.open("/dev/full")
    if not f then return pending("no /dev/full here") end
    f:close()
    fails("save: /dev/full: No space left on device", lt.save, "/dev/full", lt.zeros(1 << 20))
  end)
end)

describe("load", function()
  local six = string.pack("<i4i4i4i4i4i4", 1, 2, 3, 4, 5, 6)
  it("reads every version", function()
    loads(npy("<i4", "False", "(2, 3)", six), "int32", "[2, 3]", {{1, 2, 3}, {4, 5, 6}})
    local text = "{'descr': '<i4', 'fortran_order': False, 'shape': (6,), }\n"
    loads("\x93NUMPY\2\0" .. string.pack("<s4", text) .. six, "int32", "[6]", {1, 2, 3, 4, 5, 6})
    loads("\x93NUMPY\3\0" .. string.pack("<s4", text) .. six, "int32", "[6]", {1, 2, 3, 4, 5, 6})
  end)
  it("reads either byte order", function()
    loads(npy(">i4", "False", "(2,)", string.pack(">i4i4", 1, -2)), "int32", "[2]", {1, -2})
    loads(npy(">f8", "False", "()", string.pack(">d", 0.1)), "float64", "[]", 0.1)
    loads(npy(">u1", "False", "(2,)", "\1\2"), "uint8", "[2]", {1, 2})
    loads(npy("=i2", "False", "(1,)", string.pack("=i2", 5)), "int16", "[1]", {5})
  end)
  it("reads Fortran order", function()
    loads(npy("<i4", "True", "(2, 3)", six), "int32", "[2, 3]", {{1, 3, 5}, {2, 4, 6}})
    loads(npy("<i4", "True", "(1, 2, 3)", six), "int32", "[1, 2, 3]", {{{1, 3, 5}, {2, 4, 6}}})
    loads(npy("<i4", "True", "(6,)", six), "int32", "[6]", {1, 2, 3, 4, 5, 6})
  end)
  it("reads headers that are written otherwise", function()
    local text = '{"shape":(2L , 3),"descr" : "<i4","fortran_order":False}'
    loads("\x93NUMPY\1\0" .. string.pack("<s2", text) .. six, "int32", "[2, 3]", {{1, 2, 3}, {4, 5, 6}})
    loads(npy("|b1", "False", "(3,)", "\0\1\7"), "bool", "[3]", {false, true, true})
  end)
  it("reads complex numbers", function()
    local bytes = ("<ffff"):pack(1, -2, 0.5, 4)
    loads(npy("<c8", "False", "(2,)", bytes), "complex64", "[2]", {{1, -2}, {0.5, 4}})
    loads(npy("<c16", "False", "(1,)", ("<dd"):pack(1, -2)), "complex128", "[1]", {{1, -2}})
  end)
  it("refuses files of another kind", function()
    refuses("no file of a known format: .npy, .npz, .safetensors, PNG, JPEG, Netpbm", "")
    refuses("no file of a known format: .npy, .npz, .safetensors, PNG, JPEG, Netpbm", "\x93NUMPY\1\0")
    refuses("no file of a known format: .npy, .npz, .safetensors, PNG, JPEG, Netpbm", "GIF89a and so on, an image")
    refuses("truncated: an archive without its directory", "PK\3\4 and so on")
    refuses("a .npy version that is not 1.0, 2.0 or 3.0", "\x93NUMPY\4\0" .. ("x"):rep(20))
  end)
  it("refuses dtypes it does not know", function()
    refuses("Python objects, which are not supported: |O", npy("|O", "False", "(2,)", ""))
    refuses("a dtype that is not supported: <c32", npy("<c32", "False", "(2,)", ""))
    refuses("a dtype that is not supported: <U3", npy("<U3", "False", "(2,)", ""))
    refuses("a dtype that is not supported: <f16", npy("<f16", "False", "(2,)", ""))
    refuses("a dtype that is not supported: <f", npy("<f", "False", "(2,)", ""))
    refuses("a dtype that is not supported: f4", npy("f4", "False", "(2,)", ""))
    refuses("a structured dtype, which is not supported: <f9999999999999",
            npy("<f99999999999999999999", "False", "(2,)", ""))
    local structured = "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }"
    refuses("a structured dtype, which is not supported", "\x93NUMPY\1\0" .. string.pack("<s2", structured))
  end)
  it("refuses truncated and overlong files", function()
    local whole = npy("<i4", "False", "(2, 3)", six)
    refuses("truncated: shape [2, 3] of int32 takes 24 bytes, the file has 23", whole:sub(1, -2))
    refuses("too long: shape [2, 3] of int32 takes 24 bytes, the file has 25", whole .. "x")
    refuses("truncated in the header", whole:sub(1, 100))
    refuses("truncated in the header", "\x93NUMPY\2\0\1\0")
    refuses("a header that is far too long", "\x93NUMPY\2\0\255\255\255\127")
  end)
  it("refuses shapes that do not fit", function()
    refuses("a shape whose size does not fit", npy("<i4", "False", "(4611686018427387904, 4)", ""))
    refuses("a size that is no number, or too large", npy("<i4", "False", "(92233720368547758080,)", ""))
    refuses("a size that is no number, or too large", npy("<i4", "False", "(-1,)", ""))
    refuses("more than 16 dims", npy("<i4", "False", "(" .. ("1, "):rep(17) .. ")", six:sub(1, 4)))
    refuses("truncated: shape [1099511627776] of int32 takes 4398046511104 bytes, the file has 4",
            npy("<i4", "False", "(1099511627776,)", "1234"))
  end)
  it("survives any damage of the header", function()
    local whole = npy("<i4", "False", "(2, 3)", six)
    for i = 1, 138 do
      for _, c in ipairs{"'", "(", "9", "\255"} do
        write(whole:sub(1, i - 1) .. c .. whole:sub(i + 1))
        local ok, result = pcall(lt.load, path)
        assert.is_true(ok and lt.is_tensor(result) or type(result) == "string")
      end
      write(whole:sub(1, i))
      pcall(lt.load, path)
    end
  end)
  it("refuses what is not there", function()
    fails("load: /nowhere/x.npy: No such file or directory", lt.load, "/nowhere/x.npy")
    fails("load: /tmp: not a plain file", lt.load, "/tmp")
    fails("load: path expected, got nil", lt.load)
    fails('load: unknown option "mmap"; known: device, metadata, mode', lt.load, path, {mmap = true})
  end)
end)

describe("NumPy itself", function()
  local python = os.getenv "PYTHON" or "python3"
  local function numpy(script)
    return os.execute(("%s -c \"import numpy as np; p = '%s'; %s\" 2>/dev/null"):format(python, path, script))
  end
  it("reads what we write, and we what it writes", function()
    if not numpy "pass" then return pending("no NumPy here") end
    lt.save(path, lt.arange(12, {dtype = "float32"}):reshape(3, 4).T)
    assert.is_true(numpy "a = np.load(p); assert (a == np.arange(12, dtype='f4').reshape(3, 4).T).all()")
    assert.is_true(numpy "np.save(open(p, 'wb'), np.asfortranarray(np.arange(6, dtype='>u2').reshape(2, 3)))")
    local x = lt.load(path)
    assert.equal("uint16", x.dtype)
    assert.same({{0, 1, 2}, {3, 4, 5}}, x:totable())
  end)
end)
