--- lt.save and lt.load. One tensor is stored in NumPy's .npy format. Networks, optimisers, generators and tables are
-- stored in .safetensors files, in which tensors have names. The structure of the tables, and the values that are no
-- tensors, are JSON in the metadata, under "luatensor":
--
--     a list                [value, …]
--     only names as keys    {"name": value, …}
--     other tables          {"$pairs": [[key, value], …]}, also if a name begins with "$" or is not UTF-8
--     a tensor              {"$tensor": "its name"}
--     inf, -inf, nan        {"$number": "inf"}
--     a non-UTF-8 string    {"$bytes": "hexadecimal"}
--
-- A file that contains only tensors by name, such as the state of a network, has no such JSON.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local blame = require "luatensor.base.blame"
local clocale = require "luatensor.base.clocale"
local formats = require "luatensor.io.formats"
local json = require "luatensor.io.json"
local safetensors = require "luatensor.io.safetensors"
local lt = require "luatensor.base.public"
local outside = require "luatensor.base.outside"

local TREE_TAKES = 2 * json.TAKES            -- bytes for each byte of JSON: the decoded tree, and the values made of it
local MOST_DEPTH = 30                        -- deepest nesting of tables; each takes up to 3 of JSON's 100 levels
local FIRST = 300                            -- bytes at the beginning of a file that identify its format

-- ---- saving ----

-- Returns the state of a network, an optimiser or a generator as a plain table, and other values as they are.
local function plain(value)
  if core.is_generator(value) then return value:state() end
  if type(value) == "table" and type(value.state_dict) == "function" and type(value.load_state_dict) == "function" then
    return value:state_dict()
  end
  return value
end

local function dotted(path, key) return path == "" and tostring(key) or path .. "." .. tostring(key) end

-- Returns a unique name for the tensor at a path of keys, such as "model.weight". Bytes that are not UTF-8 become
-- "?".
local function name_tensor(state, path)
  local name = utf8.len(path) and path or path:gsub("[\128-\255]", "?")
  local free, n = name, 1
  while state.taken[free] or free == "__metadata__" or free == "" do
    n = n + 1
    free = name .. "#" .. n
  end
  state.taken[free] = true
  return free
end

local function add_tensor(state, path, x)
  local name = name_tensor(state, path)
  if core.gone(x) then blame.fail("save", "%s: %s", name, core.gone(x)) end
  table.insert(state.entries, {name = name, tensor = x})
  return '{"$tensor":' .. json.quote(name) .. "}"
end

local function number_text(n)
  if n ~= n then return '{"$number":"nan"}' end
  if n == math.huge or n == -math.huge then return ('{"$number":"%s"}'):format(n > 0 and "inf" or "-inf") end
  return json.number(n)
end

local function string_text(text)
  if utf8.len(text) then return json.quote(text) end
  return '{"$bytes":"' .. text:gsub(".", function(c) return ("%02x"):format(c:byte()) end) .. '"}'
end

local function key_before(a, b)
  if type(a) ~= type(b) then return type(a) == "number" end
  return a < b
end

