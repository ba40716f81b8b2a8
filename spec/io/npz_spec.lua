-- Tests .npz archives: those of NumPy (spec/data/make_npz.py), those that lt.save writes, and damaged ones.
local lt = require "luatensor"
local npz = require "luatensor.io.npz"
local crc_of = require "spec.support.fuzz.crc"
local helpers = require "spec.support.helpers"
local shell = require "spec.support.shell"

local fails = helpers.fails

local path = os.tmpname()
local archive = path .. ".npz"
teardown(function()
  os.remove(path)
  os.remove(archive)
end)

-- Returns the bytes of an archive of stored entries. Each entry is {name, contents}, with fields that replace the right
-- values: method, flags, crc, packed, size, offset. `count` replaces the number of entries.
local function zip(entries, count)
  local parts, directory, at = {}, {}, 0
  for i, e in ipairs(entries) do
    local name, contents = e[1], e[2]
    local numbers = ("<I4I4I4"):pack(e.crc or crc_of(contents), e.packed or #contents, e.size or #contents)
    local head = ("<I2I2I2I4"):pack(20, e.flags or 0, e.method or 0, 0)
    parts[i] = "PK\3\4" .. head .. numbers .. ("<I2I2"):pack(#name, 0) .. name .. contents
    directory[i] = "PK\1\2\20\0" .. head .. numbers .. ("<I2I2I2I2I2I4I4"):pack(#name, 0, 0, 0, 0, 0, e.offset or at) .. name
    at = at + #parts[i]
  end
  local list = table.concat(directory)
  return table.concat(parts) .. list .. ("<c4I2I2I2I2I4I4I2"):pack("PK\5\6", 0, 0, count or #entries, count or #entries, #list, at, 0)
end

local function npy(shape, data)
  return "\x93NUMPY\1\0" .. ("<s2"):pack(("{'descr': '|u1', 'fortran_order': False, 'shape': %s, }\n"):format(shape)) .. data
end

local function loads(bytes)
  shell.write(path, bytes)
  return lt.load(path)
end

local function refuses(message, bytes)
  shell.write(path, bytes)
  fails("load: " .. path .. ": " .. message, lt.load, path)
end

describe("an archive of NumPy", function()
  for _, name in ipairs {"numpy", "numpy_deflated"} do
    it(name .. ".npz is read", function()
      local got = lt.load("spec/data/" .. name .. ".npz")
      local matrix = {{0, 0.5, 1}, {1.5, 2, 2.5}}
      local want = {
        matrix = {"float32", "[2, 3]", matrix}, columns = {"int64", "[2, 3]", {{0, 0, 1}, {1, 2, 2}}},
        swapped = {"float64", "[2, 3]", matrix}, number = {"float64", "[]", 2.5}, empty = {"uint8", "[0, 3]", {}},
        arr_0 = {"bool", "[2]", {true, false}}, ["größe/1"] = {"complex128", "[1]", {{1, 2}}},
      }
      for key, row in pairs(want) do
        local x = got[key]
        got[key] = nil
        assert.same(row, {x.dtype, tostring(x.shape), x:totable()}, key)
        assert.equal(helpers.device, x.device)
      end
      if got.long then
        for i, v in ipairs(got.long:totable()) do assert.equal((i - 1) // 100, v) end
        got.long = nil
      end
      assert.is_nil(next(got))
    end)
  end
end)

describe("lt.save of an archive", function()
  local x = lt.tensor({{1, 2}, {3, 4}}, {dtype = "uint8"})

  it("writes stored entries whose headers fit", function()
    lt.save(archive, {b = x, a = lt.tensor(true)})
    local bytes = shell.read(archive)
    lt.save(path, lt.tensor(true))
    local a = shell.read(path)
    lt.save(path, x)
    local b = shell.read(path)
    local function header(name, contents)
      return "PK\3\4" .. ("<I2I2I2I2I2I4I4I4I2I2"):pack(20, 0, 0, 0, 33, crc_of(contents), #contents, #contents, #name, 0) .. name
    end
    local whole = header("a.npy", a) .. a .. header("b.npy", b) .. b
    assert.equal(whole, bytes:sub(1, #whole))
    assert.equal(("<c4I2I2I2I2I4I4I2"):pack("PK\5\6", 0, 0, 2, 2, #bytes - #whole - 22, #whole, 0), bytes:sub(-22))
  end)

  it("is read back with every bit, whatever the sizes", function()
    local large = lt.arange(0, 100000):reshape(100, 1000).T
    local all = {large = large, half = lt.tensor({0.1, -1 / 0}, {dtype = "float16"}), ["a b/ü"] = x, none = lt.zeros(0, 3)}
    for _, limits in ipairs {{npz.LIMIT, npz.LIMIT_COUNT}, {0, 0}} do
      for _, compress in ipairs {false, true} do
        local limit, limit_count = npz.LIMIT, npz.LIMIT_COUNT
        npz.LIMIT, npz.LIMIT_COUNT = limits[1], limits[2]                    -- 0: all numbers are in fields of zip64
        local ok, why = pcall(lt.save, archive, all, {compress = compress})
        npz.LIMIT, npz.LIMIT_COUNT = limit, limit_count
        assert(ok, why)
        assert.is_true(#shell.read(archive) < 400000 == compress)
        local got = lt.load(archive)
        for name, t in pairs(all) do
          assert.equal(t.dtype .. tostring(t.shape), got[name].dtype .. tostring(got[name].shape))
          assert.equal(t:to_bytes(), got[name]:to_bytes())
          got[name] = nil
        end
        assert.is_nil(next(got))
      end
    end
  end)

  it("takes a network, and nothing at all", function()
    local model = lt.nn.Linear(2, 3)
    lt.save(archive, model)
    assert.same(model.weight:totable(), lt.load(archive).weight:totable())
    lt.save(archive, {})
    assert.same({}, lt.load(archive))
  end)

  it("takes tensors by name only", function()
    local function refused(message, ...) fails("save: " .. message, lt.save, archive, ...) end
    local words = archive .. ": an .npz file has tensors by name only, %s; other values are saved as .safetensors"
    refused(archive .. ": tensors by name expected, such as {x = x}, got tensor", x)
    refused(words:format "[1] is a tensor without a name", {x})
    refused(words:format "epoch is a number", {epoch = 3})
    refused(archive .. ': "a\\\nb" cannot be a name in an archive', {["a\nb"] = x})
    refused('NumPy has no bfloat16; use x:to("float32")', {x = lt.ones(1, {dtype = "bfloat16"})})
    refused(archive .. ": only .safetensors files have metadata", {x = x}, {metadata = {}})
    fails("save: " .. path .. ": option compress is for files that end in .npz", lt.save, path, {x = x}, {compress = true})
    fails("save: /nowhere/x.npz: No such file or directory", lt.save, "/nowhere/x.npz", {x = x})
  end)

  it("leaves the old file where it fails", function()
    lt.save(archive, {x = x})
    local before = shell.read(archive)
    assert.is_false((pcall(lt.save, archive, {a = x, b = lt.ones(1, {dtype = "bfloat16"})})))
    assert.equal(before, shell.read(archive))
  end)
end)

describe("an archive that is wrong", function()
  local x = npy("(3,)", "\1\2\3")

  it("is refused, and one that is right is not", function()
    assert.same({1, 2, 3}, loads(zip {{"x.npy", x}}).x:totable())
    local comment = zip({{"x.npy", x}}):sub(1, -3) .. ("<s2"):pack "a comment, PK\5\6"
    assert.same({1, 2, 3}, loads(comment).x:totable())
    refuses('its entry "x.txt" is no .npy file', zip {{"x.txt", "text"}})
    refuses('"x.npy" is encrypted', zip {{"x.npy", x, flags = 1}})
    refuses('"x.npy" is compressed by method 12; stored and deflated entries are read', zip {{"x.npy", x, method = 12}})
    refuses('two entries are named "x.npy"', zip {{"x.npy", x}, {"x.npy", x}})
    refuses("the directory of the archive is damaged", zip({{"x.npy", x}}, 2))
    refuses("x.npy: damaged: its CRC-32 is not that of its contents", zip {{"x.npy", x, crc = 5}})
    refuses("x.npy: no file of a known format: .npy, .npz, .safetensors, PNG, JPEG, Netpbm", zip {{"x.npy", "text of a file"}})
    refuses("x.npy: Python objects, which are not supported: |O", zip {{"x.npy", (x:gsub("|u1", "|O"))}})
    refuses("x.npy: truncated: shape [3] of uint8 takes 3 bytes, the file has 2", zip {{"x.npy", npy("(3,)", "12")}})
    refuses("x.npy: too long: shape [3] of uint8 takes 3 bytes, the file has 4", zip {{"x.npy", npy("(3,)", "1234")}})
    refuses('damaged: "y.npy" has another name in its header', (zip({{"x.npy", x}}):gsub("^(.*)x%.npy", "%1y.npy")))
    refuses('"x.npy" has no header in the archive', zip {{"x.npy", x, offset = 3}})
    refuses("x.npy: deflated data is damaged: invalid block type", zip {{"x.npy", "\7" .. x, method = 8}})
    refuses("x.npy: truncated: its deflated data end early", zip {{"x.npy", "\3\0" .. x, method = 8}})
  end)

  it("cannot make much of little", function()
    refuses(("%q: %d bytes cannot be of %d bytes in the archive"):format("x.npy", 1032 * #x + 1, #x),
            zip {{"x.npy", x, method = 8, size = 1032 * #x + 1}})
    refuses(("%q: %d bytes cannot be of %d bytes in the archive"):format("x.npy", 5, #x), zip {{"x.npy", x, size = 5}})
    refuses('"x.npy" and "y.npy" share bytes of the archive', zip {{"x.npy", x}, {"y.npy", x, offset = 0}})
    refuses('truncated: "x.npy" ends after the archive', zip {{"x.npy", x, packed = 10000, size = 10000}})
  end)

  it("is refused at each length but its own, and with each byte changed", function()
    local whole = zip {{"x.npy", x}, {"y.npy", npy("(2,)", "\1\2")}}
    for n = 0, #whole - 1 do
      shell.write(path, whole:sub(1, n))
      local message = helpers.message_of(lt.load, path)
      assert.truthy(message and message:find('^load: .*: [%w"][^\n]*$'), n .. ": " .. tostring(message))
    end
    for n = 1, #whole do
      shell.write(path, whole:sub(1, n - 1) .. string.char(whole:byte(n) ~ 0x20) .. whole:sub(n + 1))
      local ok, got = pcall(lt.load, path)                       -- a date, a version or a name may be changed
      if ok then
        for _, t in pairs(got) do assert.equal(1, t:to_bytes():find "^\1\2\3?$") end
      end
    end
  end)
end)
