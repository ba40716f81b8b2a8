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

  it("has beside it nothing that killed processes left there long ago", function()
    local process = shell.passes("sh -c 'echo $$'"):match "%d+"
    local old, new, other, strange = ".luatensor-" .. process .. "-0", ".luatensor-" .. process .. "-1",
      ".luatensor-1-0", ".luatensor-" .. process .. "-0.npy"
    shell.passes(("cd %s; touch %s; touch -d '2 hours ago' %s %s %s"):format(folder, new, old, other, strange))
    lt.save(folder .. "/x.npy", lt.zeros(1))
    local left = shell.passes("ls -A " .. folder)
    assert.falsy(left:find(old .. "\n", 1, true), left)
    for _, name in ipairs{new, other, strange} do assert.truthy(left:find(name .. "\n", 1, true), left) end
  end)
end)