-- Returns the keys of a table in a reproducible order, and their kind: "list", "names" or "pairs", as in `forms`.
local function sorted_keys(path, t)
  local keys, kind = {}, "names"
  for key in next, t do
    if math.type(key) ~= "integer" and type(key) ~= "string" then
      blame.fail("save", "%s: a key is %s; strings and integers are saved", path == "" and "the table" or path,
                 type(key) == "number" and "the float " .. key or "a " .. core.type_name(key))
    end
    if type(key) == "number" or key:sub(1, 1) == "$" or not utf8.len(key) then kind = "pairs" end
    keys[#keys + 1] = key
  end
  clocale.sort(keys, key_before)
  if #keys > 0 and keys[#keys] == #keys and keys[1] == 1 then kind = "list" end
  return keys, kind
end

local texts                                 -- functions that return a value's JSON, by type

local function text_of(state, path, value, depth)
  value = plain(value)
  if core.is_tensor(value) then return add_tensor(state, path, value) end
  local text = texts[type(value)]
  if not text then
    blame.fail("save", "%s is %s; tensors, numbers, strings, booleans, modules, optimisers, generators and tables of "
                       .. "these are saved", path == "" and "the value" or path,
               value == nil and "nil" or "a " .. core.type_name(value))
  end
  return text(value, state, path, depth)
end

local forms = {
  list = {"[%s]", function(_, value) return value end},
  names = {"{%s}", function(key, value) return json.quote(key) .. ":" .. value end},
  pairs = {'{"$pairs":[%s]}', function(key, value)
    return "[" .. (type(key) == "string" and string_text(key) or json.number(key)) .. "," .. value .. "]"
  end},
}

local function table_text(t, state, path, depth)
  if depth > MOST_DEPTH then
    blame.fail("save", "%s: more than %d tables within each other", path, MOST_DEPTH)
  elseif state.open[t] then
    blame.fail("save", "%s is inside of itself", path)
  end
  state.open[t] = true
  local keys, kind = sorted_keys(path, t)
  local form, parts = forms[kind], {}
  for i, key in ipairs(keys) do
    parts[i] = form[2](key, text_of(state, dotted(path, key), rawget(t, key), depth + 1))
  end
  state.open[t] = nil
  return (form[1]:gsub("%%s", function() return table.concat(parts, ",") end))
end

texts = {number = number_text, string = string_text, boolean = tostring, table = table_text}

-- True if the value is a non-empty table that contains only tensors by name. The tensors then have the table's names in
-- the file, and the file needs no JSON of the structure.
local function is_flat(value)
  if type(value) ~= "table" or next(value) == nil then return false end
  for key, x in next, value do
    if type(key) ~= "string" or key == "" or key == "__metadata__" or not utf8.len(key) or not core.is_tensor(x) then
      return false
    end
  end
  return true
end

local function check_metadata(metadata)
  if metadata == nil then return {} end
  local copy = {}
  if type(metadata) ~= "table" then blame.fail("save", "metadata: table expected, got %s", core.type_name(metadata)) end
  for name, value in pairs(metadata) do
    if type(name) ~= "string" or type(value) ~= "string" or not utf8.len(name) or not utf8.len(value) then
      blame.fail("save", "metadata: strings by name expected, in UTF-8")
    elseif name == "luatensor" then
      blame.fail("save", "metadata: the name luatensor is taken")
    end
    copy[name] = value
  end
  return copy
end

-- Calls write(), in a group of processes only in rank 0. All processes of the group wait for it, and all raise an error
-- if it fails.
local function write_once(group, path, write)
  if not group then return write() end
  local ok, why = true, nil
  if group:rank() == 0 then ok, why = pcall(write) end
  local failed = group:all_max(lt.tensor({ok and 0 or 1}, {dtype = "int32", device = core.host_device})):item()
  if not ok then error(why, 0) end
  if failed > 0 then blame.fail("save", "%s: rank 0 has not written the file", path) end
end

local function save_value(path, value, options)
  local metadata = check_metadata(options.metadata)
  local state = {entries = {}, taken = {}, open = {}}
  value = plain(value)
  local text = text_of(state, "", value, 1)
  if not is_flat(value) then metadata.luatensor = text end
  write_once(options.group, path, function() safetensors.write(path, state.entries, metadata) end)
end

-- ---- loading ----

-- build(state, node) returns the value of a decoded JSON node, with tensors in place of {"$tensor": name}. If lt.save
-- cannot have written the node, the function raises the table `state` as the error.
local build

local function build_pairs(state, list)
  local t = {}
  for _, pair in ipairs(getmetatable(list) == json.array and list or error(state)) do
    if getmetatable(pair) ~= json.array or #pair ~= 2 then error(state) end
    local key = build(state, pair[1])
    if math.type(key) ~= "integer" and type(key) ~= "string" or t[key] ~= nil then error(state) end
    t[key] = build(state, pair[2])
  end
  return t
end

local numbers = {inf = math.huge, ["-inf"] = -math.huge, nan = 0 / 0}

local special = {
  ["$pairs"] = build_pairs,
  ["$tensor"] = function(state, name)
    local x = state.tensors[name]
    if not x then error(state) end
    state.placed[name] = true
    return x
  end,
  ["$number"] = function(state, name) return numbers[name] or error(state) end,
  ["$bytes"] = function(state, text)
    if type(text) ~= "string" or #text % 2 ~= 0 or text:find "%X" then error(state) end
    return (text:gsub("%x%x", function(byte) return string.char(tonumber(byte, 16)) end))
  end,
}

function build(state, node)
  if node == json.null then error(state) end
  if type(node) ~= "table" then return node end
  local name, inside = next(node)
  if special[name or ""] and next(node, name) == nil then return special[name](state, inside) end
  local t = {}
  for key, value in pairs(node) do
    if type(key) == "string" and key:sub(1, 1) == "$" then error(state) end
    t[key] = build(state, value)
  end
  return t
end

local function rebuild(path, tensors, text)
  local state = {tensors = tensors, placed = {}}
  local no_room = core.no_room(#text * TREE_TAKES)
  if no_room then blame.fail("load", "%s: %s", path, no_room) end
  local tree, wrong = json.decode(text)
  if tree == nil then blame.fail("load", "%s: what luatensor noted is no JSON: %s", path, wrong) end
  local ok, value = pcall(build, state, tree)
  if not ok and value ~= state then error(value, 0) end
  if not ok then blame.fail("load", "%s: what luatensor noted of its tables is damaged", path) end
  for name in pairs(tensors) do
    if not state.placed[name] then blame.fail("load", "%s: tensor %q has no place in its tables", path, name) end
  end
  return value
end

local function load_value(path, file, size, device)
  local tensors, metadata = safetensors.read(path, file, size, device)
  local text = metadata.luatensor
  metadata.luatensor = nil
  if text then tensors = rebuild(path, tensors, text) end
  return tensors, metadata
end

-- Returns the name of a common foreign format that begins with these bytes, or nil if the format is unknown.
local function foreign(first)
  if first:sub(1, 2) == "\x80\2" then return "Python's pickle" end
  if #first < 30 or first:sub(1, 4) ~= "PK\3\4" then return nil end
  local name = first:sub(31, 30 + ("<I2"):unpack(first, 27))
  return (name:find "data%.pkl$" or name:find "^[^/]+/%.") and "a PyTorch checkpoint" or nil
end

-- Returns the first bytes of a file, which identify its format. Raises an error for known foreign formats.
local function first_bytes(path, file, size)
  local first = core.read_text(file, path, 0, math.min(FIRST, size))
  local other = foreign(first)
  if other then args.fail("load", "%s: %s; save it in Python with safetensors.torch.save_file", path, other) end
  return first
end

-- Returns the row of `formats` for a file that begins with these bytes, or nil.
local function format_of_bytes(first)
  for _, row in ipairs(formats) do
    if row.begins and row.begins(first) then return row end
  end
  return nil
end

-- ---- public functions ----

-- Endings of other file formats. lt.save refuses these endings, because programs that read such formats cannot read a
-- file of lt.save. `.bin`, `.ckpt` and `.th` are endings of PyTorch's files.
local FOREIGN = {}
for ending in ([[pt pth th bin ckpt pkl
                 pickle joblib h5 hdf5 mat onnx pb tflite gguf ggml t7 msgpack idx txt csv tsv json jsonl
                 yaml yml xml html md lua py gif bmp pbm tif tiff
                 webp jp2 heic avif jpe jfif ico hdr svg pdf wav mp3 gz bz2 xz zst zip tar
                 tgz 7z parquet arrow feather xls xlsx sqlite]]):gmatch "%S+" do
  FOREIGN[ending] = true
end

-- Returns the ending of a path in lower case, without the dot, or nil.
local function ending_of(path)
  return type(path) == "string" and clocale.call(string.lower, path):match "%.([^./]*)$" or nil
end

-- The rows of `formats` by the endings of their files; and the options of lt.save and lt.load, of all formats.
local format_of = {}
local known = {saving = {metadata = true, group = "group"}, loading = {device = true, metadata = "boolean"}}
for _, row in ipairs(formats) do
  for _, ending in ipairs(row.endings) do format_of[ending] = row end
  for field, names in pairs(known) do
    for name, kind in pairs(row[field] or {}) do names[name] = kind end
  end
end

-- Raises an error if an option is for another format than the file's. fn: "save" or "load"; field: the rows' field with
-- the options of fn; format: the file's row, or nil for .npy and .safetensors.
local function check_options(fn, field, path, format, options)
  for _, row in ipairs(formats) do
    for name in pairs(row[field] or {}) do
      if options[name] ~= nil and not (format and format[field] and format[field][name]) then
        blame.fail(fn, "%s: option %s is for %s", path, name,
                   row.called or "files that end in ." .. table.concat(row.endings, ", ."))
      end
    end
  end
end

-- Raises an error if the path's ending belongs to another format. `wrong` is {ending, message}: the one of lt.save's
-- two endings that does not fit the value, and the error's text for this ending.
local function check_end(path, wrong)
  local ending = ending_of(path)
  if FOREIGN[ending] then
    blame.fail("save", "%s: no %s file is written; a tensor alone is saved as .npy, all else as .safetensors", path,
               ending)
  elseif ending == wrong[1] then
    blame.fail("save", "%s: %s", path, wrong[2])
  end
end

local ALONE = {"safetensors", "a tensor alone is saved as .npy; in such a file it has a name: {name = x}"}
local TABLE = {"npy", "an .npy file holds one tensor; name it .safetensors"}

--- Writes a file completely or not at all. An existing file stays until the new file is on the disk.
--
-- A tensor is written in NumPy's .npy format. Any other value is written in the .safetensors format, which Python's
-- package safetensors can read. The value may be a network (saved as the tensors of its state_dict, by name), an
-- optimiser, a generator, a tensor, a number, a string, a boolean, or a table of such values:
--
--     lt.save("run.safetensors", {model = model, optimizer = optimizer, generator = lt.default_generator()})
--
-- A path that ends in `.npz` gives an archive of NumPy, from a table of tensors by name:
--
--     lt.save("set.npz", {x = lt.ones(2, 3), y = lt.zeros(2)})
--
-- A path that ends in `.png`, `.jpg`, `.jpeg`, `.pgm`, `.ppm`, `.pnm` or `.pam` gives an image. The image is a uint8
-- or uint16 tensor [channels, height, width], or a gray image [height, width]. One channel is gray, two are gray and
-- alpha, three are RGB, four are RGB and alpha:
--
--     lt.save("noise.png", lt.randint(0, 255, {3, 32, 32}, {dtype = "uint8"}))
--
-- @function save
-- @string path of the file, with the ending `.npy`, `.npz` or `.safetensors`, with the ending of an image, or with an
--   ending that no known format has
-- @param value an object with functions state_dict and load_state_dict is saved as the result of state_dict
-- @tparam[opt] table options `metadata`: strings by name for other programs to read (.safetensors); `group`: a group
--   of processes, which all call lt.save: rank 0 writes its values, and the others wait until the file is there;
--   `compress` (false): deflates the tensors (.npz); `quality` (75): from 1 to 100 (.jpg)
-- @raise if the ending belongs to another format, such as `.pt` or `.csv`; if a value cannot be saved (the
--   message names the value); if the disk is full or permission is missing; if the format lacks the dtype: bfloat16
--   (.npy, .npz), complex128 (.safetensors); if an image is not of uint8 or uint16, or JPEG's library is missing
function lt.save(path, value, options)
  outside.check "save"
  options = args.options("save", options, known.saving)
  local format = format_of[ending_of(path)]
  check_options("save", "saving", path, format, options)
  if format then
    if options.metadata then blame.fail("save", "%s: only .safetensors files have metadata", path) end
    outside.check("save", "utf8")
    return write_once(options.group, path, function() format.write(path, plain(value), options) end)
  end
  if core.is_tensor(value) and not options.metadata then
    check_end(path, ALONE)
    return write_once(options.group, path, function() blame.call(core.save_npy, path, value) end)
  end
  outside.check("save", "utf8")
  check_end(path, TABLE)
  return save_value(path, value, options)
end

--- Reads a file that lt.save, NumPy or Python's safetensors wrote. The first bytes of a file identify its format.
--
--     local run = lt.load "run.safetensors"
--     model:load_state_dict(run.model)
--     optimizer:load_state_dict(run.optimizer)
--     lt.default_generator():set_state(run.generator)
--     local weights, metadata = lt.load("model.safetensors", {metadata = true})
--
-- An image (PNG, JPEG or Netpbm) is a tensor [channels, height, width] of uint8, or of uint16 if the file has 16 bits a
-- sample. JPEG files need the library libturbojpeg.
--
-- @function load
-- @string path of the file
-- @tparam[opt] table options `device` (default: the default device); `metadata` (false): also return the file's
--   metadata; `mode`: converts an image to "gray", "gray_alpha", "rgb" or "rgba"
-- @return the tensor; or the saved table, in which modules and other objects are the results of their state_dict; or,
--   from an .npz file or a .safetensors file of another program, the tensors by name
-- @treturn[opt] table with option metadata, for a .safetensors file: strings by name, such as PyTorch's {format =
--   "pt"}
-- @raise if the file is damaged, truncated, or of another format; all sizes are checked before memory is allocated
function lt.load(path, options)
  outside.check "load"
  options = args.options("load", options, known.loading)
  if type(path) == "string" and not path:find "\0" then
    local file <close>, size = blame.call(core.open_tensors, path)
    local first = blame.call(first_bytes, path, file, size)
    local format = format_of_bytes(first)
    check_options("load", "loading", path, format, options)
    if format then return blame.call(format.read, path, file, size, options) end
    if safetensors.begins(first:sub(1, 9)) then
      outside.check("load", "utf8")
      local value, metadata = blame.call(load_value, path, file, size, options.device)
      if options.metadata then return value, metadata end
      return value
    end
  end
  return blame.call(core.load_npy, path, options.device)
end

return {lt.save, lt.load}
