--- The workers of a loader: processes that fetch its batches. Each runs a Lua interpreter of its own, because a copy of
-- this process by fork could use neither its threads nor its GPU.
--
-- The workers fetch the batches of an epoch in turn. Each worker has at most one request at a time, and gets the next
-- one as soon as its batch has been received. So each worker is one batch ahead of the loop.

local blame = require "luatensor.base.blame"
local core = require "luatensor.core"
local how_ended = require "luatensor.base.how_ended"
local interpreter = require "luatensor.base.interpreter"
local lt = require "luatensor"
local message = require "luatensor.data.message"
local outside = require "luatensor.base.outside"

-- ---- one worker ----

-- Field `state`: "ready"; "asked", if no loop has taken the answer to the last request; or "broken" during an exchange.
-- The state remains "broken" if an error or Ctrl-C ends the exchange in the middle of a message, or if the process has
-- ended. One assignment changes the state, because Ctrl-C may come between two.
local Worker = {}
Worker.__index = Worker

-- Calls f(channel, …), which exchanges a message. Afterwards the worker is in state `after`. Returns false or nil if
-- the process has ended.
function Worker:exchange(after, f, ...)
  self.state = "broken"
  local result = f(self.channel, ...)
  if result then self.state = after end
  return result
end

-- Raises the error that the process has ended.
function Worker:fail()
  local how, code = self.channel:finish()
  local reason = how == "signal" and code == 9 and "; memory may have run out" or ""
  if how == "exit" and code ~= 0 and not self.answered then
    reason = ("; is %q an interpreter of Lua 5.4 that finds luatensor?"):format(self.program)
  end
  blame.fail("Loader", "worker %d %s%s", self.number, how_ended(how, code), reason)
end

local function start(pool, number)
  local channel, why = core.worker(pool.words)
  if not channel then blame.fail("Loader", "worker %d cannot be started: %s", number, why) end
  local self = setmetatable({channel = channel, number = number, program = pool.words[1]}, Worker)
  for _, packed in ipairs {pool.settings, pool.source} do
    if not self:exchange("ready", message.send, packed) then self:fail() end
  end
  return self
end

-- Returns the message that answers the last request, or nil if the process has ended.
function Worker:receive()
  local received = self:exchange("ready", message.receive)
  self.answered = self.answered or received ~= nil
  return received
end

-- Asks for a batch. An earlier answer that no loop has taken is dropped. Returns false or nil if the process has ended.
function Worker:ask(request)
  local packed = message.pack(request, "the request")
  if self.state == "asked" and not self:receive() then return false end
  return self:exchange("asked", message.send, packed)
end

-- Returns the answer to the last request. Raises the error that the request caused.
function Worker:answer()
  local received = self:receive()
  if not received then self:fail() end
  local answer = message.unpack(received)
  if not answer.problem then return answer end
  local at = answer.making and ", making the data set" or answer.sample and ", sample " .. answer.sample or ""
  blame.fail("Loader", "worker %d%s: %s", self.number, at, answer.problem)
end

-- ---- the workers of an epoch ----

-- A list of workers, which is empty before the first batch, and again after an error.
local Team = {}
Team.__index = Team

-- Asks the worker whose turn it is for the next batch, if there is one.
local function ask(team, turn)
  local request = team.requests()
  if request and not team[turn]:ask(request) then team[turn]:fail() end
end

-- Takes an idle worker from the pool for the team, and asks it for the next batch, if there is one. Starts a new worker
-- if there is no idle one, or if its process has ended since the last epoch.
local function take(team, i)
  local pool, request = team.pool, team.requests()
  local worker = pool.idle[i]
  pool.idle[i] = nil
  team[i] = worker
  if worker and (not request or worker:ask(request)) then return end
  if worker then worker.channel:finish() end
  team[i] = start(pool, i)
  if request and not team[i]:ask(request) then team[i]:fail() end
end

local function open(team)
  team.turn, team.requests = 1, team.begin()
  for i = 1, math.min(team.pool.count, team.most) do take(team, i) end
end

local undo = {__close = function(guard, problem) if problem ~= nil then guard.of:close() end end}

-- Returns a guard for a `<close>` variable. The guard closes a team or a pool if an error ends the variable's block.
local function close_after_error(of) return setmetatable({of = of}, undo) end

-- Returns the values of the next batch. After an error the next call begins anew, with the batch that failed.
function Team:next()
  local _ <close> = close_after_error(self)
  if #self == 0 then open(self) end
  local turn = self.turn
  local values = self[turn]:answer().values
  ask(self, turn)
  self.turn = turn % #self + 1
  return table.unpack(values, 1, values.n)
end

-- Returns the workers to the pool. Ends those that cannot be used any more.
function Team:close()
  local idle = self.pool.idle
  for i = #self, 1, -1 do
    local worker = table.remove(self)
    if worker.state == "broken" or idle[i] then worker.channel:finish() else idle[i] = worker end
  end
end

Team.__close = Team.close

-- ---- all workers of a loader ----

local Pool = {}
Pool.__index = Pool

-- Makes the team of an epoch.
-- @int most the number of its batches
-- @tparam function begin returns a function that returns the requests of the batches one after the other, and then nil;
--   the first is that of the batch after the last one that the loop had
-- @treturn Team
function Pool:team(most, begin) return setmetatable({pool = self, most = most, begin = begin}, Team) end

-- Returns the size and the text of the data set that a worker has made.
function Pool:describe()
  local worker = start(self, 1)
  self.idle[1] = worker
  local _ <close> = close_after_error(self)
  if not worker:ask {} then worker:fail() end
  return (worker:answer())
end

-- Ends the workers that no epoch uses.
function Pool:close()
  for _, worker in pairs(self.idle) do worker.channel:finish() end
  self.idle = {}
end

-- Returns the command that starts a worker.
local function words_of(program)
  program = program or interpreter(rawget(_G, "arg"))
  if not program then
    blame.fail("Loader", "workers: this program is no Lua interpreter; name one by option interpreter = \"lua5.4\"")
  end
  local code = "package.path, package.cpath = %q, %q; require 'luatensor.data.serve' ()"
  return {program, "-e", code:format(package.path, package.cpath)}
end

--- Makes the pool of a loader, without starting a process.
-- @int count the number of workers
-- @param source a data set, or a function that makes one
-- @string[opt] program the Lua interpreter
-- @treturn Pool
return function(count, source, program)
  outside.check("Loader", "debug", "package")
  return setmetatable({
    count = count, words = words_of(program), idle = {},
    settings = message.pack({dtype = lt.get_default_dtype(), arg = rawget(_G, "arg")}, "the settings"),
    source = message.pack(source, type(source) == "function" and "the function" or "the data set", true),
  }, Pool)
end
