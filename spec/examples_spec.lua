-- The examples as a user runs them: small, and with wrong options.

-- Output (both streams) and exit code of tools/lua with these arguments.
local function run(arguments)
  local pipe = assert(io.popen(("tools/lua %s 2>&1; echo \"status $?\""):format(arguments)))
  local output, status = pipe:read("a"):match("^(.*)status (%d+)\n$")
  pipe:close()
  return output, tonumber(status)
end

local small = "--iterations 2 --rows 40 --cols 30"

describe("examples", function()
  for _, name in ipairs{"02_large", "03_small", "04_cores", "05_memory"} do
    it(name .. " runs", function()
      local output, status = run(("examples/%s.lua %s --threads 2 --dtype float64"):format(name, small))
      assert.equal(0, status, output)
      assert.truthy(output:find("float64") or output:find("measured limits"), output)
    end)
  end

  it("say that the clock is read after a synchronisation", function()
    assert.truthy(run("examples/02_large.lua " .. small):find("elapsed time [%d.]+ seconds %(read after a synchronisation%)"))
  end)

  it("01_device prints a device or raises", function()
    local output, status = run("examples/01_device.lua")
    assert.truthy(output:find("cpu: ", 1, true))
    if status ~= 0 then assert.truthy(output:find("GPU not found: ", 1, true)) end
  end)

  local wrong = {
    {"--rows 0", "--rows takes a whole number from 1 on, not \"0\""},
    {"--rows", "--rows needs a value"},
    {"--cols=2.5", "--cols takes a whole number from 1 on, not \"2.5\""},
    {"--threads 5000", "--threads takes a whole number from 1 to 1024, not \"5000\""},
    {"--dtype int8", "--dtype takes a floating-point dtype such as float32, not \"int8\""},
    {"--device abacus", "--device abacus: "},
    {"--speed 3", "unknown option: --speed"},
    {"fast", "unknown option: fast"},
  }
  for _, case in ipairs(wrong) do
    it("02_large " .. case[1] .. " is a usage error", function()
      local output, status = run("examples/02_large.lua " .. case[1])
      assert.equal(2, status)
      assert.truthy(output:find("examples/02_large.lua: " .. case[2], 1, true), output)
      assert.falsy(output:find("traceback", 1, true))
      assert.equal(1, select(2, output:gsub("\n", "")))
    end)
  end

  it("--help lists the options", function()
    local output, status = run("examples/02_large.lua --help")
    assert.equal(0, status)
    for _, option in ipairs{"device", "iterations", "rows", "cols", "dtype", "threads"} do
      assert.truthy(output:find("--" .. option, 1, true), option)
    end
  end)
end)

describe("bench/rows.lua", function()
  local rows = require "bench.rows"

  it("has rows that are Lua", function()
    for _, row in ipairs(rows) do
      assert(load("return " .. row[3], row[1]))
      if row.setup then assert(load(row.setup[1], row[1])) end
    end
  end)

  it("has no name twice, and a gate wherever there is an aim", function()
    local seen = {}
    for _, row in ipairs(rows) do
      assert.falsy(seen[row[1]], row[1])
      seen[row[1]] = true
      assert.equal(row.gate ~= nil, row.aim ~= nil, row[1])
      assert.equal(row.share_gate ~= nil, row.share_aim ~= nil, row[1])
    end
  end)
end)

describe("lt.limits", function()
  local lt = require "luatensor"

  it("gives positive rates", function()
    local limits = lt.limits("cpu", "float64")
    for _, name in ipairs{"flops", "read", "copy"} do assert.truthy(limits[name] > 0, name) end
  end)

  it("refuses what is no device or dtype", function()
    assert.error_matches(function() lt.limits("abacus") end, "limits")
    assert.error_matches(function() lt.limits("cpu", "float33") end, "limits")
  end)
end)
