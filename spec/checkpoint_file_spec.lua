-- What lt.save does to the file that is there. (Apart from checkpoint_spec.lua, because it starts processes.)
local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local shell = require "spec.support.shell"

local fails = helpers.fails

describe("a file that is there", function()
  local folder
  before_each(function() folder = shell.passes("mktemp -d"):gsub("\n", "") end)
  after_each(function() shell.passes(("chmod -R u+rwx %s; rm -r %s"):format(folder, folder)) end)
  local function names() return (shell.passes(("cd %s && ls -A"):format(folder)):gsub("\n", " ")) end

  it("stays as it was when the new one cannot be written", function()
    local at = folder .. "/run.safetensors"
    lt.save(at, {epoch = 1})
    -- A limit on how large files may be stands for a full disk.
    local script = ([[
      local lt = require "luatensor"
      local ok, message = pcall(lt.save, %q, {x = lt.zeros(1 << 18)})
      print(ok, message)]]):format(at)
    local _, said = shell.run(("trap '' XFSZ; ulimit -f 100; tools/lua -e '%s'"):format(script:gsub("\n", " ")))
    assert.truthy(said:find("^false.*save: .*run.safetensors: File too large\n$"), said)
    assert.equal("run.safetensors ", names())
    assert.same({epoch = 1}, lt.load(at))
  end)

  it("is replaced once the new one is on the disk", function()
    local log = folder .. "/log"
    for _, name in ipairs {"run.safetensors", "x.npy"} do
      local script = ("local lt = require %q lt.save(%q, %s)"):format("luatensor", folder .. "/" .. name,
                                                                     name == "x.npy" and "lt.ones(3)" or "{epoch = 1}")
      local save = ("strace -f -o %s -e trace=fsync,rename tools/lua -e '%s'"):format(log, script)
      if shell.run("strace -o /dev/null true") ~= 0 then return pending "strace shows it" end
      shell.passes(save)
      assert.matches("fsync%(%d+%).*rename%(", shell.read(log))
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
    shell.write(folder .. "/go", "")                                    -- ends the writer
    writer:close()
    os.remove(folder .. "/go")
    assert.equal(".luatensor-1-0.npy .luatensor-1-1 go x.npy ", there)
    lt.save(folder .. "/x.npy", lt.zeros(1))
    assert.equal(".luatensor-1-0.npy x.npy ", names())
  end)

  it("keeps its owner and group, or is written in place", function()
    if shell.run "setpriv --reuid=65534 --clear-groups true" ~= 0 then return pending "root gives files to others" end
    local at = folder .. "/run.safetensors"
    lt.save(at, {epoch = 1})
    shell.passes(("chmod 777 %s; chmod 640 %s; chown 65534:65533 %s"):format(folder, at, at))
    lt.save(at, {epoch = 2})
    assert.equal("65534:65533 640\n", shell.passes("stat -c %u:%g' '%a " .. at))
    -- Another user can write to the file, but not make one that is root's.
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
