-- tags: host unsanitized
-- Tests the effect of lt.save on an existing file. This file is separate from io/checkpoint_spec.lua because it
-- starts processes.
local lt = require "luatensor"
local data = require "luatensor.data"
local helpers = require "spec.support.helpers"
local shell = require "spec.support.shell"

local fails = helpers.fails

describe("a file that is there", function()
  local folder
  before_each(function() folder = shell.folder() end)
  after_each(function() shell.passes(("chmod -R u+rwx %s; rm -r %s"):format(folder, folder)) end)
  local function names() return (shell.passes(("cd %s && ls -A"):format(folder)):gsub("\n", " ")) end

  it("stays as it was when the new one cannot be written", function()
    local at = folder .. "/run.safetensors"
    lt.save(at, {epoch = 1})
    lt.save(folder .. "/x.npy", lt.ones(3))
    -- A limit on the size of files (ulimit -f) has the effect of a full disk.
    for _, save in ipairs {'"run.safetensors", {x = lt.zeros(1 << 18)}', '"run.safetensors", {x = ("long"):rep(1 << 18)}',
                           '"x.npy", lt.zeros(1 << 18)'} do
      local script = ([[
        local lt = require "luatensor"
        local ok, message = pcall(function(name, value) lt.save(%q .. name, value) end, %s)
        print(ok, message)]]):format(folder .. "/", save)
      local _, said = shell.run(("ulimit -f 100; tools/lua -e '%s'"):format(script:gsub("\n", " ")))
      assert.truthy(said:find("^false.*save: .*: File too large\n$"), said)
    end
    assert.equal("run.safetensors x.npy ", names())
    assert.same({epoch = 1}, lt.load(at))
    assert.equal(3, lt.load(folder .. "/x.npy"):sum():item())
  end)

  it("stays as it was on a full disk, and the cache of kernels does no harm there", function()
    local mounted = ("mount -t tmpfs -o size=256k none %s"):format(folder)
    if shell.run(("unshare -m %s"):format(mounted)) ~= 0 then return pending "no file system can be mounted here" end
    local said = shell.passes(("unshare -m sh -c '%s && LUATENSOR_CUDA_PATH=build/spec/emulator LUATENSOR_CACHE=%s/kernels tools/lua %s %s'")
      :format(mounted, folder, "spec/support/scripts/full_disk.lua", folder))
    assert.equal("whole\n", said)
  end)

  it("is replaced once the new one is on the disk", function()
    local log = folder .. "/log"
    for _, name in ipairs {"run.safetensors", "x.npy"} do
      local script = ("local lt = require %q lt.save(%q, %s)"):format("luatensor", folder .. "/" .. name,
                                                                     name == "x.npy" and "lt.ones(3)" or "{epoch = 1}")
      local save = ("strace -f -o %s -e trace=fsync,rename,renameat,renameat2 tools/lua -e '%s'"):format(log, script)
      -- The C library renames files by one of these three system calls; on ARM64 it uses renameat.
      if shell.run("strace -o /dev/null true") ~= 0 then return pending "strace shows it" end
      shell.passes(save)
      assert.matches("fsync%(%d+%).*rename%w*%(", shell.read(log))
    end
  end)

  it("is replaced, with its rights, also behind a link", function()
    local at = folder .. "/run.safetensors"
    lt.save(at, {epoch = 1})
    shell.passes(("chmod 640 %s && ln -s run.safetensors %s/link"):format(at, folder))
    lt.save(folder .. "/link", {epoch = 2})
    assert.same({epoch = 2}, lt.load(at))
    assert.equal("640\n", shell.passes("stat -c %a " .. at))
    assert.equal("link run.safetensors ", names())
  end)

  it("of no plain kind is written to itself", function()
    lt.save("/dev/null", {a = 1})
    fails("save: /nowhere/a: No such file or directory", lt.save, "/nowhere/a", {a = 1})
    fails("save: " .. folder .. ": Is a directory", lt.save, folder, {a = 1})
    if not io.open "/dev/full" then return pending("no /dev/full here") end
    fails("save: /dev/full: No space left on device", lt.save, "/dev/full", {x = lt.zeros(1 << 18)})
  end)

  it("has beside it nothing that killed processes left there, but what others are writing", function()
    local left, held, strange = ".luatensor-1-0", ".luatensor-1-1", ".luatensor-1-0.npy"
    shell.passes(("cd %s; touch %s %s %s; mkfifo go"):format(folder, left, held, strange))
    local writer = io.popen(("cd %s; flock %s sh -c 'echo locked; cat go'"):format(folder, held), "r")
    if writer:read() ~= "locked" then return pending "flock locks a file for this" end
    lt.save(folder .. "/x.npy", lt.zeros(1))
    local there = names()
    shell.write(folder .. "/go", "")                                    -- ends `cat go` in the writer; go is a pipe
    writer:close()
    os.remove(folder .. "/go")
    assert.equal(".luatensor-1-0.npy .luatensor-1-1 go x.npy ", there)
    lt.save(folder .. "/x.npy", lt.zeros(1))
    assert.equal(".luatensor-1-0.npy x.npy ", names())
  end)

  it("keeps its owner and group, or is written in place", function()
    -- Another user may have no right to read this checkout or Lua, or to become that user needs root.
    if shell.run "setpriv --reuid=65534 --clear-groups tools/lua -e 'require \"luatensor\"'" ~= 0 then
      return pending "root gives files to another user, who can run tools/lua"
    end
    local at = folder .. "/run.safetensors"
    lt.save(at, {epoch = 1})
    shell.passes(("chmod 777 %s; chmod 640 %s; chown 65534:65533 %s"):format(folder, at, at))
    lt.save(at, {epoch = 2})
    assert.equal("65534:65533 640\n", shell.passes("stat -c %u:%g' '%a " .. at))
    -- Another user can write to this file, but cannot create a file that root owns.
    shell.passes("chown 0:0 " .. at .. "; chmod 666 " .. at)
    for _, rights in ipairs {"777", "1777"} do
      shell.passes(("chmod %s %s; exec setpriv --reuid=65534 --clear-groups tools/lua -e '%s'"):format(rights, folder,
        ([[local lt = require "luatensor" lt.save(%q, {rights = %s})]]):format(at, rights)))
      assert.same({rights = tonumber(rights)}, lt.load(at))
      assert.equal("0:0 666\n", shell.passes("stat -c %u:%g' '%a " .. at))
      assert.equal("run.safetensors ", names())
    end
  end)

  it("that is a pipe is refused, not waited for", function()
    shell.passes("mkfifo " .. folder .. "/pipe")
    local pipe = folder .. "/pipe"
    fails("load: " .. pipe .. ": not a plain file", lt.load, pipe)
    fails("read_csv: " .. pipe .. ": not a plain file", lt.data.read_csv, pipe)
    fails("read_idx: " .. pipe .. ": not a plain file", lt.data.read_idx, pipe)
    fails("bench.load: " .. pipe .. ": not a plain file", lt.bench.load, pipe)
  end)
end)

