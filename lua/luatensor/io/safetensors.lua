--- Reads and writes the .safetensors format (https://github.com/huggingface/safetensors). A file has three parts: the
-- length of the header as 8 bytes, little endian; the header, in JSON; the elements. The header has an object for
-- each tensor, by name, with the fields dtype, shape and data_offsets (the first byte of its elements, and the byte
-- after the last). The header's __metadata__ has strings by name.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local blame = require "luatensor.base.blame"
local clocale = require "luatensor.base.clocale"
local json = require "luatensor.io.json"

local safetensors = {}

local MOST_HEADER = 100000000                -- bytes; the format's own limit
local MOST_DIMS = 16

-- The dtypes, each as {the format's name, luatensor's name, bytes of an element}, in the order in which the format's
-- reference writer sorts tensors.
local kinds = {{"U64", "uint64", 8}, {"I64", "int64", 8}, {"F64", "float64", 8}, {"C64", "complex64", 8},
               {"F32", "float32", 4}, {"U32", "uint32", 4}, {"I32", "int32", 4}, {"BF16", "bfloat16", 2},
               {"F16", "float16", 2}, {"U16", "uint16", 2}, {"I16", "int16", 2}, {"I8", "int8", 1}, {"U8", "uint8", 1},
               {"BOOL", "bool", 1}}

local by_dtype, by_name = {}, {}
for rank, kind in ipairs(kinds) do
  local row = {name = kind[1], dtype = kind[2], size = kind[3], rank = rank}
  by_dtype[row.dtype], by_name[row.name] = row, row
end

-- ---- writing ----

local function tensor_text(entry, offset)
  local kind = by_dtype[entry.tensor.dtype]
  local bytes = entry.tensor.size * kind.size
  local text = ('%s:{"dtype":"%s","shape":[%s],"data_offsets":[%d,%d]}'):format(
    json.quote(entry.name), kind.name, table.concat(entry.tensor.shape, ","), offset, offset + bytes)
  return text, offset + bytes
end

local function metadata_text(metadata)
  local names, parts = {}, {}
  for name in pairs(metadata) do names[#names + 1] = name end
  clocale.sort(names)
  for i, name in ipairs(names) do parts[i] = json.quote(name) .. ":" .. json.quote(metadata[name]) end
  return '"__metadata__":{' .. table.concat(parts, ",") .. "}"
end

local function before(a, b)
  local x, y = by_dtype[a.tensor.dtype].rank, by_dtype[b.tensor.dtype].rank
  if x ~= y then return x < y end
  return a.name < b.name
end

--- Writes tensors to a file, with exactly the bytes that the format's reference writer would write.
-- @string path of the file
-- @tparam table entries a list of {name =, tensor =}: the names are UTF-8 and unique; the list is sorted in place
-- @tparam ?table metadata strings by name
function safetensors.write(path, entries, metadata)
  for _, entry in ipairs(entries) do
    local x = entry.tensor
    if not by_dtype[x.dtype] then
      blame.fail("save", "%s is %s, which the format lacks; use x:to(\"complex64\")", entry.name, x.dtype)
    end
  end
  clocale.sort(entries, before)
  local parts, list, offset = {}, {}, 0
  if metadata and next(metadata) then parts[1] = metadata_text(metadata) end
  for i, entry in ipairs(entries) do
    list[i] = entry.tensor
    parts[#parts + 1], offset = tensor_text(entry, offset)
  end
  local header = "{" .. table.concat(parts, ",") .. "}"
  header = header .. (" "):rep(-#header % 8)                      -- aligns the elements to 8 bytes
  if #header > MOST_HEADER then blame.fail("save", "%s: names of more than 100 MB", path) end
  blame.call(core.write_tensors, path, ("<s8"):pack(header), list)
end

-- ---- reading ----

local function fail(path, message, ...) blame.fail("load", "%s: " .. message, path, ...) end

local function is_size(n) return math.type(n) == "integer" and n >= 0 end

local function is_list_of_sizes(list)
  if getmetatable(list) ~= json.array then return false end
  for _, n in ipairs(list) do
    if not is_size(n) then return false end
  end
  return true
end

-- Returns the number of bytes of a tensor of this shape whose elements have `size` bytes; nil if the number
-- overflows.
local function bytes_of(shape, size)
  for _, n in ipairs(shape) do
    if n == 0 then return 0 end
  end
  local most = math.maxinteger
  for _, n in ipairs(shape) do
    if size > most // n then return nil end
    size = size * n
  end
  return size
end

-- Checks the header's entry of one tensor. Returns a table with the tensor's name, dtype, shape and byte range:
-- `first`, counted from 0, and `stop`, the byte after the last.
local function check_tensor(path, name, entry)
  if type(entry) ~= "table" or getmetatable(entry) or type(entry.dtype) ~= "string"
     or not is_list_of_sizes(entry.shape) or not is_list_of_sizes(entry.data_offsets) or #entry.data_offsets ~= 2 then
    fail(path, "%q has no dtype, shape and data_offsets as the format has them", name)
  end
  local kind, first, stop = by_name[entry.dtype], entry.data_offsets[1], entry.data_offsets[2]
  if not kind then fail(path, "%q is %s, a dtype that is not supported", name, entry.dtype) end
  if #entry.shape > MOST_DIMS then fail(path, "%q has more than %d dims", name, MOST_DIMS) end
  local bytes = bytes_of(entry.shape, kind.size)
  if first > stop or bytes ~= stop - first then
    fail(path, "%q: shape %s of %s takes %s bytes, its offsets are %d to %d", name, args.shape_text(entry.shape),
         kind.dtype, bytes or "too many", first, stop)
  end
  return {name = name, dtype = kind.dtype, shape = entry.shape, first = first, stop = stop}
end

-- Raises an error unless the tensors are stored without gaps, from the first byte of the elements to the last.
local function check_places(path, list, bytes)
  clocale.sort(list, function(a, b)
    if a.first ~= b.first then return a.first < b.first end
    if a.stop ~= b.stop then return a.stop < b.stop end
    return a.name < b.name
  end)
  local at = 0
  for _, entry in ipairs(list) do
    if entry.first ~= at then
      fail(path, "%q begins at byte %d of the elements, what is before it ends at %d", entry.name, entry.first, at)
    end
    at = entry.stop
  end
  if at ~= bytes then
    fail(path, "%s: its tensors take %d bytes, the file has %d", bytes < at and "truncated" or "too long", at, bytes)
  end
end

local function check_metadata(path, metadata)
  if metadata == nil then return {} end
  if type(metadata) ~= "table" or getmetatable(metadata) then fail(path, "its __metadata__ is no object") end
  for name, value in pairs(metadata) do
    if type(value) ~= "string" then fail(path, "%q in its __metadata__ is no string", name) end
  end
  return metadata
end

local function read_header(path, file, size, length)
  if length < 0 or length > MOST_HEADER then fail(path, "a header that is far too long") end
  if length > size - 8 then
    fail(path, "truncated in the header: it has %d bytes, the file %d", length, size - 8)
  end
  local header, wrong = json.decode(core.read_text(file, path, 8, length, json.TAKES))
  if header == nil then fail(path, "the header is no JSON: %s", wrong) end
  if type(header) ~= "table" or getmetatable(header) then fail(path, "the header is no object") end
  return header
end

--- Reads all tensors of a file. The whole header is checked before memory for elements is allocated.
-- @string path of the file, for messages
-- @param file, size the results of core.open_tensors
-- @tparam ?string device of the tensors; the default device if nil
-- @treturn table tensors by name
-- @treturn table metadata strings by name
function safetensors.read(path, file, size, device)
  local length = ("<i8"):unpack(core.read_text(file, path, 0, 8))
  local header = read_header(path, file, size, length)
  local metadata, list = check_metadata(path, header.__metadata__), {}
  for name, entry in pairs(header) do
    if name ~= "__metadata__" then list[#list + 1] = check_tensor(path, name, entry) end
  end
  check_places(path, list, size - 8 - length)
  local tensors = {}
  for _, entry in ipairs(list) do
    tensors[entry.name] = core.read_tensor(file, path, 8 + length + entry.first, entry.shape, entry.dtype, device)
  end
  return tensors, metadata
end

--- True if a file begins like a safetensors file. first: the first 9 bytes of the file, or fewer in a shorter file.
function safetensors.begins(first)
  return #first == 9 and first:sub(9) == "{" and not math.ult((("<i8"):unpack(first)), 2)
end

return safetensors
