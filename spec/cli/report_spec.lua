-- tags: process
-- Tests luatensor experiment and luatensor report as a user runs them.

local luatensor = require "spec.support.command"
local shell = require "spec.support.shell"

local run, complains, file, read, saved = luatensor.run, luatensor.complains, luatensor.file, luatensor.read, luatensor.saved
local command = luatensor.name

teardown(luatensor.clean)

describe("luatensor experiment", function()
  it("runs one, with its options, and saves its result", function()
    local status, output = run("experiment small --iterations 3 --rows 5 --cols 4 --device cpu --json " .. file "small.json")
    assert.equal(0, status, output)
    assert.truthy(output:find("3 × 5 × 4 float32 on cpu: elapsed time ", 1, true), output)
    local result = saved "small.json"
    assert.equal("experiment", result.kind)
    assert.equal("03_small", result.name)
    assert.equal(3, result.options.iterations)
    assert.is_true(result.values.seconds.value > 0)
  end)

  it("leaves the standard output to the JSON, where that is asked for", function()
    local text = shell.passes(command .. "experiment small --iterations 2 --json - 2>/dev/null")
    assert.equal("03_small", (require("dkjson").decode(text)).name)
    assert.equal("{", text:sub(1, 1))
  end)

  -- With this file as LUA_INIT, the process gets Ctrl-C when its third experiment starts.
  local pressing = file "pressing.lua"
  local handle = assert(io.open(pressing, "w"))
  handle:write [[
    local experiment = require "luatensor.experiment"
    local run, runs = experiment.run, 0
    function experiment.run(...)
      runs = runs + 1
      if runs == 3 then io.popen("kill -INT $PPID"):close() end
      return run(...)
    end]]
  handle:close()
  local pressed = ("LUA_PATH='lua/?.lua;lua/?/init.lua;;' LUA_CPATH='build/?.so;;' LUA_INIT=@%s"):format(pressing)

  it("all ends by Ctrl-C with the experiments so far", function()
    local status, output = run("experiment all --iterations 1 --rows 4 --cols 3 --json " .. file "all.json", pressed)
    assert.equal(130, status, output)
    assert.truthy(output:find("luatensor: interrupted: stopped in 03_small\n$"), output)
    local result = saved "all.json"
    assert.equal("suite", result.kind)
    assert.equal("stopped in 03_small", result.incomplete)
    assert.equal("02_large", result.results[2].name)
    assert.is_nil(result.results[3])
  end)

  it("all goes on after one that fails, and says so", function()
    local broken = file "broken.lua"
    local script = assert(io.open(broken, "w"))
    script:write [[
      local experiment = require "luatensor.experiment"
      local list, run = experiment.list, experiment.run
      function experiment.list() return table.move(list(), 1, 3, 1, {}) end
      function experiment.run(name, ...)
        if name == "02_large" then error("no luck", 0) end
        return run(name, ...)
      end]]
    script:close()
    local status, output = run("experiment all --iterations 1 --rows 4 --cols 3 --json " .. file "all.json",
      pressed:gsub("@.*", "@" .. broken))
    assert.equal(1, status, output)
    assert.truthy(output:find("02_large: no luck", 1, true), output)
    local result = saved "all.json"
    assert.equal("03_small", result.results[2].name)
    assert.same({"02_large: no luck"}, result.problems)
  end)

  it("says what is wrong", function()
    complains(2, "no experiment \"larg\"; did you mean \"large\"?", "experiment larg")
    complains(2, "the experiment's name comes first, then its options: --rows", "experiment --rows 3")
    complains(2, "--json needs a value", "experiment small --json")
    complains(1, "nowhere/x.json: No such file or directory", "experiment small --json=nowhere/x.json")
  end)
end)

describe("luatensor report", function()
  it("writes pages by the endings of the files, and the same again from its JSON", function()
    local files = ("%s %s %s"):format(file "report.html", file "report.md", file "report.json")
    local status, output = run("report --sizes tiny --device cpu -o " .. files)
    assert.equal(0, status, output)
    assert.equal("report", saved("report.json").kind)
    assert.truthy(read("report.html"):find("^<!doctype html>") or read("report.html"):find("^<!DOCTYPE html>"))
    assert.truthy(read("report.md"):find("^# "))
    assert.truthy(output:find("report: ", 1, true))              -- in a pipe, one line for each part
    assert.equal(0, run(("report --from %s -o %s"):format(file "report.json", file "again.html")))
    assert.equal(read "report.html", read "again.html")
  end)

  it("keeps what was measured before Ctrl-C", function()
    local pressing = file "pressing_report.lua"
    local handle = assert(io.open(pressing, "w"))
    handle:write [[
      local experiment = require "luatensor.experiment"
      function experiment.run() io.popen("kill -INT $PPID"):close() for _ = 1, 10 do end end]]
    handle:close()
    local status, output = run("report --sizes tiny --device cpu -o " .. file "part.json" .. " " .. file "part.html",
      ("LUA_PATH='lua/?.lua;lua/?/init.lua;;' LUA_CPATH='build/?.so;;' LUA_INIT=@%s"):format(pressing))
    assert.equal(130, status, output)
    assert.truthy(saved("part.json").incomplete:find("^stopped in part "))
    assert.truthy(read("part.html"):find("stopped in part ", 1, true))
    assert.truthy(output:find("luatensor: interrupted: stopped in part ", 1, true), output)
  end)

  it("says what is wrong before it measures", function()
    complains(2, "-o x.pdf: a file that ends in .html, .md, .json or .txt expected", "report -o x.pdf")
    complains(1, "nowhere/x.html: No such file or directory", "report -o nowhere/x.html")
    complains(2, "-o needs a value", "report -o")
    complains(2, "--sizes takes one of full, quick, tiny", "report --sizes huge")
    complains(1, "nowhere.json: No such file or directory", "report --from nowhere.json")
    shell.passes(command .. "bench 'lt.ones(9)' --seconds 0.001 --json " .. file "b.json")
    complains(1, file "b.json" .. ": a result of kind time, not a report", "report --from " .. file "b.json")
  end)
end)
