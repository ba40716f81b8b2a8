-- tags: process
-- Tests small files that would take much memory: reading ends in an error, or takes little memory. Each file is read
-- by a process with a limit of 32 MiB, like a machine with little memory.
local lt = require "luatensor"
local shell = require "spec.support.shell"

local folder
setup(function() folder = shell.folder() end)
teardown(function() shell.passes("rm -r " .. folder) end)

-- Runs the Lua expression `call`, which reads FILE, in a new process. Returns the peak memory of the process in MiB,
-- and the error, or "read" if there is none. `limit` is a prefix of the command, such as "LUATENSOR_MEMORY_LIMIT=10M"
-- or "ulimit -v 500000;". It replaces the limit of 32 MiB.
local function reads(call, limit)
  local script = ([[
    local lt = require "luatensor"
    local ok, message = pcall(function() return %s end)
    local peak = io.open "/proc/self/status":read("a"):match "VmHWM:%%s*(%%d+)"
    print(peak // 1024, ok and "read" or message)]]):format(call:gsub("FILE", ("%q"):format(folder .. "/file")))
  shell.write(folder .. "/script.lua", script)
  local output = shell.passes(("cd %s && %s OMP_NUM_THREADS=1 timeout 60 %s/tools/lua script.lua"):format(
    folder, limit or "LUATENSOR_MEMORY_LIMIT=32M", shell.passes("pwd"):gsub("\n", "")))
  local peak, said = output:match "^(%d+)%s+(.*)\n$"
  return tonumber(peak), said
end

local function refuses(call, words, limit)
  local peak, said = reads(call, limit)
  assert.truthy(said:find(words, 1, true), said)
  assert.is_true(peak < 250, peak .. " MiB")
end

-- Packs the output of a shell command by gzip into the file that `reads` reads.
local function gzipped(command) shell.passes(("(%s) | gzip -c > %s/file"):format(command, folder)) end

-- Returns the peak memory that reading takes, divided by the size of the file.
local function factor(call)
  local script = ([[
    local lt, data = require "luatensor", require "luatensor.data"
    local files, json = require "luatensor.bench.files", require "luatensor.io.json"
    local function kib(what) return tonumber(io.open "/proc/self/status":read("a"):match(what .. ":%%s*(%%d+)")) end
    collectgarbage()
    local reset <close> = assert(io.open("/proc/self/clear_refs", "w"))
    reset:write "5"
    reset:flush()
    local before = kib "VmRSS"
    local value = %s
    print((kib "VmHWM" - before) * 1024)]]):format((call:gsub("FILE", ("%q"):format(folder .. "/file"))))
  shell.write(folder .. "/script.lua", script)
  local root = shell.passes("pwd"):gsub("\n", "")
  local bytes = shell.passes(("cd %s && OMP_NUM_THREADS=1 timeout 60 %s/tools/lua script.lua"):format(folder, root))
  local file <close> = io.open(folder .. "/file")
  return tonumber(bytes) / file:seek "end"
end

describe("the memory that reading takes is not more than was asked for, nor much less:", function()
  local TAKES = require "luatensor.io.json".TAKES
  local deep = ("["):rep(50) .. ("]"):rep(50)
  local lists = "[" .. (deep .. ","):rep(10000) .. "0]"
  local function between(low, high, call)
    if not io.open("/proc/self/clear_refs", "w") then return pending "no /proc/self/clear_refs" end
    local takes = factor(call)
    assert.is_true(low <= takes and takes <= high, takes .. " bytes for each of the file")
  end

  it("JSON of lists", function()
    shell.write(folder .. "/file", lists)
    between(0.8 * TAKES, TAKES, "json.decode(files.read(FILE))")
  end)

  it("a checkpoint of lists", function()
    local header = ('{"__metadata__":{"luatensor":"%s"}}'):format(lists)
    shell.write(folder .. "/file", ("<s8"):pack(header))
    between(0.8 * 2 * TAKES, 2 * TAKES, "lt.load(FILE)")
  end)

  it("a header of many tensors", function()
    local parts = {}
    for i = 1, 30000 do parts[i] = ('"%x":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'):format(i) end
    shell.write(folder .. "/file", ("<s8"):pack("{" .. table.concat(parts, ",") .. "}"))
    between(10, TAKES, "lt.load(FILE)")
  end)

  it("texts", function()
    local count, lines = 140000, {}
    for i = 1, count do lines[i] = ("1,c%07d\n"):format(i) end
    shell.write(folder .. "/file", table.concat(lines))
    between(150 / 11, (320 + 8) / 11, "data.read_csv(FILE, {header = false})")        -- a line has 11 bytes, a name has 8 bytes
  end)

  it("nested tables", function()
    local count = 150000
    lt.save(folder .. "/file", lt.zeros({count, 1}, {dtype = "float64"}))
    local _, said = reads("lt.load(FILE):totable()", "LUATENSOR_MEMORY_LIMIT=10M")
    local asked = tonumber(said:match "totable: this takes about ([%d.]+) MiB") * 2 ^ 20 / (8 * count)
    between(0.9 * asked, 1.02 * (asked + 1), "lt.load(FILE):totable()")            -- + 1 for the tensor itself
  end)

  it("an array", function()
    lt.save(folder .. "/file", lt.zeros(1 << 21))
    between(1, 1.1, "lt.load(FILE)")
  end)
end)

describe("a file that would take much memory", function()
  it("of separators alone has too many fields", function()
    gzipped "head -c 1100000 /dev/zero | tr '\\0' ,"
    refuses("lt.data.read_csv(FILE)", "line 1: a row of more than 1048576 fields: is the delimiter right?")
  end)

  it("of many fields names the size", function()
    gzipped "yes 1, | head -c 2000000 | tr -d '\\n'"
    refuses("lt.data.read_csv(FILE)", "file: this takes about 61.0 MiB of memory, 32.0 MiB are available")
  end)

  it("of many columns names the size", function()
    gzipped "yes 1, | head -c 600000 | tr -d '\\n'; echo 1"
    refuses("lt.data.read_csv(FILE)", "file: 200001 columns: this takes about 476.8 MiB of memory, ", "LUATENSOR_MEMORY_LIMIT=100M")
  end)

  it("of a quote that does not end is too long", function()
    gzipped "echo a; printf '\"'; yes 1,2 | head -c 70000000"
    refuses("lt.data.read_csv(FILE)", "file: line 2: a row of more than 64 MiB, so this is probably not a CSV file")
  end)

  it("of a text of 10 million letters names its first letters", function()
    gzipped "echo a; head -c 10000000 /dev/zero | tr '\\0' x"
    refuses("lt.data.read_csv(FILE, {types = 'float'})", ('line 2, column 1: no float: "%s..."; na_values'):format(("x"):rep(44)))
  end)

  it("of one row is too long", function()
    gzipped "head -c 70000000 /dev/zero | tr '\\0' 1"
    refuses("lt.data.read_csv(FILE)", "line 1: a row of more than 64 MiB")
  end)

  it("of numbers names the size", function()
    gzipped "yes 0 | head -c 20000000"
    refuses("lt.data.read_csv(FILE)", "more than 8388608 rows: this takes about 64.0 MiB of memory, 32.0 MiB are available")
  end)

  it("of different texts names the size", function()
    gzipped "seq 200000 | sed 's/.*/c&,1/'"
    refuses("lt.data.read_csv(FILE, {header = false})", "texts: this takes about ")
  end)

  it("with a long header names the size", function()
    local header = "{" .. ('"%07d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},'):rep(100000):gsub("%%07d", "x") .. '"y":1}'
    shell.write(folder .. "/file", ("<s8"):pack(header))
    refuses("lt.load(FILE)", "this takes about 252.7 MiB of memory, ")
  end)

  it("of JSON names the size", function()
    shell.write(folder .. "/file", "[" .. ("[],"):rep(1000000) .. "[]]")
    refuses("lt.bench.load(FILE)", "file: this takes about 143.1 MiB of memory, ")
  end)

  it("of lists in a checkpoint names the size", function()
    local tree = "[" .. ("[],"):rep(100000) .. "[]]"
    shell.write(folder .. "/file", ("<s8"):pack(('{"__metadata__":{"luatensor":"%s"}}'):format(tree)))
    refuses("lt.load(FILE)", "file: this takes about 28.6 MiB of memory, ", "LUATENSOR_MEMORY_LIMIT=20M")
  end)

  it("names the size also under a limit of addresses", function()
    shell.write(folder .. "/file", "[" .. ("[],"):rep(3000000) .. "[]]")
    for _, option in ipairs {"-v", "-d"} do
      refuses("lt.bench.load(FILE)", "file: this takes about 429.2 MiB of memory, ", ("ulimit %s 500000;"):format(option))
    end
  end)

  it("of JSON is a plain file", function()
    local peak, said = reads 'lt.bench.load "/dev/zero"'
    assert.equal("(command line):0: bench.load: /dev/zero: not a plain file", (said:gsub("^.-: bench", "(command line):0: bench")))
    assert.is_true(peak < 250)
  end)

  it("that claims a gigabyte takes what it has", function()
    shell.write(folder .. "/idx", "\0\0\8\1" .. (">I4"):pack(1 << 30))
    shell.passes(("gzip -c %s/idx > %s/file"):format(folder, folder))
    refuses("lt.data.read_idx(FILE)", "truncated")
    shell.passes(("{ cat %s/idx; head -c 1100000 /dev/urandom; } | gzip -c > %s/file"):format(folder, folder))
    refuses("lt.data.read_idx(FILE)", "out of memory")
  end)

  it("of an array, with holes instead of elements, is out of memory", function()
    shell.write(folder .. "/x", "")
    local text = "{'descr': '|u1', 'fortran_order': False, 'shape': (1073741824,), }\n"
    shell.write(folder .. "/file", "\x93NUMPY\1\0" .. ("<s2"):pack(text))
    shell.passes(("truncate -s +1G %s/file"):format(folder))
    refuses("lt.load(FILE)", "out of memory")
  end)

  it("of a compressed image names the size", function()
    lt.save(folder .. "/a.png", lt.zeros(1, {dtype = "uint8"}):expand_dims(2):broadcast_to(6000, 6000))
    shell.passes(("mv %s/a.png %s/file"):format(folder, folder))
    assert.is_true(#shell.read(folder .. "/file") < 50000)
    refuses("lt.load(FILE)", "file: 6000 × 6000 pixels: this takes about 68.7 MiB of memory, 32.0 MiB are available")
    refuses("lt.load(FILE, {mode = 'rgba'})", "this takes about 274.7 MiB of memory")
  end)

  it("of a deflated array names the size", function()
    lt.save(folder .. "/x.npz", {x = lt.zeros(1 << 26, {dtype = "uint8"})}, {compress = true})
    shell.passes(("mv %s/x.npz %s/file"):format(folder, folder))
    assert.is_true(#shell.read(folder .. "/file") < 100000)
    refuses("lt.load(FILE)", "out of memory on cpu: asked for 64.0 MiB")
  end)

  it("of an archive of many entries is read, or refused at the first", function()
    local local_part, central, count = {}, {}, 20000
    local at = 0
    for i = 1, count do
      local name = ("%05d.npy"):format(i)
      local header = ("<I2I2I2I4I4I4I4I2I2"):pack(20, 0, 0, 0, 0, 0, 0, #name, 0)
      local_part[i] = "PK\3\4" .. header .. name
      central[i] = "PK\1\2\20\0" .. header .. ("<I2I2I2I4I4"):pack(0, 0, 0, 0, at) .. name
      at = at + #local_part[i]
    end
    local directory = table.concat(central)
    shell.write(folder .. "/file", table.concat(local_part) .. directory
                .. ("<c4I2I2I2I2I4I4I2"):pack("PK\5\6", 0, 0, count, count, #directory, at, 0))
    refuses("lt.load(FILE)", "00001.npy: ")
  end)

  it("that has no elements, but many rows of none, becomes no table", function()
    shell.write(folder .. "/file", "\0\0\8\3" .. (">I4I4I4"):pack(1 << 24, 1 << 23, 0))
    refuses("lt.data.read_idx(FILE):totable()", "totable: this takes about 12.0 PiB of memory, 32.0 MiB are available")
  end)
end)
