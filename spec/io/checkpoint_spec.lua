-- Tests lt.save and lt.load of values other than a single tensor, in .safetensors files.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local json = require "luatensor.io.json"
local shell = require "spec.support.shell"

local fails, holds = helpers.fails, helpers.holds

local path
setup(function() path = os.tmpname() end)
teardown(function() os.remove(path) end)

local function saved(value, options)
  lt.save(path, value, options)
  return shell.read(path)
end

local function again(value)
  lt.save(path, value)
  return lt.load(path)
end

-- Returns the bytes of a file from the header's text and the bytes of the elements.
local function file(header, elements) return ("<s8"):pack(header) .. (elements or "") end

local function loads(bytes, options)
  shell.write(path, bytes)
  return lt.load(path, options)
end

local function refuses(message, bytes)
  shell.write(path, bytes)
  fails("load: " .. path .. ": " .. message, lt.load, path)
end

local function float32(list) return lt.tensor(list, {dtype = "float32"}) end

-- Returns a text that represents a value. The text distinguishes integers from floats, and dtypes of tensors.
local function show(v)
  if lt.is_tensor(v) then return v.dtype .. show(v:totable()) end
  if type(v) ~= "table" then return math.type(v) == "float" and v ~= v and "nan" or ("%q"):format(v) end
  local parts = {}
  for key, value in pairs(v) do parts[#parts + 1] = show(key) .. "=" .. show(value) end
  table.sort(parts)
  return "{" .. table.concat(parts, ",") .. "}"
end

describe("a .safetensors file", function()
  local expected = '{"b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"a":{"dtype":"U8","shape":[1,1],"data_offsets":[8,9]}}'

  it("is what the format says, byte by byte", function()
    local bytes = saved{a = lt.tensor({{7}}, {dtype = "uint8"}), b = float32{1, -2}}
    local padded = expected .. (" "):rep(-#expected % 8)
    assert.equal(file(padded, ("<ffB"):pack(1, -2, 7)), bytes)
  end)

  it("is read, tensors by name", function()
    local t = loads(file(expected, ("<ffB"):pack(1, -2, 7)))
    holds(t.a, "[1, 1]", {{7}})
    holds(t.b, "[2]", {1, -2})
    assert.same({"uint8", "float32"}, {t.a.dtype, t.b.dtype})
    assert.equal(helpers.device, t.a.device)
    assert.equal("cpu", lt.load(path, {device = "cpu"}).b.device)
  end)

  it("is what Python writes, every dtype, and Python's is read", function()
    local bytes = shell.read "spec/data/python.safetensors"
    local t, metadata = lt.load("spec/data/python.safetensors", {metadata = true})
    assert.same({["made by"] = "Python"}, metadata)
    for _, dtype in ipairs{"float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8"} do
      assert.equal(dtype, t["of " .. dtype].dtype)
      holds(t["of " .. dtype], "[2, 3]", {{0, 1, 2}, {3, 4, 5}})
    end
    holds(t["of bool"], "[2, 3]", {{true, false, true}, {true, false, true}})
    holds(t["of bfloat16"]:to("float32"), "[2]", {1, -3})
    assert.equal(("<ffff"):pack(1, -2, 0.5, 4), t["of complex64"]:to_bytes())
    assert.equal("[0, 3]", tostring(t.empty.shape))
    assert.equal(2.5, t.number:item())
    holds(t['übung "7"\n'], "[1]", {7})
    assert.equal(bytes, saved(t, {metadata = metadata}))
  end)

  it("takes any layout, and more than one chunk", function()
    holds(again{x = float32{{1, 2}, {3, 4}}.T}.x, "[2, 2]", {{1, 3}, {2, 4}})
    local x = lt.arange(200003, {dtype = "float64"})
    assert.equal(x:to_bytes(), again{x = x, y = x[{{1, 5}}]}.x:to_bytes())
  end)
end)

describe("training", function()
  local data = require "luatensor.data"

  local function run()
    lt.manual_seed(4)
    local model = lt.nn.Sequential(lt.nn.Linear(2, 3), lt.nn.Linear(3, 1))
    local ds = data.TensorDataset(lt.rand(20, 2), lt.rand(20, 1))
    local optimizer = lt.optim.AdamW(model:parameters(), {lr = 0.01})
    return {model = model, optimizer = optimizer, loader = data.Loader(ds, {batch_size = 6, shuffle = true})}
  end

  -- Trains r.model for the rest of an epoch, and saves the run r after step `save_at`. Appends the losses to
  -- `losses`.
  local function epoch(r, losses, save_at)
    local step = 0
    for x, y in r.loader:batches() do
      local loss = (r.model(x) + lt.rand(1) * 0.1 - y):square():mean()
      r.optimizer:zero_grad()
      loss:backward()
      r.optimizer:step()
      losses[#losses + 1] = loss:item()
      step = step + 1
      if step == save_at then
        lt.save(path, {model = r.model, optimizer = r.optimizer, loader = r.loader, generator = lt.default_generator()})
      end
    end
  end

  local function resumed()
    local saved_run, r = lt.load(path), run()
    r.model:load_state_dict(saved_run.model)
    r.optimizer:load_state_dict(saved_run.optimizer)
    r.loader:load_state_dict(saved_run.loader)
    lt.default_generator():set_state(saved_run.generator)
    return r
  end

  it("goes on exactly where it was saved, within an epoch or at its end", function()
    for _, save_at in ipairs{1, 3, 4} do
      local r, losses = run(), {}
      epoch(r, {})
      epoch(r, losses, save_at)
      epoch(r, losses)
      local again_losses = {}
      r = resumed()
      epoch(r, again_losses)
      epoch(r, again_losses)
      assert.same(table.move(losses, save_at + 1, #losses, 1, {}), again_losses)
    end
  end)
end)

describe("what is saved", function()
  it("is a network by its state's names", function()
    local model = lt.nn.Sequential(lt.nn.Linear(3, 4), lt.nn.Linear(4, 2))
    local t = again(model)
    local state = model:state_dict()
    for name, x in pairs(state) do assert.same(x:totable(), t[name]:totable()) end
    assert.same({}, (function() for name in pairs(t) do if not state[name] then return {name} end end return {} end)())
    local other = lt.nn.Sequential(lt.nn.Linear(3, 4), lt.nn.Linear(4, 2))
    other:load_state_dict(t)
    local x = lt.rand(2, 3)
    assert.same(model(x):totable(), other(x):totable())
    -- the file has only plain names, so that other programs can read it without luatensor's metadata
    assert.is_nil(shell.read(path):find("luatensor", 1, true))
  end)

  it("are tables of tables, their keys and types as they were", function()
    local value = {
      epoch = 3, rate = 3.0, small = 5e-324, tenth = 0.1, third = 1 / 3, zero = -0.0, most = math.maxinteger, least = math.mininteger,
      inf = math.huge, minus = -math.huge, nan = 0 / 0, yes = true, no = false,
      text = "line\n\"quoted\" \\ \127 \1 Ü 🙂", bytes = "\255\0\128", empty = {}, none = "",
      list = {1, "two", {3}, {}}, holes = {[2] = "b", [4] = "d"}, both = {1, x = 2}, zero_based = {[0] = "a", "b"},
      ["$name"] = 1, ["with.dot"] = {a = 1}, ["1"] = "string key", [1] = "integer key", ["\255"] = "bytes", ["__metadata__"] = 0,
      tensors = {{w = float32{1, 2}}, {w = float32{3}}},
    }
    assert.equal(show(value), show(again(value)))
    assert.equal(show{}, show(again{}))
    assert.equal("float", math.type(again{1.0}[1]))
    assert.equal("-0x0p+0", ("%a"):format(again{-0.0}[1]))
    assert.equal(17, again(17))
  end)

  it("are tensors whose names meet", function()
    local value = {["a.b"] = float32{1}, a = {b = float32{2}}, ["__metadata__"] = float32{3}, [""] = float32{4}, ["\255"] = float32{5}, ["?"] = float32{6},
                   m = {__metadata__ = float32{7}}}
    assert.equal(show(value), show(again(value)))
    assert.equal(show{__metadata__ = float32{1}}, show(again{__metadata__ = float32{1}}))
  end)

  it("is one tensor in several places", function()
    local x = float32{1, 2}
    assert.equal(show{a = {x, x}, b = x}, show(again{a = {x, x}, b = x}))
  end)

  it("are generators, and what has a state", function()
    local g = lt.generator{seed = 7}
    lt.rand(10, {generator = g})
    local state = again{g = g}.g
    assert.same(g:state(), state)
    local expected = lt.rand(5, {generator = g}):totable()
    assert.same(expected, lt.rand(5, {generator = lt.generator{seed = 1}:set_state(state)}):totable())
    local own = {load_state_dict = print, state_dict = function(self) return {n = self.n} end, n = 5}
    assert.same({5, {n = 5}}, {again(own).n, again{own}[1]})
  end)

  it("goes as deep as it may", function()
    local deep = {}
    for i = 1, 29 do deep = i % 2 == 0 and {deep} or {[-1] = deep} end
    assert.equal(show(deep), show(again(deep)))
    assert.raises("^save: .*%.%-1: more than 30 tables within each other$", lt.save, path, {[-1] = deep})
  end)

  it("is refused in words where it cannot be", function()
    local before = saved{x = float32{1}}
    local words = "; tensors, numbers, strings, booleans, modules, optimisers, generators and tables of these are saved"
    fails("save: the value is nil" .. words, lt.save, path)
    fails("save: a.2.f is a function" .. words, lt.save, path, {a = {1, {f = print}}})
    fails("save: the table: a key is a boolean; strings and integers are saved", lt.save, path, {[true] = 1})
    fails("save: a: a key is the float 0.5; strings and integers are saved", lt.save, path, {a = {[0.5] = 1}})
    local circle = {}
    circle.a = {circle, circle}
    fails("save: z.a.1 is inside of itself", lt.save, path, {z = circle})
    fails('save: z is complex128, which the format lacks; use x:to("complex64")', lt.save, path, {z = lt.zeros(1, {dtype = "complex128"})})
    local gone = float32{1}
    gone:free()
    fails("save: x: this tensor was freed", lt.save, path, {x = gone})
    fails("save: a.safetensors: a tensor alone is saved as .npy; in such a file it has a name: {name = x}", lt.save, "a.safetensors", float32{1})
    for _, name in ipairs {"a.pt", "b.PTH", "a.txt", "a.csv", "x/a.Json", "a.GIF", "a.bmp", "a.pkl", "a.h5", "a.bin",
                           "a.ckpt", "a.TH", "a.webp", "a.jp2", "a.heic", "a.avif", "a.jpe", "a.jfif", "a.ico", "a.hdr"} do
      for _, value in ipairs {float32{1}, {}} do
        fails(("save: %s: no %s file is written; a tensor alone is saved as .npy, all else as .safetensors"):format(name,
              name:lower():match "%w+$"), lt.save, name, value)
      end
    end
    fails("save: a.npy: an .npy file holds one tensor; name it .safetensors", lt.save, "a.npy", {})
    fails("save: metadata: strings by name expected, in UTF-8", lt.save, path, {}, {metadata = {a = 1}})
    fails("save: metadata: the name luatensor is taken", lt.save, path, {}, {metadata = {luatensor = "x"}})
    fails('save: unknown option "dtype"; known: compress, group, metadata, quality', lt.save, path, {}, {dtype = 1})
    fails("save: group: group expected, got number", lt.save, path, {}, {group = 1})
    fails("save: path expected, got number", lt.save, 7, {1})
    local raising = {load_state_dict = print, state_dict = function() error("mine", 0) end}
    fails("mine", lt.save, path, raising)
    assert.equal(before, shell.read(path))
  end)
end)

describe("loading", function()
  local function one(offsets, more) return '{"x":{"dtype":"F32","shape":[2],"data_offsets":' .. offsets .. "}" .. (more or "") .. "}" end
  local eight = ("<ff"):pack(1, 2)

  it("takes what the format allows", function()
    holds(loads(file(one "[0,8]", eight)).x, "[2]", {1, 2})
    holds(loads(file(one "[0,8]" .. " \n ", eight)).x, "[2]", {1, 2})
    assert.same({}, loads(file "{}"))
    assert.same({n = 1, {}}, table.pack(loads(file '{"__metadata__":{"format":"pt"}}')))
    assert.same({{}, {format = "pt"}}, {lt.load(path, {metadata = true})})
    fails("load: metadata: boolean expected, got string", lt.load, path, {metadata = "yes"})
    holds(loads(file(one("[0,8]", ',"y":{"dtype":"I8","shape":[],"data_offsets":[8,9]},"z":{"dtype":"I8","shape":[0],"data_offsets":[8,8]}'),
                     eight .. "\5")).y, "[]", 5)
    holds(loads(file('{"x":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]}}', "\0\1\7")).x, "[3]", {false, true, true})
  end)

  it("knows PyTorch's own files", function()
    local words = "%s; save it in Python with safetensors.torch.save_file"
    local function entry(name) return "PK\3\4" .. ("\0"):rep(22) .. ("<I2I2"):pack(#name, 0) .. name .. ("x"):rep(400) end
    refuses(words:format "a PyTorch checkpoint", entry "model/data.pkl")
    refuses(words:format "Python's pickle", "\x80\2\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.")
    refuses("truncated: an archive without its directory", entry "x.npy")
  end)

  it("refuses a file at each length but its own", function()
    local whole = saved{model = {w = float32{1, 2, 3}}, n = 5}
    for n = 0, #whole - 1 do
      shell.write(path, whole:sub(1, n))
      local message = helpers.message_of(lt.load, path)
      assert.truthy(message and message:find("^load: .*: [%w][^\n]*$"), n .. ": " .. tostring(message))
    end
    refuses("too long: its tensors take 12 bytes, the file has 13", whole .. "x")
  end)

  it("refuses sizes and places that are not right", function()
    refuses("no file of a known format: .npy, .npz, .safetensors, PNG, JPEG, Netpbm", "")
    refuses("no file of a known format: .npy, .npz, .safetensors, PNG, JPEG, Netpbm", ("<I8"):pack(100) .. "[]")
    refuses("truncated in the header: it has 100 bytes, the file 2", ("<I8"):pack(100) .. "{}")
    refuses("a header that is far too long", ("<I8"):pack(1 << 62) .. "{}")
    refuses("a header that is far too long", ("<I8"):pack(-2) .. "{}")
    refuses('"x" begins at byte 1 of the elements, what is before it ends at 0', file(one "[1,9]", eight .. "x"))
    refuses('"y" begins at byte 4 of the elements, what is before it ends at 8',
            file(one("[0,8]", ',"y":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}'), eight .. "1234"))
    refuses('"y" begins at byte 9 of the elements, what is before it ends at 8',
            file(one("[0,8]", ',"y":{"dtype":"I8","shape":[1],"data_offsets":[9,10]}'), eight .. "12"))
    refuses("truncated: its tensors take 8 bytes, the file has 7", file(one "[0,8]", "1234567"))
    refuses('"x": shape [2] of float32 takes 8 bytes, its offsets are 0 to 9', file(one "[0,9]", eight .. "x"))
    refuses('"x": shape [2] of float32 takes 8 bytes, its offsets are 8 to 0', file(one "[8,0]", eight))
    local huge = '{"x":{"dtype":"F32","shape":%s,"data_offsets":[0,8]}}'
    refuses('"x": shape [4611686018427387904, 4] of float32 takes too many bytes, its offsets are 0 to 8', file(huge:format "[4611686018427387904,4]", eight))
    refuses('"x": shape [1099511627776] of float32 takes 4398046511104 bytes, its offsets are 0 to 8', file(huge:format "[1099511627776]", eight))
    refuses('"x" has more than 16 dims', file(huge:format("[2" .. (",1"):rep(16) .. "]"), eight))
  end)

  it("refuses headers of another form", function()
    local no_entry = '"x" has no dtype, shape and data_offsets as the format has them'
    for _, entry in ipairs{"1", "[]", "{}", '{"dtype":"F32","shape":[2]}', '{"dtype":"F32","shape":{},"data_offsets":[0,8]}',
                           '{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}', '{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}',
                           '{"dtype":"F32","shape":[2],"data_offsets":[0,8,8]}', '{"dtype":3,"shape":[2],"data_offsets":[0,8]}',
                           '{"dtype":"F32","shape":[2],"data_offsets":[0,18446744073709551616]}', "null"} do
      refuses(no_entry, file('{"x":' .. entry .. "}", eight))
    end
    refuses('"x" is F8_E4M3, a dtype that is not supported', file('{"x":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}}', eight))
    refuses("its __metadata__ is no object", file '{"__metadata__":[]}')
    refuses('"a" in its __metadata__ is no string', file '{"__metadata__":{"a":1}}')
    refuses('the header is no JSON: the name "x" twice at byte 11', file '{"x":1,"x":2}')
    refuses("the header is no JSON: no UTF-8 at byte 3", file '{"\255":1}')
    refuses("the header is no JSON: more than one value at byte 3", file "{}{}")
    refuses("the header is no JSON: more than 100 levels at byte 105", file('{"x":' .. ("["):rep(200)))
  end)

  it("refuses what was noted of tables and does not fit", function()
    local damaged = "what luatensor noted of its tables is damaged"
    local function noted(text, more) return file('{"__metadata__":{"luatensor":' .. json.quote(text) .. "}" .. (more or "") .. "}", more and eight) end
    local x = ',"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}'
    for _, text in ipairs{'{"$tensor":"y"}', '{"$tensor":1}', '{"$number":"one"}', '{"$bytes":"f"}', '{"$bytes":"gg"}', '{"$bytes":7}', '{"$other":1}',
                          '{"$tensor":"x","a":1}', "null", "[null]", '{"$pairs":1}', '{"$pairs":[[1]]}', '{"$pairs":[[1,2],[1,3]]}', '{"$pairs":[[0.5,1]]}',
                          '{"$pairs":[[true,1]]}', '{"$pairs":{}}', '{"$number":[]}'} do
      refuses(damaged, noted(text, x))
    end
    refuses('tensor "x" has no place in its tables', noted("[1]", x))
    refuses("what luatensor noted is no JSON: no value at byte 1", noted "")
    assert.same({1}, loads(noted "[1]"))
  end)

  it("survives any damage of the header", function()
    local whole = saved{a = {float32{1, 2}}, n = 0.5}
    local last = 8 + ("<I8"):unpack(whole)
    for i = 1, last do
      for _, c in ipairs{'"', "{", "9", "\255", "\\"} do
        shell.write(path, whole:sub(1, i - 1) .. c .. whole:sub(i + 1))
        local ok, result = pcall(lt.load, path)
        assert.is_true(ok or type(result) == "string" and result:find("load: ", 1, true) ~= nil, tostring(result))
      end
    end
  end)

  it("refuses what is no file", function()
    fails("load: /nowhere: No such file or directory", lt.load, "/nowhere")
    fails("load: /tmp: not a plain file", lt.load, "/tmp")
    fails("load: a path with a zero byte", lt.load, "a\0b")
  end)
end)

describe("JSON", function()
  local function value(text) return (assert(json.decode(text))) end
  it("is read by its rules", function()
    assert.same({1, -2, 3.5, 1e3, 0, {}, true}, value ' [1, -2,3.5 ,1e3,0,[ ],true ] ')
    assert.same({a = {b = "c"}, [""] = false}, value '{"a":{"b":"c"},"":false}')
    assert.equal('"\\/\b\f\n\r\tA\u{e9}\u{1f600}\127', value([["\"\\\/\b\f\n\r\tA\u00e9\ud83d\ude00]] .. "\127" .. '"'))
    assert.equal("integer", math.type(value "9223372036854775807"))
    assert.equal("float", math.type(value "9223372036854775808"))
    assert.equal(json.null, value "null")
  end)
  it("of another form is refused with the place", function()
    for text, message in pairs{
      [""] = "no value at byte 1", ["01"] = "no value at byte 1", ["1."] = "no value at byte 1", [".5"] = "no value at byte 1", ["-"] = "no value at byte 1",
      ["0x10"] = "more than one value at byte 2", ["1e"] = "no value at byte 1", ["nan"] = "no value at byte 1", ["+1"] = "no value at byte 1",
      ["[1,]"] = "no value at byte 4",
      ["[1"] = "a list that does not end at byte 3", ['{"a" 1}'] = "no colon at byte 6", ["{1:2}"] = "no name at byte 2", ['{"a":1,}'] = "no name at byte 8",
      ['"a'] = "a string that does not end at byte 2", ['"\n"'] = "a string that does not end at byte 2", ['"\\x"'] = "a bad escape at byte 2",
      ['"\\u12"'] = "a bad escape at byte 2", ['"\\ud800"'] = "half a character at byte 2", ['"\\udc00"'] = "half a character at byte 2",
      ['"\\ud800\\u0041"'] = "half a character at byte 2",
      ["[] x"] = "more than one value at byte 4"} do
      assert.same({nil, message}, {select(2, json.decode(text)) and nil, select(2, json.decode(text))}, text)
      assert.is_nil((json.decode(text)))
    end
  end)
end)
