-- Small files that would take much memory: each ends in an error, or takes little. A process of its own reads each, with
-- a limit of 32 MiB, which stands for a machine that has no more.
local shell = require "spec.support.shell"

local folder
setup(function() folder = shell.passes("mktemp -d"):gsub("\n", "") end)
teardown(function() shell.passes("rm -r " .. folder) end)

-- What a call says about the file, and how many MiB the process has had at most.
local function reads(call)
  local script = ([[
    local lt = require "luatensor"
    local ok, message = pcall(function() return %s end)
    local peak = io.open "/proc/self/status":read("a"):match "VmHWM:%%s*(%%d+)"
    print(peak // 1024, ok and "read" or message)]]):format(call:gsub("FILE", ("%q"):format(folder .. "/file")))
  shell.write(folder .. "/script.lua", script)
  local output = shell.passes(("cd %s && LUATENSOR_MEMORY_LIMIT=32M OMP_NUM_THREADS=1 timeout 60 %s/tools/lua script.lua"):format(
    folder, shell.passes("pwd"):gsub("\n", "")))
  local peak, said = output:match "^(%d+)%s+(.*)\n$"
  return tonumber(peak), said
end

local function refuses(call, words)
  local peak, said = reads(call)
  assert.truthy(said:find(words, 1, true), said)
  assert.is_true(peak < 250, peak .. " MiB")
end

-- Repeats what a shell prints, and packs it.
local function gzipped(command) shell.passes(("(%s) | gzip -c > %s/file"):format(command, folder)) end

describe("a file that would take much memory", function()
  it("of separators alone has too many fields", function()
    gzipped "head -c 1100000 /dev/zero | tr '\\0' ,"
    refuses("lt.data.read_csv(FILE)", "line 1: a row of more than 1048576 fields: is the delimiter right?")
  end)

  it("of one row is too long", function()
    gzipped "head -c 70000000 /dev/zero | tr '\\0' 1"
    refuses("lt.data.read_csv(FILE)", "line 1: a row of more than 64 MiB")
  end)

  it("of numbers names the size", function()
    gzipped "yes 0 | head -c 20000000"
    refuses("lt.data.read_csv(FILE)", "more than 8388608 numbers: this takes about 64.0 MiB of memory, 32.0 MiB are available")
  end)

  it("of classes names the size", function()
    gzipped "seq 200000 | sed 's/$/,1/'"
    refuses("lt.data.read_csv(FILE, {labels = 1})", "classes: this takes about ")
  end)

  it("with a long header names the size", function()
    local header = "{" .. ('"%07d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},'):rep(100000):gsub("%%07d", "x") .. '"y":1}'
    shell.write(folder .. "/file", ("<s8"):pack(header))
    refuses("lt.load(FILE)", "this takes about 202.2 MiB of memory, ")
  end)

  it("of JSON names the size", function()
    shell.write(folder .. "/file", "[" .. ("[],"):rep(1000000) .. "[]]")
    refuses("lt.bench.load(FILE)", "file: this takes about 114.4 MiB of memory, ")
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

  it("that has no elements, but many rows of none, becomes no table", function()
    shell.write(folder .. "/file", "\0\0\8\3" .. (">I4I4I4"):pack(1 << 24, 1 << 23, 0))
    refuses("lt.data.read_idx(FILE):totable()", "totable: this takes about 9.0 PiB of memory, 32.0 MiB are available")
  end)
end)
