-- tags: process divided
-- Tests the measuring subcommands of luatensor as a user runs them.

local gpu = require "spec.support.gpu"
local helpers = require "spec.support.helpers"
local luatensor = require "spec.support.command"
local many = require "spec.support.many"
local shell = require "spec.support.shell"

local run, complains, file, read, saved = luatensor.run, luatensor.complains, luatensor.file, luatensor.read, luatensor.saved
local command = luatensor.name

teardown(luatensor.clean)

describe("luatensor bench --distributed", function()
  it("measures a group of one, and predicts for a given network", function()
    local status, output = run("bench --distributed --largest 1M --latency 1 --bandwidth 1000 --json " .. file "one.json")
    assert.equal(0, status, output)
    assert.truthy(output:find("A group of one process: nothing is sent.", 1, true), output)
    local result = saved "one.json"
    assert.equal("distributed", result.kind)
    assert.equal(18, #result.sizes)                                       -- 2^3 to 2^20 bytes
    assert.same({latency = 1, bandwidth = 1000, source = "given"}, result.network)
    local step, work = result.step, result.work
    assert.equal(8, work.messages)
    assert.equal(4 * 4 * (512 * 512 + 512), work.bytes)
    assert.near(step.forward + step.backward + step.update, work.compute, 1e-12)
    -- on 4 hosts 8 messages of 4 rounds each, and 3 / 2 of the bytes, take minutes
    assert.near(work.compute + 8 * 4 + 1.5 * work.bytes / 1000, result.predicted[3].tree, 1e-6)
    assert.is_nil(result.modelled)
    assert.equal(0, run(("diff %s %s"):format(file "one.json", file "one.json")))
  end)

  many.each(function(launcher)
    it("measures two processes of " .. launcher.name .. ", of which the first prints", function()
      local status, output = many.run(launcher, 2, "tools/lua bin/luatensor bench --distributed --largest 1M")
      assert.equal(0, status, output)
      local _, titles = output:gsub("all_sum of float32, in place", "")
      assert.equal(1, titles, output)
      assert.truthy(output:find("Processes: 2, engine: MPI: " .. launcher.name, 1, true), output)
      assert.truthy(output:find("measured between these", 1, true), output)
    end)
  end)

  it("says what is wrong", function()
    complains(2, "--distributed takes no code", "bench --distributed 1+1")
    complains(2, "--largest takes at least 1024K, not 1024 bytes", "bench --distributed --largest 1K")
    complains(2, "--bandwidth takes at least 1 byte a second, not 0", "bench --distributed --bandwidth 0")
    complains(2, "--latency is of --distributed", "bench --latency 1")
  end)
end)

describe("luatensor bench", function()
  it("times an expression", function()
    local status, output = run("bench 'x:sum()' --setup 'x = lt.ones(10)' --seconds 0.001 --json " .. file "time.json")
    assert.equal(0, status, output)
    local result = saved "time.json"
    assert.equal("time", result.kind)
    assert.equal("x:sum()", result.name)
    assert.equal("float32", result.dtype)
  end)

  it("compares several, and says which failed", function()
    local status, output = run("bench 'x + x' '2 * x' 'x + lt.ones(3)' --setup 'x = lt.ones(10)' --seconds 0.001 --json "
      .. file "compare.json")
    assert.equal(1, status, output)
    assert.truthy(output:find("do not broadcast", 1, true), output)
    local result = saved "compare.json"
    assert.equal("compare", result.kind)
    assert.equal("x + x", result.entries[1].name)
    assert.equal("agree", result.entries[2].agreement)
    assert.truthy(result.entries[3].error)
  end)

  it("takes a file that returns a function, or a list of them", function()
    local script = file "work.lua"
    local function write(text)
      local handle = assert(io.open(script, "w"))
      handle:write(text)
      handle:close()
    end
    write "local x = lt.ones(5) return function() return x + 1 end"
    assert.equal(0, run("bench --seconds 0.001 " .. script .. " --json " .. file "one.json"))
    assert.equal("time", saved("one.json").kind)
    write "local x = lt.ones(5) return {{'plus', function() return x + 1 end}, {'minus', function() return x - 1 end}}"
    assert.equal(0, run("bench --seconds 0.001 " .. script .. " --json " .. file "two.json"))
    assert.equal("differ", saved("two.json").entries[2].agreement)
    write "return 7"
    complains(1, script .. ": it has to return a function, or a list of {\"name\", function}", "bench " .. script)
    write "return )"
    complains(1, script .. ":1: unexpected symbol near ')'", "bench " .. script)
  end)

  it("runs a suite of its own, small and large, beside the machine's limits", function()
    local status, output = run("bench --device cpu --dtype float64 --only s --seconds 0.001 --json " .. file "suite.json")
    assert.equal(0, status, output)
    local result = saved "suite.json"
    assert.equal("suite", result.kind)
    local seen = {}
    for _, each in ipairs(result.results) do
      seen[#seen + 1] = each.work.name .. " " .. each.work.size
      assert.equal("float64", each.dtype)
      assert.truthy(output:find("\n" .. each.work.name, 1, true), each.work.name)
    end
    assert.same({"sum 1000", "sum 30000000", "softmax 32 × 32", "softmax 3000 × 3000", "sort 1000", "sort 1000000"}, seen)
    local sum, softmax = result.results[2], result.results[3]
    assert.equal(8 * 30000000, sum.work.bytes)
    assert.equal(2 * 8 * 32 * 32, softmax.work.bytes)
    assert.truthy(sum.share.limit)
    assert.is_nil(result.results[5].share)
    assert.equal(0, run(("diff %s %s"):format(file "suite.json", file "suite.json")))
  end)

  it("says what is wrong", function()
    complains(2, "(: not Lua: unexpected symbol near <eof>", "bench '('")
    complains(2, "x = (: not Lua: unexpected symbol near <eof>", "bench x --setup 'x = ('")
    complains(2, "\"\" is no code", "bench ''")
    complains(1, "an error without words", "bench 'error()'")
    complains(1, "error(\"one\\ntwo\"):1: one; two", "bench 'error(\"one\\ntwo\")'")
    complains(2, "--setup needs code that uses it", "bench --setup x=1")
    complains(2, "--only is of the suite: without code", "bench x --only y")
    complains(1, "no function has \"abc\" in its name: rand; x + y; ", "bench --only abc")
    complains(1, "x:1: x is nothing here", "bench x")
    complains(1, "cannot open nowhere.lua", "bench nowhere.lua")
    complains(2, "--dtype takes a floating-point dtype such as float32, not \"int8\"", "bench --dtype int8")
  end)

  -- The calls take two seconds; the warm-up ends after one.
  it("ends by Ctrl-C with what was measured so far", function()
    local work = "(function() calls = calls + 1; if calls == 200 then io.popen(\"kill -INT $PPID\"):close() end; "
      .. "require(\"luatensor.core\").sleep(0.01) end)()"
    local status, output = run(("bench '%s' --setup 'calls = 0' --seconds 30 --json %s"):format(work, file "stopped.json"))
    assert.equal(130, status, output)
    assert.truthy(output:find("luatensor: interrupted: stopped after ", 1, true), output)
    assert.truthy(saved("stopped.json").incomplete:find "^stopped after %d+ of %d+ rounds$")
  end)
end)

describe("luatensor crossover", function()
  local small = "crossover --first 2 --last 4 --seconds 0.001 "

  it("measures a product of its own accord, and work that is given", function()
    local status, output = run(small .. "--json " .. file "product.json")
    assert.equal(0, status, output)
    assert.truthy(output:find("x:matmul(y)", 1, true))
    assert.equal("crossover", saved("product.json").kind)
    status, output = run(small .. "'x * y + n' --inputs 'lt.ones(n), lt.ones(n)' --dtype float64 --json " .. file "own.json")
    assert.equal(0, status, output)
    local result = saved "own.json"
    assert.equal("x * y + n", result.name)
    assert.equal(2, result.points[1].n)
    assert.equal(4, result.points[#result.points].n)
  end)

  it("writes JSON to the standard output, and nothing else, where that is asked for", function()
    local text = shell.passes(command .. small .. "--json - 2>/dev/null")
    assert.equal("crossover", (require("dkjson").decode(text)).kind)
    assert.equal("{", text:sub(1, 1))
    assert.equal("}\n", text:sub(-2))
  end)

  it("says what is wrong", function()
    complains(2, "x +: not Lua: unexpected symbol near <eof>", small .. "'x +'")
    complains(2, "--last 3 is less than --first 5", "crossover --first 5 --last 3")
    complains(2, "--first takes a whole number from 1 on, not \"0\"", "crossover --first 0")
    complains(2, "--seconds takes seconds, more than 0, not \"-1\"", "crossover --seconds=-1")
    complains(2, "--device abacus: device: unknown device", "crossover --device abacus")
    complains(1, "fooo:1: fooo is nothing here", small .. "fooo")
    complains(1, "x:add(lt.ones(77)):1: add: shapes", small .. "'x:add(lt.ones(77))'")
  end)

  it("ends by Ctrl-C with what was measured so far, shown and saved", function()
    local work = "n >= 8 and io.popen(\"kill -INT $PPID\"):close() or x + y"
    local status, output = run(("crossover '%s' --first 2 --last 64 --seconds 0.001 --json %s"):format(work, file "part.json"))
    assert.equal(130, status, output)
    assert.truthy(output:find("luatensor: interrupted: stopped after 2 of 6 sizes", 1, true), output)
    assert.falsy(output:find("traceback", 1, true))
    local result = saved "part.json"
    assert.equal("stopped after 2 of 6 sizes", result.incomplete)
    assert.equal(2, #result.points)
  end)
end)

describe("luatensor advise", function()
  it("recommends for an expression and for a network", function()
    local status, output = run("advise 'x * 2' --inputs 'lt.ones(n)' --first 2 --last 4 --calls 3 --seconds 0.001 --json "
      .. file "advice.json")
    assert.equal(0, status, output)
    assert.equal("advice", saved("advice.json").kind)
    assert.truthy(output:find("Use ", 1, true), output)
    status, output = run("advise --parameters 100 --batch 2 --training --seconds 0.001 --json " .. file "network.json")
    assert.equal(0, status, output)
    assert.truthy(saved("network.json").name:find("training step", 1, true))
  end)

  it("says what is wrong", function()
    local failed, words = run("advise --parameters 1000000000000 --seconds 0.001", "LUATENSOR_MEMORY_LIMIT=200M")
    assert.equal(1, failed)
    assert.truthy(words:find("No recommendation: nothing could be measured.", 1, true), words)
    complains(2, "--batch is of a network: without code", "advise x --batch 3")
    complains(2, "--inputs is of code: give some", "advise --inputs x")
    complains(2, "--latency is of the table of all models: without other options of the work", "advise x --latency 1")
    complains(2, "--bandwidth is of the table of all models: without other options of the work", "advise --calls 3 --bandwidth 1G")
    complains(2, "--last 3 is less than --first 5", "advise x --first 5 --last 3")
    complains(2, "--parameters takes a whole number from 1 on, not \"many\"", "advise --parameters many")
  end)
end)

describe("luatensor diff", function()
  local function write(name, text)
    local handle = assert(io.open(file(name), "w"))
    handle:write(text)
    handle:close()
    return file(name)
  end

  it("compares what was saved", function()
    shell.passes(command .. "bench 'lt.ones(9)' --seconds 0.001 --json " .. file "a.json")
    local status, output = run(("diff %s %s --json %s"):format(file "a.json", file "a.json", file "diff.json"))
    assert.equal(0, status, output)
    assert.truthy(output:find("Of 1 figures 0 became faster and 0 slower", 1, true), output)
    assert.equal("diff", saved("diff.json").kind)
  end)

  it("refuses what is no result, or of another version, and what has no times", function()
    complains(1, "nowhere.json: No such file or directory", "diff nowhere.json nowhere.json")
    complains(1, "README.md: no JSON", "diff README.md README.md")
    complains(1, write("x.json", "{}") .. ": not a result of luatensor", "diff " .. file "x.json" .. " y")
    local other = write("v.json", '{"format":"luatensor","version":99}')
    complains(1, other .. ": its format is version 99; this luatensor reads version 1", "diff " .. other .. " y")
    shell.passes(command .. "experiment device --json " .. file "e.json")
    complains(1, file "e.json" .. ": a result of kind experiment has no times to compare",
      ("diff %s %s"):format(file "e.json", file "e.json"))
  end)
end)

for _, kind in ipairs(helpers.in_turn {"cuda", "rocm"}) do describe("luatensor on an emulated GPU of the kind " .. kind, function()
  if not shell.exists(gpu.folder .. "/libcuda.so.1") then return pending("make emulator builds it") end
  local environment = gpu.only(kind)
  local nothing = "times say nothing about a"

  it("info says that it is one, and what works", function()
    local status, output = run("info", environment)
    assert.equal(0, status)
    assert.truthy(output:find("An emulator of a GPU on the CPU: its " .. nothing, 1, true), output)
    local isa = ({cuda = "9.0", rocm = "gfx90a"})[kind]
    assert.truthy(output:find(("\n%s:0 %%(emulated%%) +Emulated GPU 0 +%%d+ +%s +512 MiB\n"):format(kind, isa)), output)
    for _, what in ipairs{"element-wise functions", "matrix products", "lt.fft", "lt.linalg"} do
      local said = output:match("\n  " .. what:gsub("%p", "%%%0") .. ": ([^\n]*)") or ""
      assert.equal("work", said, output)
    end
  end)

  local cases = {
    ["the suite"] = "bench --device " .. kind .. " --only x --seconds 0.001",
    ["an expression"] = "bench --device " .. kind .. " 'lt.ones(5) + 1' --seconds 0.001",
    ["a comparison"] = "bench --device " .. kind .. " 'lt.ones(5) + 1' '1 + lt.ones(5)' --seconds 0.001",
    ["a crossover"] = "crossover 'x + y' --first 2 --last 4 --seconds 0.001",
    ["advice"] = "advise 'x + y' --first 2 --last 4 --seconds 0.001",
  }
  for name, arguments in pairs(cases) do
    it(name .. " is marked in what is shown and what is saved", function()
      local status, output = run(arguments .. " --json " .. file "emulated.json", environment)
      assert.equal(0, status, output)
      assert.truthy(output:gsub("%s+", " "):lower():find(nothing, 1, true), output)
      assert.is_true(saved("emulated.json").emulated)
      assert.is_nil(read("emulated.json"):match("\"share\":{[^}]*\"value\""))
    end)
  end
end) end
