-- Processes in environments that are unlike a developer's: each ends with its result or with a Lua error. A child that runs
-- for more than 60 s has hung.
local environment = require "spec.support.environment"
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
    for _, odd in ipairs {"0", "-3", "two", ""} do assert.equal(default, threads_with("OMP_NUM_THREADS=" .. odd)) end
  end)

  it("is that of the processors that the process may run on", function()
    assert.equal(1, threads_with "taskset -c 0")
  end)
end)

describe("a host's", function()
  it("thread with a stack of 128 KiB computes", function() host "stack" end)
  it("child computes with threads, forked while another thread computes", function() host "fork" end)
  it("number of OpenMP threads stays", function() host "openmp" end)
end)
