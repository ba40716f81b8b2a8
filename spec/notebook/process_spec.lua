-- tags: process
-- Tests the process of a notebook, with requests from a file: messages, interrupts, and the end of the kernel.
local json = require "dkjson"
local lt = require "luatensor"
local shell = require "spec.support.shell"

local folder = shell.folder()

teardown(function() os.execute("rm -r " .. folder) end)

-- Runs cells in a process. A request may also be a table, which is sent as it is. The process's pipe `life` stays open,
-- unless `kernel` is a shell command, whose end closes the pipe. Returns the exit status, the output and the messages of
-- the process, and the elapsed seconds.
local function serve(requests, kernel)
  local parts = {}
  for i, request in ipairs(requests) do
    if type(request) == "string" then request = {kind = "execute", code = request, number = i} end
    parts[i] = string.pack("<s4", json.encode(request))
  end
  shell.write(folder .. "/requests", table.concat(parts))
  os.execute(("cd %s && rm -f life replies && mkfifo life"):format(folder))
  local lua = ([[tools/lua -e 'require("luatensor.notebook").serve(3, 4, 5)' </dev/null 4<%s/requests 5>%s/replies]])
    :format(folder, folder)
  local started = lt.clock()
  local status, output = shell.run(kernel and ("%s | { %s 3<&6; } 6<&0"):format(kernel, lua) or ("%s 3<>%s/life"):format(lua, folder))
  local messages, replies, at = {}, shell.read(folder .. "/replies"), 1
  while at <= #replies do
    local text
    text, at = string.unpack("<s4", replies, at)
    messages[#messages + 1] = json.decode(text)
  end
  return status, output, messages, lt.clock() - started
end

local SHOWN = {kind = "shown"}                         -- the kernel's answer to a display

describe("the process of a notebook", function()
  it("answers requests, keeps its state and ends with the requests", function()
    local status, output, messages = serve({"x = lt.ones(2):sum():item()", "print 'printed'\nx + 1",
      "os.execute 'echo by a program'", "io.read()", {kind = "complete", code = "lt.logs", cursor = 7},
      {kind = "inspect", code = "lt.rand", cursor = 7}, {kind = "is_complete", code = "1 +"}})
    assert.equal(0, status, output)
    assert.equal("printed\nby a program\n", output)
    assert.equal("ready", messages[1].kind)
    assert.equal(lt._VERSION, messages[1].version)
    assert.equal("3.0", messages[3].data["text/plain"])
    assert.equal("nil", messages[5].data["text/plain"])
    assert.same({"logsumexp"}, messages[6].names)
    assert.truthy(messages[7].text:find("lt.rand(", 1, true))
    assert.equal("incomplete", messages[8].status)
    assert.equal(8, #messages)
  end)

  it("answers a request for help about a value whose text fails or never ends", function()
    local status, output, messages = serve({
      "failing = setmetatable({}, {__tostring = function() error 'no text' end})\nkept = 1",
      {kind = "inspect", code = "failing", cursor = 7},
      "endless = setmetatable({}, {__tostring = function() while true do end end})",
      "os.execute '(sleep 0.3; kill -USR1 $PPID) &'",
      {kind = "inspect", code = "endless", cursor = 7}, "kept"})
    assert.equal(0, status, output)
    assert.equal("In[1]:1: no text", messages[3].text)
    assert.truthy(messages[6].text:find "interrupted!$", messages[6].text)
    assert.equal("1", messages[7].data["text/plain"])
  end)

  it("shows values while a cell runs", function()
    local _, _, messages = serve({"shown = display{1}\nshown:update 'two';", SHOWN, SHOWN})
    local kinds = {}
    for i, each in ipairs(messages) do kinds[i] = each.kind end
    assert.same({"ready", "display", "update", "done"}, kinds)
    assert.equal(messages[2].id, messages[3].id)
    assert.equal("{1}", messages[2].data["text/plain"])
    assert.equal("two", messages[3].data["text/plain"])
  end)

  it("survives interrupts in Lua, in coroutines and in operations", function()
    local interrupt = "os.execute 'kill -USR1 $PPID; kill -INT $PPID'\n"
    local later = "os.execute '(sleep 0.3; kill -USR1 $PPID) &'\n"
    local twice = "os.execute '(sleep 0.1; kill -USR1 $PPID; sleep 0.2; kill -USR1 $PPID) &'\n"
    local cells = {
      "kept = 5", interrupt .. "while true do end", later .. "while true do end",
      later .. "coroutine.wrap(function() while true do end end)()",
      later .. "coroutine.resume(coroutine.create(function() while true do end end))",
      later .. "x = lt.rand(500, 500)\nwhile true do x = x:matmul(x):tanh() end",
      twice .. "while true do pcall(function() while true do end end) end",
      "kept", later .. "require('luatensor.core').sleep(20) kept = 6", "os.execute 'kill -USR1 $PPID'",
      "-- an interrupt between two cells does nothing\nkept",
    }
    local status, output, messages = serve(cells)
    assert.equal(0, status, output)
    for _, i in ipairs{2, 3, 4, 5, 6, 7, 9} do
      assert.equal("error", messages[i + 1].status, cells[i])
      assert.truthy(messages[i + 1].message:find "interrupted!?$", messages[i + 1].message)
    end
    assert.equal("In[3]:2: interrupted!", messages[4].message)
    assert.equal("Interrupt", messages[4].name)
    assert.equal("5", messages[9].data["text/plain"])
    assert.equal("5", messages[12].data["text/plain"])
  end)

  it("has coroutines that behave as before", function()
    local _, _, messages = serve({
      "local f = coroutine.wrap(function(a) local b = coroutine.yield(a + 1) return b * 2, 'end' end)\nf(1), f(10)",
      "coroutine.resume(coroutine.create(function() error 'inside' end))",
      "coroutine.wrap(function() error({}) end)()", "coroutine.wrap(function() error 'inside' end)()",
      "coroutine.resume(5)", "coroutine.isyieldable(), coroutine.wrap(coroutine.isyieldable)()",
      "local log = {}\nlocal w = coroutine.wrap(function() local c <close> = setmetatable({}, {__close = function() log[1] = 'closed' end})"
        .. " error 'x' end)\npcall(w)\nlog[1]"})
    assert.equal("2\t20\tend", messages[2].data["text/plain"])
    assert.equal("false\tIn[2]:1: inside", messages[3].data["text/plain"])
    assert.equal("the error value is a table: {}", messages[4].message)
    assert.truthy(messages[5].message:find "In%[4%]:1: inside$")
    assert.truthy(messages[6].message:find "bad argument #1 to 'resume' %(coroutine expected%)")
    assert.equal("false\ttrue", messages[7].data["text/plain"])
    assert.equal("closed", messages[8].data["text/plain"])
  end)

  it("ends at once when the kernel has ended, also in a cell", function()
    local status, _, messages, elapsed = serve({"while true do end"},
      ("(while [ ! -s %s/replies ]; do sleep 0.05; done; sleep 0.2)"):format(folder))
    assert.equal(128 + 9, status)
    assert.equal(1, #messages)
    assert.is_true(elapsed < 30)
  end)
end)
