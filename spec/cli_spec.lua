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

local commands = {"info", "experiment", "crossover", "diff"}

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
end)
