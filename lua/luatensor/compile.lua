--- Replays of compiled functions: lt.compile(f, {replay = true}). A replayed call runs no Lua. It repeats the work of
-- an earlier call, which a graph has captured (src/lua/device/graph.c).

local ag = require("luatensor.core").autograd
local args = require "luatensor.base.args"
local blame = require "luatensor.base.blame"
local core = require "luatensor.core"
local checks = require "luatensor.base.check_replay"
local lt = require "luatensor.base.public"
local replays = require "luatensor.base.replays"

local known_options = {replay = true, device = true, check = true}

-- The most combinations of arguments for which graphs are kept. Further combinations are computed without replay.
local MOST = 8

local function fail(...) args.fail("compile", ...) end

-- ---- cases: calls whose arguments are alike ----

-- Stands for nil, which cannot be a key of a table.
local NIL = {}

-- True if gradients are recorded.
local function is_recording() return ag.mode() and true or false end

-- True for tensors other than the numbers of lt.complex, which are values like Lua's numbers.
local function is_tensor(v) return core.is_tensor(v) and not core.is_number(v) end

-- Returns what must be equal in argument v of two calls that share a graph. Tensors may differ in their elements.
-- As keys of tables 2 and 2.0 are equal, and so are 0.0 and -0.0; their texts differ.
local function kind_of(v)
  if v == nil then return NIL end
  if type(v) == "string" then return "string " .. v end
  if math.type(v) == "float" then return ("float %a"):format(v) end
  if not core.is_tensor(v) then return v end
  if core.is_number(v) then return "complex " .. v:to_bytes() end
  return ("tensor %s %s %s %s"):format(v.dtype, table.concat(v.shape, "x"), v.device, v.requires_grad)
end

-- Returns the case of the arguments, or nil if there are too many cases. The cases are the leaves of a tree, whose
-- branches are the kinds of the arguments.
local function case_of(self, given)
  local node = self.cases
  local function branch(key)
    node[key] = node[key] or {}
    node = node[key]
  end
  branch(is_recording())
  branch(given.n)
  for i = 1, given.n do
    local gone = core.is_tensor(given[i]) and core.gone(given[i])
    if gone then fail("argument %d: %s", i, gone) end
    branch(kind_of(given[i]))
  end
  if node.case then return node.case end
  if self.count == MOST then return nil end
  self.count = self.count + 1
  node.case = {copied = {}, recording = is_recording()}
  return node.case
end

-- ---- capturing ----

-- If two arguments share memory and one of them is copied, returns the numbers of both: f may write through one and
-- read through the other.
local function find_shared(copied, given)
  local owners = {}
  for i = 1, given.n do
    if is_tensor(given[i]) then
      local memory = core.memory_of(given[i])
      local other = owners[memory]
      if other and (copied[i] or copied[other]) then return other, i end
      owners[memory] = i
    end
  end
end

-- Returns a table that is true for the arguments that a replay must copy: tensors that are not those of the last call.
-- Returns nil and the reason if this is not possible.
local function find_copied(case, given)
  local copied = {}
  for i = 1, given.n do
    local x = given[i]
    if is_tensor(x) then
      copied[i] = case.copied[i] or not rawequal(x, case.last[i])
      if copied[i] and x.requires_grad then return nil, ("argument %d requires a gradient and changes"):format(i) end
      if copied[i] and not x:is_contiguous() then
        return nil, ("argument %d is not contiguous and changes"):format(i)
      end
    end
  end
  local one, other = find_shared(copied, given)
  if one then return nil, ("arguments %d and %d share memory and change"):format(one, other) end
  return copied
end

local function device_of(self, given)
  if self.device then return self.device end
  for i = 1, given.n do
    if is_tensor(given[i]) then return given[i].device end
  end
  return lt.get_default_device()
end

local simple = {["nil"] = true, number = true, boolean = true, string = true}