-- Returns the number of descriptors of this process that refer to the file.
local function descriptors(path)
  local found = shell.passes(("for fd in /proc/$PPID/fd/*; do readlink $fd; done | grep -c -x -F %s || true"):format(path))
  return tonumber(found)
end

describe("a reader", function()
  local header <const> = "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }"
  local rows = {
    {"read_csv", data.read_csv, "1,2\n3,4\n", '1,"2'},
    {"read_idx", data.read_idx, "\0\0\8\1\0\0\0\1\7", "\0\0\8\1\0\0\0\2\7"},
    {"load of .npy", lt.load, "\x93NUMPY\1\0" .. ("<s2"):pack(header) .. "\7", "\x93NUMPY\1\0\6\0{}    "},
    {"load of .safetensors", lt.load, ("<s8"):pack '{"a":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}' .. "\7",
     ("<s8"):pack '{"a":1}'},
  }
  local path = os.tmpname()
  after_each(function()
    collectgarbage "restart"
    os.remove(path)
  end)

  it("closes its file when it ends and when it raises, not at the next collection", function()
    if not shell.exists "/proc/self/fd/0" then return pending "/proc says which files are open" end
    local file <close> = assert(io.open(path, "w"))
    assert.equal(1, descriptors(path))
    file:close()
    collectgarbage "stop"
    for _, row in ipairs(rows) do
      local name, read, right, wrong = table.unpack(row)
      shell.write(path, right)
      read(path)
      assert.equal(0, descriptors(path), name)
      shell.write(path, wrong)
      assert.falsy(pcall(read, path), name)
      assert.equal(0, descriptors(path), name .. ", which raises")
    end
  end)
end)
