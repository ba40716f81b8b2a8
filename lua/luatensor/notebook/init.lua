--- Runs the cells of a Jupyter notebook. The kernel, which is the Python package in jupyter/, starts a process
-- `lua5.4 -e 'require("luatensor.notebook").serve(…)'` for each notebook and sends requests. docs/notebooks.md
-- describes notebooks for users.

require "luatensor.base.requirements"
require("luatensor.base.outside").check("luatensor.notebook", "debug", "io", "os", "coroutine", "utf8")

local lt = require "luatensor"
local args = require "luatensor.base.args"
local cell = require "luatensor.notebook.cell"
local channel = require "luatensor.notebook.channel"
local complete = require "luatensor.notebook.complete"
local coroutines = require "luatensor.notebook.coroutines"
local inspect = require "luatensor.notebook.inspect"
local mime = require "luatensor.notebook.mime"

local notebook = {}

-- ---- display ------------------------------------------------------------------------------------

local Display = {}
Display.__index = Display

local count = 0                       -- displays so far

-- Waits for the kernel's answer, so that the cell's next output follows the display.
local function show(kind, id, value)
  channel.exchange{kind = kind, id = id, data = mime.of(value)}
end

-- Replaces the value that is displayed, and returns the display itself.
function Display:update(value)
  show("update", self.id, value)
  return self
end

function Display:__tostring() return "display " .. self.id end

--- Shows a value in the output of the running cell: a tensor, a table or a model as HTML, a figure as a picture. In
-- notebooks, this function is the global `display`.
-- @param value any value; if its metatable has a function __mime, the function returns its representations, a table of
--   texts by mime type
-- @treturn Display an object whose method `update` shows another value in the same place
function notebook.display(value)
  count = count + 1
  local id = ("luatensor-%d"):format(count)
  show("display", id, value)
  return setmetatable({id = id}, Display)
end

-- ---- requests -----------------------------------------------------------------------------------

local handlers = {}

function handlers.execute(request) return cell.run(request.code, request.number) end

function handlers.complete(request)
  local names, start, stop = complete.at(request.code, request.cursor)
  return {names = names, start = start, stop = stop}
end

-- Help shows values, which may call functions of the script. If such a function fails, the help is its error message.
function handlers.inspect(request)
  return {text = select(2, cell.protect(inspect.at, request.code, request.cursor))}
end

function handlers.is_complete(request) return {status = cell.completeness(request.code)} end

function handlers.exit() os.exit(true, true) end

--- Serves the requests of a kernel, until it closes its pipes.
-- @int life a pipe; when the kernel closes it or ends, this process ends at once
-- @int requests a pipe
-- @int replies a pipe
function notebook.serve(life, requests, replies)
  for i, fd in ipairs{life, requests, replies} do args.integer("serve", "pipe " .. i, fd, 0, 2 ^ 31) end
  channel.open(life, requests, replies)
  require "luatensor.globals"
  rawset(_G, "display", notebook.display)
  coroutines.install()
  io.stdout:setvbuf "no"
  warn "@on"
  channel.send{kind = "ready", version = lt._VERSION, lua = _VERSION}
  for request in channel.receive do
    local reply = handlers[request.kind](request)
    reply.kind = "done"
    channel.send(reply)
  end
  os.exit(true)
end

return notebook