-- Checks the results of the captured call. Returns a list with, for each result, the number of the argument that it is,
-- or "new" for a tensor that the call made or a view of an argument that is copied, or "same". add_results refines the
-- list: -j for the same tensor as result j, and "anew" for a tensor that each replay makes anew.
local function sources_of(graph, results, inputs, copied)
  local sources = {}
  for k = 1, results.n do
    local r = results[k]
    if not core.is_tensor(r) then
      if not simple[type(r)] then
        fail("replay: result %d is a %s; return tensors and numbers", k, core.type_name(r))
      end
      sources[k] = "same"
    else
      sources[k] = core.has_made(graph, r) and "new" or "same"
      for i in pairs(copied) do
        if copied[i] and core.memory_of(r) == core.memory_of(inputs[i]) then sources[k] = "new" end
      end
      for i = 1, inputs.n do
        if rawequal(r, inputs[i]) then sources[k] = i end
      end
      if sources[k] == "new" and ag.is_differentiable(r) then
        fail("replay: result %d needs the graph of gradients; call backward inside of the function, or return "
             .. "x:detach()", k)
      end
    end
  end
  return sources
end

-- Returns a list of {leaf, before, after} for the leaves whose gradients the captured call changes. `before` is the
-- gradient before the call, or false; `after` is the gradient after the call, or nil. Leaves that the call makes are
-- left out, because each call of f makes others.
local function gradients_of(graph)
  local list = {}
  for leaf, before in pairs(core.uses_of(graph)) do
    if core.is_tensor(leaf) and not core.has_made(graph, leaf) then
      list[#list + 1] = {leaf = leaf, before = before, after = leaf.grad}
    end
  end
  return list
end

-- Replaces the new results by views. Returns a weak table of the results.
local function hide_results(case)
  local sources, results, hidden = case.sources, case.results, setmetatable({}, {__mode = "v"})
  for k = 1, results.n do
    for j = 1, k - 1 do
      if sources[k] == "new" and rawequal(results[k], hidden[j]) then sources[k] = -j end
    end
    if sources[k] == "new" then hidden[k], results[k] = results[k], results[k]:detach() end
  end
  return hidden
end

-- Lets each replay write a new tensor for the results that f has not stored elsewhere. Returns the number of these
-- results.
local function add_results(case)
  local count, hidden = 0, hide_results(case)
  collectgarbage()                       -- from now on, `hidden` has only the results that f has stored
  for k = 1, case.results.n do
    if case.sources[k] == "new" and not hidden[k] and core.add_result(case.graph, case.results[k]) then
      case.sources[k], count = "anew", count + 1
    end
  end
  return count
end

-- Runs the operations that a call has captured before its error, and copies its arguments back that changed.
local function run_part(graph, given, inputs, versions)
  blame.call(graph.replay, graph)
  for i, version in pairs(versions) do
    if ag.version(inputs[i]) ~= version then given[i]:copy_(inputs[i]) end
  end
  graph:free()
end

-- Captures a call with these arguments. The call does not compute: the replay that follows does.
local function capture(self, case, given)
  local copied, reason = find_copied(case, given)
  if not copied then
    case.reason = reason
    return
  end
  local inputs, versions = {n = given.n}, {}
  for i = 1, given.n do
    inputs[i] = copied[i] and given[i]:detach():clone() or given[i]
    versions[i] = copied[i] and ag.version(inputs[i]) or nil
  end
  local ok, results
  case.ready = false                     -- if the capture raises an error, the next call runs f
  local graph = core.capture(function()
    ok, results = pcall(function() return table.pack(self.compiled(table.unpack(inputs, 1, inputs.n))) end)
  end, device_of(self, given))
  if not ok then
    run_part(graph, given, inputs, versions)
    error(results, 0)
  end
  case.sources = sources_of(graph, results, inputs, copied)
  case.graph, case.inputs, case.copied, case.results = graph, inputs, copied, results
  case.gradients = gradients_of(graph)
  case.written = {}
  for i = 1, given.n do case.written[i] = copied[i] and ag.version(inputs[i]) ~= versions[i] end
  if self.checks then return end         -- replay_and_run compares the results in the graph's memory
  local copies = false
  for i = 1, given.n do copies = copies or copied[i] end
  case.plain = add_results(case) == results.n and #case.gradients == 0 and not copies
end

-- ---- replaying ----

-- True if the arguments that are not copied are those of the capture.
local function has_inputs(case, given)
  for i = 1, given.n do
    if is_tensor(given[i]) and not case.copied[i] and not rawequal(given[i], case.inputs[i]) then
      case.copied[i] = true
      return false
    end
  end
  return true
end

-- True if the graph can be replayed for these arguments, whose case this is. The arguments that are copied must be
-- contiguous. They must share no memory with another argument or with a tensor that f uses besides its arguments. For
-- graphs of GPUs only the arguments are compared.
local function fits(case, given)
  local list = {}
  for i = 1, given.n do list[i] = is_tensor(given[i]) and given[i] or case.inputs[i] end
  return core.fits(case.graph, case.inputs, case.copied, table.unpack(list, 1, given.n))
end

-- True if the gradients of the leaves are such that f would do now what it did in the captured call. If f replaced a
-- gradient, it does not matter which one there is.
local function has_gradients(case)
  for _, g in ipairs(case.gradients) do
    local replaced = g.before and not rawequal(g.before, g.after)
    if not replaced and not rawequal(ag.gradient(g.leaf), g.before or nil) then return false end
  end
  return true
end

local function set_gradients(case)
  for _, g in ipairs(case.gradients) do
    if not rawequal(ag.gradient(g.leaf), g.after) then g.leaf.grad = g.after end
  end
end

local function copy_inputs(case, given)
  for i = 1, given.n do
    if case.copied[i] then case.inputs[i]:copy_(given[i]) end
  end
end

local function replay(self, case, given)
  copy_inputs(case, given)
  local made, used = {blame.call(core.replay_anew, case.graph)}, 0
  set_gradients(case)
  self.replays = self.replays + 1
  local results = {}
  for k = 1, case.results.n do
    local source, r = case.sources[k], case.results[k]
    if source == "anew" then
      used = used + 1
      results[k] = made[used]
    elseif source == "new" then
      results[k] = r:detach():clone()
    elseif source == "same" then
      results[k] = r
    else
      results[k] = source < 0 and results[-source] or given[source]
    end
  end
  for i = 1, given.n do
    if case.written[i] then given[i]:copy_(case.inputs[i]) end
  end
  return table.unpack(results, 1, case.results.n)
end

-- Replays the call, takes the replay back, and calls f. Raises an error if f does other work than the replay, or has
-- other results. The results of f, and all that it changed, stay.
local function replay_and_run(self, case, given)
  local snapshot = checks.begin(case)
  copy_inputs(case, given)
  blame.call(case.graph.replay, case.graph)
  checks.take_back(snapshot, case)
  local results = table.pack(self.compiled(table.unpack(given, 1, given.n)))
  local problem = checks.find_other(case.log, core.logged()) or checks.find_changed(snapshot, case, given, results)
  if problem then fail("check: %s", problem) end
  self.replays = self.replays + 1
  return table.unpack(results, 1, results.n)
end

-- ---- calls ----

local Replayed = {}
Replayed.__index = Replayed
Replayed.__name = "compiled function"

-- Calls the function without replay, and decides whether the next call may be captured: if two calls recorded the same
-- operations.
local function call_first(self, case, given, ...)
  case.last = setmetatable({}, {__mode = "v"})
  for i = 1, given.n do case.last[i] = is_tensor(given[i]) and given[i] or nil end
  local results
  results, case.reason = replays.watch(self.compiled, ...)
  if self.checks then case.log = core.logged() end
  local print = core.fingerprint(self.compiled)
  case.ready = print == case.print
  case.print = print
  return table.unpack(results, 1, results.n)
end

function Replayed:__call(...)
  self.calls = self.calls + 1
  local case = self.recent
  if case and case.graph and core.fits(case.graph, case.inputs, case.copied, ...) and is_recording() == case.recording
     and has_gradients(case) then
    if not case.plain then return (self.checks and replay_and_run or replay)(self, case, table.pack(...)) end
    self.replays = self.replays + 1
    return blame.call(core.replay_anew, case.graph)
  end
  if core.defers() or core.capturing() then return self.compiled(...) end
  local given = table.pack(...)
  case = case_of(self, given)
  self.recent = case
  if not case or case.reason then return self.compiled(...) end
  if case.graph and not has_inputs(case, given) then
    case.graph:free()
    case.graph = nil
  end
  if case.graph and not (fits(case, given) and has_gradients(case)) then return self.compiled(...) end
  local checked = self.checks and case.graph        -- not the captured call, in which f has run
  if not case.graph and case.ready then capture(self, case, given) end
  if case.graph then return (checked and replay_and_run or replay)(self, case, given) end
  return call_first(self, case, given, ...)
end

function Replayed:__tostring()
  return ("%s; %d of %d calls replayed"):format(tostring(self.compiled), self.replays, self.calls)
end

-- See compiled:explain (src/lua/compile.c). The call is not replayed.
function Replayed:explain(...)
  local text, reason = replays.watch(self.compiled.explain, self.compiled, ...)
  reason = reason or self.recent and self.recent.reason
  return text[1] .. (reason and ("\n  not replayed: %s"):format(reason) or "")
end

--- Forgets what was captured, so that the following calls run Lua again. Call it after a change that a replay cannot
-- see. Only functions that were compiled with the option `replay` have this method.
-- @function compiled:reset
function Replayed:reset()
  self.cases, self.count, self.recent = {}, 0, nil
end

--- Returns a function that does the same as f, whose element-wise operations, reductions, scans and softmax wait and
-- then run together.
--
-- While f runs, operations such as `x * y + 1` or `x:sum(2)` are written on a list. The list is computed when f
-- returns, or before something else needs one of its results: a product of matrices, `x:item()`, printing. Operations
-- of equal shape become one pass over memory, and results that nobody can read any more are neither computed nor
-- stored. The values are those of f itself, bit for bit. All of Lua works in f as usual: branches, counters, closures,
-- `backward`, errors. A coroutine in which f runs cannot yield from f.
--
-- With `replay`, calls with arguments of equal dtype, shape and device repeat the work of an earlier call without
-- running f. `docs/compile.md` says what a replay cannot see.
-- @function compile
-- @tparam function f any arguments and results
-- @tparam[opt] table options `replay` (false): after two calls with the same operations, the work is captured and
--   repeated; `device`: where the captured work runs (default: the device of the first tensor among the arguments, or
--   else the default device); `check` (false): each replayed call also calls f, and raises an error that names the
--   first line at which f does other work than the replay, for example because an upvalue has changed
-- @treturn compiled call it like f. `print(compiled)` shows what its calls did so far, and `compiled:explain(…)` what
--   one call does; with `replay`, `compiled:reset()` forgets what was captured
-- @raise errors of f; errors of a waiting operation, such as exhausted memory, where the list runs; with `replay`, if
--   f reads a value or returns other values than tensors, numbers, strings, booleans and nil
-- @usage
-- local gelu = lt.compile(function(x)
--   return 0.5 * x * (1 + lt.tanh(0.7978845608 * (x + 0.044715 * x ^ 3)))
-- end)
-- local y = gelu(lt.randn(1000, 1000))
function lt.compile(f, options)
  if type(f) ~= "function" then fail("argument 1: function expected, got %s", core.type_name(f)) end
  if options == nil then return core.new_compiled(f) end
  options = args.options("compile", options, known_options)
  local compiled = core.new_compiled(f)
  if options.replay ~= nil then args.check("compile", "option replay", options.replay, "boolean") end
  local device = options.device and args.check("compile", "option device", options.device, "device")
  if options.check ~= nil then args.check("compile", "option check", options.check, "boolean") end
  if options.check and not options.replay then fail("option check: only with option replay = true") end
  if not options.replay then return compiled end
  if options.check then core.log_calls(compiled) end
  return setmetatable({compiled = compiled, device = device, checks = options.check, cases = {}, count = 0, calls = 0,
                       replays = 0}, Replayed)
end

return {lt.compile}
