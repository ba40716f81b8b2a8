-- tags: texts
-- Tests the progress of a run and its remaining time, with a fake clock and a fake stream, and on a terminal.

local progress = require "luatensor.bench.progress"
local shell = require "spec.support.shell"

local now, written

local stream = {}
function stream:write(...)
  for _, text in ipairs{...} do written = written .. text end
  return self
end
function stream:flush() return self end

-- Returns the text of the progress line at the end of the output, or nil if there is none.
local function line()
  local last = written:match("\r([^\r]*)$")
  return last and last:gsub("\27%[K", "") or nil
end

local kept = {}

local function columns(n)
  progress.columns = function() return n end
end

describe("progress on a terminal", function()
  before_each(function()
    for _, name in ipairs{"stream", "clock", "columns"} do kept[name] = progress[name] end
    now, written = 100, ""
    progress.stream, progress.clock = stream, function() return now end
    columns(80)
  end)

  after_each(function()
    for name, value in pairs(kept) do progress[name] = value end
  end)

  it("says nothing in the first second, then what runs and how long it will take", function()
    local task <close> = progress.task("crossover", 4)
    task:step "16 × 16"
    now = now + 0.9
    task:step "32 × 32"
    assert.equal("", written)
    now = now + 0.9                        -- half is done in 1.8 s
    task:step "64 × 64"
    assert.equal("crossover: 64 × 64 (3 of 4), about 2 s left", line())
  end)

  it("is gone at the end, by whatever end", function()
    local function run(last)
      local task <close> = progress.task("work", 2)
      task:step "one"
      now = now + 3
      task:step "two"
      assert.equal("work: two (2 of 2), about 3 s left", line())
      last()
    end
    run(function() end)
    assert.equal("", line())
    assert.is_false(pcall(run, function() error "no" end))
    assert.equal("", line())
    assert.equal("\r\27[K", written:sub(-4))
  end)

  it("divides the current step among the steps of an inner task", function()
    local outer <close> = progress.task("report", 10)
    outer:step("machine", 2)
    now = now + 4                          -- 2 of 10 took 4 s
    outer:step("experiments", 8)
    local inner <close> = progress.task("experiments", 4)
    inner:step "first"
    now = now + 4                          -- 4 of 10 took 8 s: 12 s left
    inner:step "second"
    assert.equal("report: experiments · second, about 12 s left", line())
  end)

  it("counts what was told until more is known", function()
    local task <close> = progress.task("bench", 10, {seconds = 20})
    task:step "x + y"
    assert.equal("bench: x + y (1 of 10), about 20 s left", line())
    -- 2 of 10 steps take 8 s, so 8 steps take 32 s. After a fifth of the steps, the given estimate of
    -- 20 s has no weight any more.
    now = now + 8
    task:step("exp", 1)
    task:step("sum", 1)
    assert.equal("bench: sum (3 of 10), about 32 s left", line())
  end)

  it("says minutes from 90 s on", function()
    local task <close> = progress.task("report", 2, {seconds = 600})
    task:step "all"
    assert.equal("report: all (1 of 2), about 10 min left", line())
  end)

  it("takes a share of a loop that looks now and then", function()
    local task <close> = progress.task("loop", 100)
    task:reach(1, "round 1 of 100")
    now = now + 2
    task:reach(50, "round 50 of 100")
    assert.equal("loop: round 50 of 100, about 2 s left", line())
  end)

  it("of a narrow terminal says the time that is left", function()
    columns(40)
    local task <close> = progress.task("crossover", 2, {seconds = 5})
    task:step "a very long text × for a narrow terminal"
    assert.equal("crossover: a very long…, about 5 s left", line())
    assert.is_true(utf8.len(line()) < 40)
  end)

  it("stays one line", function()
    columns(24)
    local task <close> = progress.task("crossover", 2, {seconds = 5})
    task:step "a very long text × for a narrow terminal"
    assert.equal("crossover: a very long…", line())
    assert.is_true(utf8.len(line()) < 24)
  end)

  it("draws no more than ten times a second within a step", function()
    local outer <close> = progress.task("time", 1, {seconds = 10})
    outer:step "rounds"
    local before = #written
    local inner <close> = progress.task("rounds", 1000)
    for i = 1, 1000 do
      now = now + 0.001
      inner:step("round " .. i)
    end
    local _, drawn = written:sub(before + 1):gsub("\r", "")
    assert.is_true(drawn >= 9 and drawn <= 10, drawn)
  end)

  it("makes room for who prints", function()
    local task <close> = progress.task("work", 2, {seconds = 9})
    task:step "one"
    progress.clear()
    assert.equal("", line())
    local before = written
    progress.clear()
    assert.equal(before, written)
  end)

  it("does not mind what an error left, steps after the end, nor a second end", function()
    local outer = progress.task("outer", 2, {seconds = 9})
    local left = progress.task("left", 2)
    outer:finish()
    local before = written
    left:step "late"
    left:finish()
    outer:finish()
    assert.equal(before, written)
    local task <close> = progress.task("next", 1, {seconds = 9})
    task:step "one"
    assert.equal("next: one, about 9 s left", line())
  end)

  it("is silent in a pipe, but for steps that were asked for", function()
    columns(nil)
    local quiet = progress.task("quiet", 3, {seconds = 9})
    quiet:step "one"
    now = now + 5
    quiet:step "two"
    quiet:finish()
    assert.equal("", written)
    local task <close> = progress.task("report", 3, {lines = true})
    task:step "machine"
    local inner <close> = progress.task("inner", 5, {lines = true})
    inner:step "nobody's"
    task:step "cores"
    assert.equal("report: machine (1 of 3)\nreport: cores (2 of 3)\n", written)
  end)
end)

describe("progress of a process", function()
  local script = os.tmpname()
  local file = assert(io.open(script, "w"))
  file:write [[
    local progress = require "luatensor.bench.progress"
    local core = require "luatensor.core"
    print "before"
    do
      local task <close> = progress.task("work", 3, {seconds = 5})
      for i = 1, 3 do task:step("part " .. i) core.sleep(0.05) end
    end
    print "after"]]
  file:close()
  teardown(function() os.remove(script) end)

  it("is on the terminal's line, and gone at the end", function()
    local status, output = shell.on_terminal("xterm", "tools/lua " .. script)
    if not status then return pending "no terminal can be made here" end
    assert.equal(0, status, output)
    assert.truthy(output:find("before\r\n\rwork: part 1 (1 of 3), about 5 s left\27[K\r", 1, true), output)
    assert.truthy(output:find("\r\27%[Kafter\r\n$"), output)
    assert.same({0, "before\r\nafter\r\n"}, {shell.on_terminal("dumb", "tools/lua " .. script)})
  end)

  it("is not in a pipe", function()
    assert.equal("before\nafter\n", shell.passes("tools/lua " .. script))
  end)
end)
