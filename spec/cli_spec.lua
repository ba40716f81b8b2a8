-- The command luatensor as a user runs it, in processes of its own.

local shell = require "spec.support.shell"

local command = "bin/luatensor "

-- Exit status and both streams of the command with these arguments.
local function run(arguments, environment)
  return shell.run(("%s %s%s"):format(environment or "", command, arguments))
end

-- It ends with a status and one line on its streams that contains the message.
local function complains(status, message, arguments, environment)
  local got, output = run(arguments, environment)
  assert.equal(status, got, output)
  assert.truthy(output:find("luatensor: " .. message, 1, true), output)
  assert.equal(1, select(2, output:gsub("\n", "")), output)
end

local commands = {"info", "experiment", "bench", "crossover", "advise", "report", "diff"}

describe("luatensor", function()
  it("--help lists the subcommands, and each has one with an example", function()
    local _, overview = run "--help"
    for _, name in ipairs(commands) do
      assert.truthy(overview:find("\n   " .. name .. " +%l"), name)
      local status, output = run(name .. " --help")
      assert.equal(0, status)
      assert.truthy(output:find("Usage: luatensor " .. name, 1, true), output)
      assert.truthy(output:find("Example:\n   luatensor " .. name, 1, true), output)
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
    for path, least in pairs{["README.md"] = 5, ["docs/command.md"] = 7} do
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

  it("Ctrl-C while it loads is no missing rock", function()
    for _, name in ipairs{"argparse", "dkjson", "luatensor.cli"} do
      local early = ([[LUA_INIT='package.preload["%s"] = function() error("interrupted!", 0) end']]):format(name)
      local status, output = run("diff a b", early)
      assert.equal(130, status, output)
      assert.equal(1, select(2, output:gsub("\n", "")), output)
    end
  end)

  it("runs by a link to it, and by a link to that", function()
    local folder = shell.passes("mktemp -d"):sub(1, -2)
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

  it("says which package of JSON is missing, if it takes JSON", function()
    local hidden = "LUA_INIT='package.preload.dkjson = function() error(\"gone\") end'"
    complains(1, "needs dkjson: install the package lua-dkjson (Debian, Ubuntu) or the rock dkjson", "diff a b", hidden)
    assert.equal(0, run("info", hidden))
  end)
end)

local folder = shell.passes("mktemp -d"):sub(1, -2)
teardown(function() os.execute("rm -r " .. folder) end)

local function file(name) return folder .. "/" .. name end

local function read(name)
  local handle = assert(io.open(file(name)))
  local text = handle:read "a"
  handle:close()
  return text
end

-- The result that was saved under a name, as plain JSON.
local function saved(name) return (require("dkjson").decode(read(name))) end

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

  -- Before the third experiment Ctrl-C is pressed.
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

  it("ends by Ctrl-C with what was measured so far", function()
    local work = "(function() calls = calls + 1; if calls == 60 then io.popen(\"kill -INT $PPID\"):close() end; "
      .. "require(\"luatensor.core\").sleep(0.01) end)()"
    local status, output = run(("bench '%s' --setup 'calls = 0' --seconds 3 --json %s"):format(work, file "stopped.json"))
    assert.equal(130, status, output)
    assert.truthy(output:find("luatensor: interrupted: stopped after ", 1, true), output)
    assert.truthy(saved("stopped.json").incomplete:find "^stopped after %d+ of %d+ rounds$")
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
    complains(2, "--batch is of a network: without code", "advise x --batch 3")
    complains(2, "--inputs is of code: give some", "advise --inputs x")
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

describe("luatensor report", function()
  it("writes pages by the endings of the files, and the same again from its JSON", function()
    local files = ("%s %s %s"):format(file "report.html", file "report.md", file "report.json")
    local status, output = run("report --sizes tiny --device cpu -o " .. files)
    assert.equal(0, status, output)
    assert.equal("report", saved("report.json").kind)
    assert.truthy(read("report.html"):find("^<!doctype html>") or read("report.html"):find("^<!DOCTYPE html>"))
    assert.truthy(read("report.md"):find("^# "))
    assert.truthy(output:find("report: ", 1, true))              -- a line a part, in a pipe
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

describe("luatensor on a terminal", function()
  local function on_terminal(arguments)
    return shell.run(("TERM=xterm script -qec '%s%s' /dev/null </dev/null"):format(command, arguments))
  end

  it("shows on one line what it does, and takes it away before the results", function()
    if not os.execute("command -v script >/dev/null") then return pending "script (bsdutils) makes a terminal" end
    local status, output = on_terminal "bench \"lt.ones(9)\" --seconds 0.001"
    assert.equal(0, status, output)
    assert.truthy(output:find("^\rbench: lt.ones%(9%)"), output)
    local results = output:match("\r\27%[K([^\r].*)$")           -- after the last time that the line went
    assert.truthy(results:find("^lt.ones%(9%): "), output)
    assert.falsy(results:find("\27", 1, true), output)
  end)

  it("leaves nothing of the line after Ctrl-C", function()
    if not os.execute("command -v script >/dev/null") then return pending "script (bsdutils) makes a terminal" end
    local script = file "pressed.lua"
    local handle = assert(io.open(script, "w"))
    handle:write [[
      local calls = 0
      return function()
        calls = calls + 1
        if calls == 60 then io.popen("kill -INT $PPID"):close() end
        require("luatensor.core").sleep(0.01)
      end]]
    handle:close()
    local status, output = on_terminal(("bench %s --seconds 3"):format(script))
    assert.equal(130, status, output)
    assert.truthy(output:find("\r\27%[K[^\r\27]*: [^\27]+\r\nluatensor: interrupted: stopped after %d+ of %d+ rounds\r\n$"), output)
  end)

  it("leaves nothing of the line when it is wrong", function()
    if not os.execute("command -v script >/dev/null") then return pending "script (bsdutils) makes a terminal" end
    local status, output = on_terminal "bench \"lt.ones(9) + lt.ones(8)\""
    assert.equal(1, status, output)
    assert.truthy(output:find("\r\27%[Kluatensor: [^\r\27]+\r\n$"), output)
  end)
end)

describe("luatensor on an emulated GPU", function()
  local folder_of_emulator = (os.getenv "BUILD" or "build") .. "/spec"
  if not shell.exists(folder_of_emulator .. "/emulator/libcuda.so.1") then return pending("make emulator builds it") end
  local environment = ("LUATENSOR_CUDA_PATH=%s/emulator LUATENSOR_CACHE=%s/kernels"):format(folder_of_emulator,
    folder_of_emulator)
  local nothing = "times say nothing about a"

  it("info says that it is one, and what works", function()
    local status, output = run("info", environment)
    assert.equal(0, status)
    assert.truthy(output:find("An emulator of a GPU on the CPU: its " .. nothing, 1, true), output)
    for _, what in ipairs{"element-wise functions", "matrix products", "lt.fft", "lt.linalg"} do
      assert.truthy(output:find(what .. ": work\n", 1, true), output)
    end
  end)

  local cases = {
    ["the suite"] = "bench --device cuda --only x --seconds 0.001",
    ["an expression"] = "bench --device cuda 'lt.ones(5) + 1' --seconds 0.001",
    ["a comparison"] = "bench --device cuda 'lt.ones(5) + 1' '1 + lt.ones(5)' --seconds 0.001",
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
end)

describe("luatensor info", function()
  it("names the devices and says why there is no GPU and what to do", function()
    local status, output = run("info", "LUATENSOR_CUDA_PATH=/nowhere")
    assert.equal(0, status)
    assert.truthy(output:find("\ncpu  +%S"), output)
    local lt = require "luatensor"
    if lt.cuda.is_available() then return end
    assert.truthy(output:find("GPU not found: " .. select(2, lt.cuda.is_available()), 1, true), output)
    assert.truthy(output:find("what to do: ", 1, true))
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

  -- What it says to do in an environment where no GPU can be used.
  local function cure(environment)
    return select(2, run("info", environment)):match("GPU not found: [^\n]*\n  what to do: ([^\n]*)\n")
  end

  it("has a cure for every way in which a GPU cannot be used", function()
    local empty, driver = file "no-libraries", file "driver"
    shell.passes(("mkdir -p %s %s; cp %s/libcuda.so.1 %s"):format(empty, driver, emulator, driver))
    assert.equal("install the NVIDIA driver", cure("LD_LIBRARY_PATH= LUATENSOR_CUDA_PATH=" .. empty))
    assert.equal("install it, or name its folder in `LUATENSOR_CUDA_PATH`", cure("LUATENSOR_CUDA_PATH=" .. driver))
    local emulated = ("LUATENSOR_CUDA_PATH=%s LUATENSOR_EMULATOR="):format(emulator)
    assert.equal("update the driver", cure(emulated .. "driver=11040"))
    assert.equal("as it says", cure(emulated .. "driver=12040"))
    assert.truthy(cure(emulated .. "no_device"):find("in a container", 1, true))
  end)
end)
