-- tags: process
-- Tests the command luatensor as a user runs it: help, wrong usage, streams, devices and libraries.

local luatensor = require "spec.support.command"
local lt = require "luatensor"
local many = require "spec.support.many"
local shell = require "spec.support.shell"

local run, complains, file = luatensor.run, luatensor.complains, luatensor.file
local command = luatensor.name

teardown(luatensor.clean)

local commands = {"run", "help", "info", "doctor", "experiment", "bench", "crossover", "advise", "report", "diff", "kernels"}

describe("luatensor", function()
  it("--help lists the subcommands, and each has one with an example", function()
    local _, overview = run "--help"
    for _, name in ipairs(commands) do
      assert.truthy(overview:find("\n   " .. name .. " +%l"), name)
      local status, output = run(name .. " --help")
      assert.equal(0, status)
      assert.truthy(output:find("Usage: luatensor " .. name, 1, true), output)
      assert.truthy(output:find("Example:\n   [^\n]*luatensor " .. name), output)
    end
  end)

  it("has every subcommand and option that the docs name", function()
    local help = {}
    for _, name in ipairs(commands) do help[name] = select(2, run(name .. " --help")) end
    local function check(page)
      local found = 0
      for name, rest in page:gmatch("luatensor (%l+)([^\n`#]*)") do
        if help[name] then
          found = found + 1
          for option in rest:gmatch("%s(%-%-?%l+)") do
            local known = name == "experiment" or help[name]:find(option, 1, true)
            assert.truthy(known, name .. rest)
          end
        end
      end
      return found
    end
    for path, least in pairs{["docs/tour.md"] = 5, ["docs/command.md"] = 7} do
      local handle = assert(io.open(path))
      assert.is_true(check(handle:read "a") >= least, path)
      handle:close()
    end
    for name, text in pairs(help) do assert.is_true(check(text) >= 2, name) end
  end)

  it("--version is lt._VERSION", function()
    local status, output = run "--version"
    assert.equal(0, status)
    assert.equal(require("luatensor")._VERSION .. "\n", output)
  end)

  it("runs in any folder", function()
    local here = shell.passes("pwd"):sub(1, -2)
    assert.truthy(shell.passes("cd / && " .. here .. "/bin/luatensor info"):find("^luatensor "))
    assert.truthy(shell.passes("cd bin && lua5.4 luatensor info"):find("^luatensor "))
  end)

  it("says why a GPU that is asked for is not there, and what to do: no wrong usage", function()
    local none = "LUATENSOR_CUDA_PATH=/nowhere"
    if pcall(lt.accelerator) then return pending "there is a GPU" end
    for _, arguments in ipairs{"bench 'lt.rand(3)' --device cuda", "experiment 3 --device cuda", "report --device cuda"} do
      local status, output = run(arguments, none)
      assert.equal(1, status)
      assert.truthy(output:find("^luatensor: GPU not found: [^\n]+; what to do: [^\n]+\n$"), output)
    end
    local status, output = shell.run(none .. " lua5.4 examples/03_small.lua --device cuda")
    assert.equal(1, status)
    assert.truthy(output:find("^examples/03_small%.lua: GPU not found: [^\n]+; what to do: [^\n]+\n$"), output)
  end)

  it("refuses options about measuring where nothing is measured", function()
    for _, option in ipairs{"sizes tiny", "device cpu", "threads 1"} do
      complains(2, "--" .. option:match "%l+" .. " is of what is measured", "report --from x.json --" .. option)
    end
  end)

  it("Ctrl-C while it loads is no missing rock", function()
    for _, name in ipairs{"argparse", "luatensor.io.json", "luatensor.cli"} do
      local early = ([[LUA_INIT='package.preload["%s"] = function() error("interrupted!", 0) end']]):format(name)
      local status, output = run("diff a b", early)
      assert.equal(130, status, output)
      assert.equal(1, select(2, output:gsub("\n", "")), output)
    end
  end)

  it("runs by a link to it, and by a link to that", function()
    local folder = shell.folder()
    shell.passes(("ln -s \"$PWD/bin/luatensor\" %s/one; ln -s one '%s/it'\\''s two'"):format(folder, folder))
    for _, name in ipairs{"one", "it\\'s\\ two"} do
      local status, output = shell.run(("cd / && env -u LUA_PATH -u LUA_CPATH %s/%s --version"):format(folder, name))
      assert.same({0, require("luatensor")._VERSION .. "\n"}, {status, output})
    end
    shell.passes("rm -r " .. folder)
  end)

  local wrong = {
    {"", "a command is needed"},
    {"inof", "unknown command: inof; did you mean info?"},
    {"xyzzy", "unknown command: xyzzy"},
    {"--verson", "unknown option: --verson; did you mean --version?"},
    {"info -x", "unknown option: -x"},
    {"info here", "one argument too many: here"},
    {"diff", "missing: before"},
    {"diff a.json", "missing: after"},
    {"diff a.json b.json c.json", "one argument too many: c.json"},
    {"diff a.json b.json --json", "--json needs a value"},
    {"diff --help=me", "--help takes no value"},
  }
  for _, case in ipairs(wrong) do
    it(("%q is wrong usage"):format(case[1]), function() complains(2, case[2], case[1]) end)
  end

  it("says that a full disk took nothing", function()
    for _, arguments in ipairs{"info", "--help", "--version"} do
      complains(1, "standard output: No space left on device", arguments .. " > /dev/full")
    end
  end)

  it("ends silently where nobody reads on, and in words where the system does not end it", function()
    assert.equal("", shell.passes("{ bin/luatensor info | true; } 2>&1"))
    local _, output = shell.run("trap '' PIPE; { bin/luatensor info 2>&1 >&3 | cat >&2; } 3>&1 | true")
    assert.truthy(output == "" or output == "luatensor: standard output: Broken pipe\n", output)
  end)

  it("refuses files that cannot be written, before it works", function()
    complains(1, "nowhere/x.json: No such file or directory", "diff a.json b.json --json nowhere/x.json")
    complains(1, "/: Is a directory", "diff a.json b.json --json /")
  end)

  it("says which package is missing", function()
    local none = "LUA_PATH='./lua/?.lua;./lua/?/init.lua'"
    complains(1, "needs argparse: install the package lua-argparse (Debian, Ubuntu) or the rock argparse", "info", none)
  end)
end)

