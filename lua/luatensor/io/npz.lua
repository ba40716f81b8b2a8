--- Reads and writes NumPy's .npz archives: zip files whose entries are .npy files. The entry "a.npy" has the tensor
-- "a". An entry consists of a local header and its contents, stored or deflated. After the entries, the directory
-- repeats their headers, and the end record has the directory's position. Sizes and positions that do not fit in 32
-- bits are in a field of zip64.

local core = require "luatensor.core"
local blame = require "luatensor.base.blame"
local clocale = require "luatensor.base.clocale"

local npz = {}

--- The formats of the headers, for string.pack.
local LOCAL <const>, LOCAL_BYTES <const> = "<c4I2I2I2I2I2I4I4I4I2I2", 30
local ENTRY <const>, ENTRY_BYTES <const> = "<c4I2I2I2I2I2I2I4I4I4I2I2I2I2I2I4I4", 46
local END <const>, END_BYTES <const> = "<c4I2I2I2I2I4I4I2", 22
local END64 <const>, END64_BYTES <const> = "<c4i8I2I2I4I4i8i8i8i8", 56
local LOCATOR <const>, LOCATOR_BYTES <const> = "<c4I4i8I4", 20

local STORED <const>, DEFLATED <const> = 0, 8        -- the methods of compression that are known
local UTF8 <const>, ENCRYPTED <const> = 1 << 11, 1   -- flags of an entry
local DATE <const> = 0x21                            -- 1980-01-01, so that equal tensors give equal files
local FILE_MODE <const> = (1 << 15 | 6 << 6 | 4 << 3 | 4) << 16         -- a plain file, rw-r--r--
local RATIO <const> = 1032                           -- the most bytes that deflate makes of one byte
local TAKES <const> = 16                             -- bytes of memory that a byte of the directory takes as tables

--- The first number that is not stored in a field of 32 bits, where it announces zip64. Entries are counted in 16 bits.
npz.LIMIT, npz.LIMIT_COUNT = 0xffffffff, 0xffff

-- ---- writing ----

