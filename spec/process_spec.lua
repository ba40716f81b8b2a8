-- Whole processes: exits, Ctrl-C, several states, forks.
local shell = require "spec.support.shell"

local run, passes = shell.run, shell.passes
local scripts = "spec/support/scripts/"

local function host(name)
  local path = "build/spec/" .. name
  return shell.exists(path) and path or nil
end

describe("a process", function()
  it("exits cleanly, 50 times", function()
    for _ = 1, 50 do
      passes [[lua5.4 -e 'local lt = require "luatensor"; local x = lt.ones(300, 300); x = x:matmul(x) + 1']]
    end
  end)

  it("exits cleanly by os.exit, with and without closing the state", function()
    passes [[lua5.4 -e 'local lt = require "luatensor"; x = lt.ones(300, 300); x = x:matmul(x); os.exit(0, true)']]
    passes [[lua5.4 -e 'local lt = require "luatensor"; x = lt.ones(300, 300); x = x:matmul(x); os.exit(0, false)']]
  end)

  it("exits cleanly after an error", function()
    local status, output = run [[lua5.4 -e 'local lt = require "luatensor"; x = lt.ones(300, 300); x = x + lt.ones(7)']]
    assert.equal(1, status)
    assert.is_truthy(output:find("do not broadcast", 1, true))
  end)

  it("ends a loop by Ctrl-C with Lua's own words", function()
    local status, output = run("out=$(mktemp); lua5.4 " .. scripts .. "loop.lua >$out 2>&1 & pid=$!; " ..
      "for i in $(seq 400); do grep -q ready $out && break; sleep 0.05; done; " ..
      "kill -INT $pid; wait $pid; s=$?; cat $out; rm $out; exit $s")
    assert.equal(1, status)
    assert.is_truthy(output:find("interrupted!", 1, true), output)
  end)

  it("runs with any table of kernels and any number of threads", function()
    for _, isa in ipairs {"baseline", "avx2", "avx512", "nonsense"} do
      passes("LUATENSOR_CPU=" .. isa .. " lua5.4 " .. scripts .. "small.lua")
    end
    for _, threads in ipairs {"1", "2", "7"} do
      passes("OMP_NUM_THREADS=" .. threads .. " lua5.4 " .. scripts .. "small.lua")
    end
  end)
end)

describe("Lua states in one process", function()
  local states = host "states_host"

  for _, mode in ipairs {"sequence", "together", "threads", "fork"} do
    it("work: " .. mode, function()
      if not states then return pending "make test-hosts builds the host" end
      passes(("%s %s %ssmall.lua"):format(states, mode, scripts))
    end)
  end
end)

describe("threads", function()
  it("that the system refuses are fewer, and not an error or the end of the process", function()
    local script = [[local lt = require "luatensor"
      lt.set_num_threads(1000)
      print(lt.zeros(1000, 3000):exp():sum():item(), lt.get_num_threads() < 1000)]]
    local _, text = run(("ulimit -v 700000; lua5.4 -e '%s'"):format(script))
    assert.truthy(text:find("3000000.0\ttrue", 1, true), text)
  end)
end)