describe("luatensor on a terminal", function()
  local function on_terminal(arguments)
    return shell.on_terminal("xterm", command .. arguments)
  end

  it("shows on one line what it does, and takes it away before the results", function()
    local status, output = on_terminal "bench \"lt.ones(9)\" --seconds 0.001"
    if not status then return pending "no terminal can be made here" end
    assert.equal(0, status, output)
    assert.truthy(output:find("^\rbench: lt.ones%(9%)"), output)
    -- the output after the progress line was removed for the last time
    local results = output:match("\r\27%[K([^\r].*)$")
    assert.truthy(results:find("^lt.ones%(9%): "), output)
    assert.falsy(results:find("\27", 1, true), output)
  end)

  it("leaves nothing of the line after Ctrl-C", function()
    local script = file "pressed.lua"
    local handle = assert(io.open(script, "w"))
    handle:write [[
      local calls = 0
      return function()
        calls = calls + 1
        if calls == 200 then io.popen("kill -INT $PPID"):close() end
        require("luatensor.core").sleep(0.01)
      end]]
    handle:close()
    local status, output = on_terminal(("bench %s --seconds 30"):format(script))
    if not status then return pending "no terminal can be made here" end
    assert.equal(130, status, output)
    assert.truthy(output:find("\r\27%[K[^\r\27]*: [^\27]+\r\nluatensor: interrupted: stopped after %d+ of %d+ rounds\r\n$"), output)
  end)

  it("leaves nothing of the line when it is wrong", function()
    local status, output = on_terminal "bench \"lt.ones(9) + lt.ones(8)\""
    if not status then return pending "no terminal can be made here" end
    assert.equal(1, status, output)
    assert.truthy(output:find("\r\27%[Kluatensor: [^\r\27]+\r\n$"), output)
  end)
end)

describe("the command within a script", function()
  it("leaves print as it was, and shows a report's page again where no file takes it", function()
    local script = file "within.lua"
    local handle = assert(io.open(script, "w"))
    handle:write(([[local before, cli = print, require "luatensor.cli"
      local made = setmetatable({kind = "report"}, {__tostring = function() return "the page" end})
      require("luatensor.cli.report").run = function() return made end
      require("luatensor.report").render = function() return "text" end
      assert(cli.main{"report", "-o", %q} == 0 and cli.main{"report"} == 0)
      assert(print == before)]]):format(file "page.txt"))
    handle:close()
    local status, output = shell.run("tools/lua " .. script)
    assert.same({0, "the page\n"}, {status, output})
  end)
end)