-- Returns the fields of zip64 for the numbers that reach the limit, and the numbers for the fields of 32 bits.
local function divide(...)
  local large, small = {}, {...}
  for i, n in ipairs(small) do
    if n >= npz.LIMIT then
      large[#large + 1], small[i] = n, 0xffffffff
    end
  end
  local extra = #large > 0 and ("<I2s2"):pack(1, ("<" .. ("i8"):rep(#large)):pack(table.unpack(large))) or ""
  return extra, table.unpack(small)
end

local function local_header(e)
  local extra, packed, size = "", e.packed, e.size
  if e.large then extra, packed, size = ("<I2I2i8i8"):pack(1, 16, size, packed), 0xffffffff, 0xffffffff end
  return LOCAL:pack("PK\3\4", e.large and 45 or 20, e.flags, e.method, 0, DATE, e.crc, packed, size, #e.name, #extra)
         .. e.name .. extra
end

local function directory_entry(e)
  local extra, size, packed, offset = divide(e.size, e.packed, e.offset)
  return ENTRY:pack("PK\1\2", 3 << 8 | 45, extra == "" and 20 or 45, e.flags, e.method, 0, DATE, e.crc, packed, size,
                    #e.name, #extra, 0, 0, 0, FILE_MODE, offset) .. e.name .. extra
end

local function end_records(count, bytes, offset)
  local records = ""
  if count >= npz.LIMIT_COUNT or bytes >= npz.LIMIT or offset >= npz.LIMIT then
    records = END64:pack("PK\6\6", END64_BYTES - 12, 45, 45, 0, 0, count, count, bytes, offset)
              .. LOCATOR:pack("PK\6\7", 0, offset + bytes, 1)
    count, bytes, offset = 0xffff, 0xffffffff, 0xffffffff
  end
  return records .. END:pack("PK\5\6", 0, 0, count, count, bytes, offset, 0)
end

-- Raises an error unless `value` is a table of tensors by name. Returns the sorted names.
local function check_tensors(path, value)
  local names = {}
  if type(value) ~= "table" then
    blame.fail("save", "%s: tensors by name expected, such as {x = x}, got %s", path, core.type_name(value))
  end
  for name, x in next, value do
    if type(name) ~= "string" or not core.is_tensor(x) then
      blame.fail("save", "%s: an .npz file has tensors by name only, %s is %s; other values are saved as .safetensors",
                 path, type(name) == "string" and name or "[" .. tostring(name) .. "]",
                 core.is_tensor(x) and "a tensor without a name" or "a " .. core.type_name(x))
    elseif core.gone(x) then
      blame.fail("save", "%s: %s", name, core.gone(x))
    elseif name == "" or #name > 1000 or name:find "[%z\1-\31\\]" or not utf8.len(name) then
      blame.fail("save", "%s: %q cannot be a name in an archive", path, name)
    end
    names[#names + 1] = name
  end
  clocale.sort(names)
  return names
end

-- Writes one entry at `offset`, and returns its description. The header is written twice, because the CRC and the size
-- of the contents are known at the end. Whether the header needs zip64 must be known at the beginning: an element has
-- 16 bytes at most, and deflating makes the contents longer by less than a sixteenth.
local function write_entry(file, path, name, x, offset, compress)
  local e = {name = name .. ".npy", offset = offset, crc = 0, packed = 0, size = 0,
             method = compress and DEFLATED or STORED, flags = name:find "[\128-\255]" and UTF8 or 0,
             large = x.size * 17 + (1 << 16) >= npz.LIMIT}
  local header = local_header(e)
  core.write_text(file, path, header)
  e.crc, e.packed, e.size = core.write_npy_entry(file, path, x, compress)
  core.write_text(file, path, local_header(e), offset)
  return e, offset + #header + e.packed
end

local function write_all(path, names, tensors, compress)
  local file <close> = core.open_archive(path)
  local entries, offset = {}, 0
  for i, name in ipairs(names) do
    entries[i], offset = write_entry(file, path, name, tensors[name], offset, compress)
  end
  for i, e in ipairs(entries) do entries[i] = directory_entry(e) end
  local directory = table.concat(entries)
  core.write_text(file, path, directory .. end_records(#names, #directory, offset))
  core.finish_archive(file, path)
end

--- Writes tensors to an archive. Each becomes a .npy file, in the order of the names.
-- @string path of the file
-- @tparam table value tensors by name
-- @tparam table options `compress`: deflates the entries, as numpy.savez_compressed does
function npz.write(path, value, options)
  blame.call(write_all, path, check_tensors(path, value), value, options.compress)
end

-- ---- reading ----

local function fail(path, message, ...) blame.fail("load", "%s: " .. message, path, ...) end

local function damaged(path) fail(path, "the directory of the archive is damaged") end

-- Returns the number of entries, the bytes of the directory and its position, from the end records.
local function find_directory(path, file, size)
  local n = math.min(size, END_BYTES + 0xffff)       -- a comment may follow the record
  local tail = core.read_text(file, path, size - n, n)
  local at = n - END_BYTES + 1
  local function ends(comment) return at + END_BYTES + comment == n + 1 end
  while at > 0 and not (tail:sub(at, at + 3) == "PK\5\6" and ends((("<I2"):unpack(tail, at + 20)))) do at = at - 1 end
  if at <= 0 then fail(path, "truncated: an archive without its directory") end
  local _, disk, first, _, count, bytes, offset = END:unpack(tail, at)
  local stop = size - n + at - 1
  if disk ~= first then fail(path, "one part of an archive of several") end
  if count < 0xffff and bytes < 0xffffffff and offset < 0xffffffff then return count, bytes, offset, stop end
  if stop < LOCATOR_BYTES then damaged(path) end
  local mark, _, record = LOCATOR:unpack(core.read_text(file, path, stop - LOCATOR_BYTES, LOCATOR_BYTES))
  if mark ~= "PK\6\7" then return count, bytes, offset, stop end
  if record < 0 or record > stop - LOCATOR_BYTES - END64_BYTES then damaged(path) end
  local mark64, _, _, _, _, _, _, count64, bytes64, offset64 =
    END64:unpack(core.read_text(file, path, record, END64_BYTES))
  if mark64 ~= "PK\6\6" then damaged(path) end
  return count64, bytes64, offset64, record
end

-- Replaces the sizes and the position of an entry that are in the field of zip64. Returns false if the field is
-- missing.
local function read_large(e, extra)
  local at = 1
  while at + 3 <= #extra do
    local id, n = ("<I2I2"):unpack(extra, at)
    at = at + 4
    if at + n - 1 > #extra then return false end
    if id == 1 then
      for _, key in ipairs {"size", "packed", "offset"} do
        if e[key] == 0xffffffff then
          if n < 8 then return false end
          e[key], at, n = ("<i8"):unpack(extra, at), at + 8, n - 8
        end
      end
      return true
    end
    at = at + n
  end
  return false
end

-- Reads the entry at byte `at` of the directory. Returns its description and the position of the next entry.
local function read_entry(path, directory, at)
  if at + ENTRY_BYTES - 1 > #directory then damaged(path) end
  local mark, _, _, flags, method, _, _, crc, packed, size, name_bytes, extra_bytes, comment_bytes, _, _, _, offset =
    ENTRY:unpack(directory, at)
  local name_at, extra_at = at + ENTRY_BYTES, at + ENTRY_BYTES + name_bytes
  local next_at = extra_at + extra_bytes + comment_bytes
  if mark ~= "PK\1\2" or next_at - 1 > #directory then damaged(path) end
  local e = {name = directory:sub(name_at, extra_at - 1), flags = flags, method = method, crc = crc, packed = packed,
             size = size, offset = offset}
  local large = size == 0xffffffff or packed == 0xffffffff or offset == 0xffffffff
  if large and not read_large(e, directory:sub(extra_at, extra_at + extra_bytes - 1)) then damaged(path) end
  if e.size < 0 or e.packed < 0 or e.offset < 0 then damaged(path) end
  return e, next_at
end

-- Raises an error if the entry cannot be read as a .npy file. Returns the tensor's name.
local function check_entry(path, e)
  local name = e.name:match "^(.+)%.npy$"
  if not name then fail(path, "its entry %q is no .npy file", e.name) end
  if e.flags & ENCRYPTED ~= 0 then fail(path, "%q is encrypted", e.name) end
  if e.method ~= STORED and e.method ~= DEFLATED then
    fail(path, "%q is compressed by method %d; stored and deflated entries are read", e.name, e.method)
  end
  local most = e.method == STORED and e.packed or e.packed * RATIO
  if e.size > most or e.method == STORED and e.size ~= e.packed then
    fail(path, "%q: %d bytes cannot be of %d bytes in the archive", e.name, e.size, e.packed)
  end
  return name
end

-- Reads the local header of an entry, and sets e.first and e.stop, the positions of its contents and of the byte after
-- them, and the length of its name there. `limit` is the position of the directory.
local function find_contents(path, file, e, limit)
  if e.offset > limit - LOCAL_BYTES then damaged(path) end
  local mark, _, _, _, _, _, _, _, _, name_bytes, extra_bytes =
    LOCAL:unpack(core.read_text(file, path, e.offset, LOCAL_BYTES))
  if mark ~= "PK\3\4" then fail(path, "%q has no header in the archive", e.name) end
  e.first = e.offset + LOCAL_BYTES + name_bytes + extra_bytes
  if e.first > limit or e.packed > limit - e.first then fail(path, "truncated: %q ends after the archive", e.name) end
  e.stop, e.name_bytes = e.first + e.packed, name_bytes
end

-- Raises an error if an entry has another name in its local header than in the directory.
local function check_names(path, file, entries)
  for _, e in ipairs(entries) do
    if core.read_text(file, path, e.offset + LOCAL_BYTES, e.name_bytes) ~= e.name then
      fail(path, "damaged: %q has another name in its header", e.name)
    end
  end
end

-- Raises an error if two entries share bytes. A small archive of shared bytes could otherwise fill the memory.
local function check_places(path, entries)
  local sorted = table.move(entries, 1, #entries, 1, {})
  clocale.sort(sorted, function(a, b)
    if a.offset ~= b.offset then return a.offset < b.offset end
    return a.stop < b.stop
  end)
  for i = 2, #sorted do
    if sorted[i].offset < sorted[i - 1].stop then
      fail(path, "%q and %q share bytes of the archive", sorted[i - 1].name, sorted[i].name)
    end
  end
end

local function read_directory(path, file, size)
  local count, bytes, offset, stop = find_directory(path, file, size)
  if count < 0 or bytes < 0 or offset < 0 or offset > stop or bytes > stop - offset then damaged(path) end
  local directory = core.read_text(file, path, offset, bytes, TAKES)
  local entries, seen, at = {}, {}, 1
  while at <= #directory do
    local e
    e, at = read_entry(path, directory, at)
    find_contents(path, file, e, offset)
    e.tensor_name = check_entry(path, e)
    if seen[e.name] then fail(path, "two entries are named %q", e.name) end
    seen[e.name], entries[#entries + 1] = true, e
  end
  if #entries ~= count then damaged(path) end
  check_places(path, entries)
  check_names(path, file, entries)
  return entries
end

--- Reads all tensors of an archive. The directory and every header are checked before memory for elements is allocated.
-- @string path of the file, for messages
-- @param file, size the results of core.open_tensors
-- @tparam table options `device`
-- @treturn table tensors by name
function npz.read(path, file, size, options)
  local tensors = {}
  for _, e in ipairs(read_directory(path, file, size)) do
    tensors[e.tensor_name] = core.read_npy_entry(file, path .. ": " .. e.name, e.first, e.packed, e.size, e.crc,
                                                 e.method == DEFLATED, options.device)
  end
  return tensors
end

--- True if a file begins like a zip archive. first: the first bytes of the file.
function npz.begins(first) return first:find "^PK\3\4" ~= nil or first:find "^PK\5\6" ~= nil end

return npz
