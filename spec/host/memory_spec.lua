-- tags: unsanitized uncollected late sanitize-emulated
local lt = require "luatensor"
local shell = require "spec.support.shell"

describe("memory statistics", function()
  it("count live bytes exactly, and what is freed at once", function()
    collectgarbage()
    local before = lt.memory().live
    local x = lt.zeros(1000, 10)
    assert.equal(before + 40000, lt.memory().live)
    x:free()
    assert.equal(before, lt.memory().live)
    x:free()                                     -- freeing twice is harmless
    assert.equal(before, lt.memory().live)
  end)

  it("say that calls into option out make Lua allocate nothing", function()
    local x, into = lt.ones(16), {out = lt.zeros(16)}
    local function work()
      for _ = 1, 100 do
        lt.add(x, x, into)
        lt.tanh(x, into)
        lt.cumulative_sum(x, 1, into)
      end
    end
    work()
    collectgarbage()
    collectgarbage "stop"
    local before = collectgarbage "count"
    work()
    local after = collectgarbage "count"
    collectgarbage "restart"
    assert.equal(before, after)
    x:free()
    into.out:free()
  end)

  it("keep the peak until it is reset", function()
    lt.reset_peak_memory()
    local before = lt.memory().peak
    local x = lt.zeros(5, 1000, 1000)
    x:free()
    assert.equal(before + 20000000, lt.memory().peak)
    lt.reset_peak_memory("cpu")
    assert.equal(lt.memory().live, lt.memory().peak)
  end)

  it("<close> frees at the end of the block", function()
    local before = lt.memory().live
    do
      local _ <close> = lt.zeros(100)
      assert.equal(before + 400, lt.memory().live)
    end
    assert.equal(before, lt.memory().live)
  end)

  it("freed memory is cached, and empty_cache gives it back", function()
    lt.empty_cache()
    assert.equal(0, lt.memory().cached)
    lt.zeros(1000, 1000):free()
    local cached = lt.memory().cached
    assert.is_true(cached == 0 or cached >= 4000000)   -- 0 in builds that cache nothing (sanitizers)
    lt.empty_cache("cpu")
    assert.equal(0, lt.memory().cached)
  end)

  it("an unknown device is an error", function()
    assert.error_matches(function() lt.memory("npu") end, "memory: unknown device \"npu\"", nil, true)
  end)
end)

describe("out of memory", function()
  -- Runs a script in a process whose memory limit is only 200 MB. Returns the script's output.
  local function limited(script)
    local pipe = assert(io.popen("LUATENSOR_MEMORY_LIMIT=200M lua5.4 - 2>&1 <<'SCRIPT'\n" .. script .. "\nSCRIPT"))
    local text = pipe:read("a")
    pipe:close()
    return text
  end

  it("names the device, the sizes and the largest tensor with its line, and the script goes on", function()
    local text = limited [[
      local lt = require "luatensor"
      local x = lt.zeros(5000, 5000)
      local keep = lt.zeros(10)
      local ok, message = pcall(function() local y = lt.zeros(7000, 7000) return y end)
      print(ok, message)
      print(lt.zeros(100, 100).size, x.size, keep.size)
    ]]
    assert.matches("out of memory on cpu: asked for 186.9 MiB; 95.4 MiB live in 2 tensors, ", text, 1, true)
    assert.matches("cached; largest: [5000, 5000] float32 made at stdin:2\n", text, 1, true)
    assert.matches("\n10000\t25000000\t10\n", text, 1, true)
  end)

  it("collects garbage before it gives up", function()
    local text = limited [[
      local lt = require "luatensor"
      collectgarbage("stop")
      for _ = 1, 50 do local x = lt.zeros(5000, 5000) end      -- a third such tensor does not fit
      print("done")
    ]]
    assert.equal("done\n", text)
  end)

  it("comes before the system kills the process: what it has left counts, unless swapping is asked for", function()
    local most, left = require("luatensor.core").system_memory()
    if not left then return pending "the system does not say what it has left" end
    local script = ([[
      local ok, problem = pcall(require("luatensor").empty, %d, {dtype = "uint8"})
      io.write(tostring(ok or problem:match "^out of memory on cpu"))]]):format(most - 2^26)      -- never accessed
    local function run(limit) return shell.passes(("%s lua5.4 -e '%s'"):format(limit, script)) end
    assert.equal("out of memory on cpu", run "")
    assert.equal("out of memory on cpu", run(("LUATENSOR_MEMORY_LIMIT=%d"):format(most)))
    assert.equal("true", run "LUATENSOR_MEMORY_LIMIT=1000T")
  end)

  it("has a limit that can be read, or nothing works", function()
    local script = 'print(pcall(require, "luatensor"))'
    local function run(limit) return shell.passes(("LUATENSOR_MEMORY_LIMIT='%s' lua5.4 -e '%s' | head -1"):format(limit, script)) end
    for _, limit in ipairs {"1,5G", "100 M", "abc", "-5", "0", "2GB", ""} do
      assert.matches(('LUATENSOR_MEMORY_LIMIT is "%s"; a number of bytes expected'):format(limit), run(limit), 1, true)
    end
    for _, limit in ipairs {"1.5G", "200m", "1e9", "100000K", "1T"} do assert.matches("^true", run(limit)) end
  end)

  it("an allocation that fails once is tried again", function()
    lt._fail_after(1)
    assert.equal(4, lt.zeros(4).size)
  end)

  it("a finalizer that frees an argument of the op at work does no harm", function()
    local x = lt.ones(4)
    local function doomed() setmetatable({}, {__gc = function() x:free() end}) end
    for _, op in ipairs {function() return x + x end, function() return x:reshape(2, 2):sum() end} do
      doomed()
      lt._fail_after(1)                  -- so that the allocation inside the op collects garbage
      op()
      assert.same({1, 1, 1, 1}, x:totable())
    end
  end)

  it("a metamethod of an options table never runs in the middle of an op", function()
    local x, out = lt.ones(4), lt.zeros(4)
    local options = setmetatable({out = out}, {__index = function() x:free() end})
    lt.add(x, x, options)
    assert.same({2, 2, 2, 2}, out:totable())
    assert.same({1, 1, 1, 1}, x:totable())
  end)

  it("one that fails twice is an error, and nothing is lost", function()
    local live = lt.memory().live
    lt._fail_after(1, 2)
    assert.error_matches(function() lt.zeros(4) end, "out of memory on cpu: asked for 16 bytes", nil, true)
    lt._fail_after(0)
    collectgarbage()
    assert.is_true(lt.memory().live <= live)
  end)

  it("sizes beyond the address space are errors too", function()
    assert.error_matches(function() lt.empty(2^40, 2^10) end, "out of memory on cpu", nil, true)
    assert.error_matches(function() lt.empty(2^40, 2^40) end, "does not fit", nil, true)
  end)
end)
