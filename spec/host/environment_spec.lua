-- tags: process blas
-- Tests processes in unusual environments. Each process must end with its result or with a Lua error. A child process
-- that runs for more than 60 s counts as hung.
local environment = require "spec.support.environment"
local lt = require "luatensor"
local shell = require "spec.support.shell"

local function host(mode)
  local path = "build/spec/environment_host"
  if not shell.exists(path) then return pending "make test-hosts builds the host" end
  shell.passes(("%s %s spec/support/scripts/host_numeric.lua"):format(path, mode))
end

describe("a process ends with its result or a Lua error", function()
  for _, case in ipairs(environment.covering()) do
    local name = ("%s %s %s %s"):format(case.threads, case.limits, case.places or "", case.hidden and "without /proc" or "")
    it("in: " .. name, function() assert.is_nil(environment.try(case)) end)
  end

  it("with its result where threads are limited or may be changed", function()
    for _, threads in ipairs {"OMP_THREAD_LIMIT=1", "OMP_DYNAMIC=true", "OMP_STACKSIZE=16k"} do
      shell.passes("f=$(mktemp); " .. threads .. " timeout -s KILL 60 lua5.4 spec/support/scripts/environment.lua $f.safetensors; " ..
        "s=$?; rm -f $f*; exit $s")
    end
  end)
end)

describe("room for OpenBLAS", function()
  local misfit = require("luatensor.base.address_space").misfit

  local function under(limit, script)
    return shell.run(("%s; timeout -s KILL 60 lua5.4 -e '%s'"):format(limit, script))
  end

  it("is compared with a limit of addresses or of data before OpenBLAS is loaded", function()
    for _, option in ipairs {"-v", "-d"} do
      local status, output = under(("ulimit %s 150000; unset OMP_NUM_THREADS"):format(option), "require [[luatensor]]")
      assert.equal(1, status, output)
      assert.truthy(output:find "luatensor needs about %d+ MiB of [%l ]+ %(%d+ × 128 MiB for OpenBLAS's threads%); the limit", output)
      assert.truthy(output:find(("(ulimit %s) leaves 14"):format(option), 1, true), output)
    end
    local status, output = under("ulimit -v 150000", "require [[luatensor.nn]]")
    assert.truthy(status == 1 and output:find("(ulimit -v)", 1, true), output)
  end)

  it("is less with one thread", function()
    local status, output = under("ulimit -v 230000; export OMP_NUM_THREADS=1", "print(require([[luatensor]]).ones(3):sum():item())")
    assert.equal("0 3.0\n", status .. " " .. output)
  end)

  it("is there for a second state of the process, which needs no more", function()
    local status, output = under("ulimit -v 400000; export OMP_NUM_THREADS=2", [[
      local first = require "luatensor"
      for name in pairs(package.loaded) do if name:find "^luatensor" then package.loaded[name] = nil end end
      print(require "luatensor" ~= first)]])
    assert.equal("0 true\n", status .. " " .. output)
  end)

  describe("in a copy of /proc", function()
    local root
    local function write(path, text)
      shell.passes(("mkdir -p $(dirname %s/%s)"):format(root, path))
      shell.write(root .. "/" .. path, text)
    end
    before_each(function() root = shell.folder() end)
    after_each(function() shell.passes("rm -r " .. root) end)

    it("is compared with what the system may still promise, where it promises no more than it has", function()
      write("sys/devices/system/cpu/possible", "0-3\n")
      write("proc/meminfo", "MemTotal: 4000000 kB\nCommitLimit:     2048000 kB\nCommitted_AS:    1945600 kB\n")
      write("proc/sys/vm/overcommit_memory", "0\n")
      assert.is_nil(misfit(root))
      write("proc/sys/vm/overcommit_memory", "2\n")
      assert.truthy(misfit(root):find("(vm.overcommit_memory = 2) leaves 100 MiB", 1, true))
      write("sys/devices/system/cpu/possible", "0-" .. ("9"):rep(30) .. "\n")
      assert.truthy(misfit(root):find("leaves 100 MiB", 1, true))
    end)

    it("is 64 MiB and 128 MiB for each processor, for 64 at most; nothing is known without files", function()
      assert.is_nil(misfit(root))
      write("proc/self/status", "VmPeak:	     999 kB\nVmSize:	     1024 kB\n")
      write("proc/self/limits", "Max address space         1048576              unlimited            bytes\n")
      for possible, needed in pairs {["0\n"] = 192, ["0-3\n"] = 576, ["0-239\n"] = 64 + 64 * 128} do
        write("sys/devices/system/cpu/possible", possible)
        if not os.getenv "OMP_NUM_THREADS" then
          assert.truthy(misfit(root):find(("needs about %d MiB"):format(needed), 1, true), misfit(root))
        end
      end
      write("proc/self/limits", "Max address space         unlimited            unlimited            bytes\n")
      assert.is_nil(misfit(root))
    end)
  end)
end)

describe("the number of threads", function()
  local function threads_with(variables)
    local _, output = shell.run("env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT " .. variables ..
      " lua5.4 -e 'print(require(\"luatensor\").get_num_threads())'")
    return tonumber(output:match "(%d+)\n$")
  end

  it("is OpenMP's variable, if that is a number, and no more than OpenMP's limit", function()
    local default = threads_with ""
    assert.equal(5, threads_with "OMP_NUM_THREADS=5")
    assert.equal(3, threads_with "OMP_NUM_THREADS=3,2")
    assert.equal(4, threads_with "OMP_NUM_THREADS=5 OMP_THREAD_LIMIT=4")
    assert.equal(1, threads_with "OMP_THREAD_LIMIT=1")
    lt.set_num_threads(threads_with "OMP_NUM_THREADS=99999")             -- scripts may also set so many threads
    lt.set_num_threads(default)
    for _, odd in ipairs {"0", "-3", "two", ""} do assert.equal(default, threads_with("OMP_NUM_THREADS=" .. odd)) end
  end)

  it("is that of the processors that the process may run on", function()
    assert.equal(1, threads_with "taskset -c 0")
  end)
end)

describe("docs/embedding.md", function()
  it("names every environment variable that the process reads", function()
    local page, found = shell.read "docs/embedding.md", 0
    for path in shell.passes("find src lua -name '*.[ch]' -o -name '*.lua'"):gmatch "[^\n]+" do
      local text = shell.read(path)
      -- The names in `search` of a vendor of GPUs (src/gpu/vendor) are passed to getenv, too.
      -- The functions `variable` and `read_number` of src/distributed call getenv.
      for _, pattern in ipairs {"getenv%(? ?\"([A-Z_]+)\"", "variable%(\"([A-Z_]+)\"", "read_number%(\"([A-Z_]+)\"",
        "%.list = \"([A-Z_]+)\"", "%.root = \"([A-Z_]+)\""} do
        for name in text:gmatch(pattern) do
          found = found + 1
          assert.truthy(page:find("`" .. name .. "`", 1, true), name .. " in " .. path)
        end
      end
    end
    assert.is_true(found >= 19)
  end)
end)

describe("a host's", function()
  it("thread with a stack of 128 KiB computes", function() host "stack" end)
  it("child computes with threads, forked while another thread computes", function() host "fork" end)
  it("number of OpenMP threads stays", function() host "openmp" end)
end)