describe("luatensor info", function()
  it("names the devices and says why there is no GPU and what to do", function()
    local status, output = run("info", "LUATENSOR_CUDA_PATH=/nowhere")
    assert.equal(0, status)
    assert.truthy(output:find("\ncpu  +%S"), output)
    local found, reason = pcall(lt.accelerator)
    if found then return end
    assert.truthy(output:find(reason, 1, true), output)
    assert.truthy(output:find("what to do: ", 1, true))
  end)

  it("names the MPI that it finds, or says why there is none and what to do", function()
    local _, output = run("info", "LUATENSOR_MPI_PATH=/nowhere")
    assert.truthy(output:find("\nMPI not found: /nowhere/", 1, true), output)
    assert.truthy(output:find("\n  what to do, to use several processes: install openmpi-bin or mpich", 1, true), output)
    many.each(function(launcher)
      local _, named = many.run(launcher, 1, "tools/lua bin/luatensor info")
      assert.truthy(named:find("\nMPI: " .. launcher.name .. " ", 1, true), named)
      assert.falsy(named:find("several processes", 1, true))
    end)
  end)

  it("says the limits that were measured before, or that they were not", function()
    local script = file "limits.lua"
    local function output_with(entry)
      local handle = assert(io.open(script, "w"))
      handle:write(("require('luatensor.bench.machine').known = function() return %s end"):format(entry))
      handle:close()
      local _, output = run("info", ("LUA_PATH='lua/?.lua;lua/?/init.lua;;' LUA_CPATH='build/?.so;;' LUA_INIT=@%s"):format(script))
      return (output:gsub("%s+", " "))
    end
    local known = output_with "{read = 2e9, copy = 1e9, products = {{dtype = 'float32', flops = 3e11}}}"
    assert.truthy(known:find("cpu, measured limits: reads 2.00 GB/s, copies 1.00 GB/s (bytes read and written), "
      .. "products of float32 300 GFLOP/s.", 1, true), known)
    assert.truthy(output_with("nil"):find("cpu: its limits are not measured yet; luatensor bench does.", 1, true))
  end)

  it("is left by Ctrl-C while it tries a GPU's libraries", function()
    local script = file "interrupted.lua"
    local handle = assert(io.open(script, "w"))
    handle:write[[local lt = require "luatensor"
      rawset(require "luatensor.core", "no_accelerator", function() end)
      rawset(lt, "devices", function() return {{device = "cpu", kind = "gpu", name = "", cores = 1}} end)
      rawset(lt.fft, "fft", function() error("interrupted!", 0) end)]]
    handle:close()
    local status, output = run("info", ("LUA_PATH='lua/?.lua;lua/?/init.lua;;' LUA_CPATH='build/?.so;;' LUA_INIT=@%s"):format(script))
    assert.equal(130, status, output)
  end)

  it("knows every reason of docs/gpu.md's table, and its cure", function()
    local cures = require "luatensor.cli.cures"
    local handle = assert(io.open "docs/gpu.md")
    local page = handle:read "a"
    handle:close()
    for _, row in ipairs(cures.rows) do
      local pattern, reason, cure = table.unpack(row)
      assert.truthy(reason:find(pattern), pattern)
      assert.truthy(page:find(("| `%s` | %s |\n"):format(reason, cure), 1, true), reason)
      assert.equal(cure, cures.find(reason))
    end
    local _, rows = page:match("\n| reason .-\n|[-|]+\n(.-)\n\n"):gsub("[^\n]+", "")
    assert.equal(#cures.rows, rows)
  end)

  local emulator = (os.getenv "BUILD" or "build") .. "/spec/emulator"
  if not shell.exists(emulator .. "/libcuda.so.1") then return pending("make emulator builds it") end

  -- Returns the remedy that `info` prints first in an environment in which no GPU can be used. The remedy for AMD's GPUs
  -- follows.
  local function cure(environment)
    local remedies = select(2, run("info", environment)):match("GPU not found: [^\n]*\n  what to do: ([^\n]*)\n")
    return remedies:match "^(.*); or "
  end

  it("has a cure for every way in which a GPU cannot be used", function()
    local empty, driver = file "no-libraries", file "driver"
    shell.passes(("mkdir -p %s %s; cp %s/libcuda.so.1 %s"):format(empty, driver, emulator, driver))
    assert.equal("install the NVIDIA driver", cure("LD_LIBRARY_PATH= LUATENSOR_CUDA_PATH=" .. empty))
    assert.equal("install NVRTC, or add its folder to `LUATENSOR_CUDA_PATH`", cure("LUATENSOR_CUDA_PATH=" .. driver))
    local emulated = ("LUATENSOR_CUDA_PATH=%s LUATENSOR_EMULATOR="):format(emulator)
    assert.equal("update the driver", cure(emulated .. "driver=11040"))
    assert.equal("install the version of NVRTC that the message names", cure(emulated .. "driver=12040"))
    assert.truthy(cure(emulated .. "no_device"):find("in a container", 1, true))
  end)

  it("names the GPUs that are not used beside one that works", function()
    local status, output = run("info", ("LUATENSOR_CUDA_PATH=%s LUATENSOR_ROCM_PATH=%s LUATENSOR_CACHE=%s/kernels "
      .. "LUATENSOR_EMULATOR=gcn=gfx1100"):format(emulator, emulator, emulator:match "(.*)/"))
    assert.equal(0, status)
    assert.truthy(output:find("\nNot used: rocm: hipRTC of ROCm 5.2 does not compile for gfx1100\n", 1, true), output)
    output = select(2, run("info", ("LUATENSOR_CUDA_PATH=/nowhere LUATENSOR_ROCM_PATH=%s LUATENSOR_CACHE=%s/kernels "
      .. "LUATENSOR_EMULATOR=devices=2,gcn=gfx1030/gfx1100"):format(emulator, emulator:match "(.*)/")))
    assert.truthy(output:find("rocm: hipRTC of ROCm 5.2 does not compile for gfx1100\n", 1, true), output)
  end)
end)
