--- The option `check` of lt.compile: compares a replay with the function.

local core = require "luatensor.core"

local ag, checks = core.autograd, {}

-- Returns a copy of a tensor without its graph.
local function copy(x) return x:detach():clone() end

-- True if two tensors have equal dtypes, shapes and bits.
local function same_bits(x, y)
  return x.dtype == y.dtype and table.concat(x.shape, "x") == table.concat(y.shape, "x")
    and x:detach():to_bytes() == y:detach():to_bytes()
end

--- Copies the memory to which a replay of the graph writes in place.
-- @tab case the captured call (compile.lua)
-- @treturn table the copies, for the functions below
function checks.begin(case)
  local snapshot = {before = {}, after = {}, gradients = {}, results = {}, inputs = {}}
  for k, memory in ipairs(core.written_of(case.graph)) do
    snapshot.before[k] = memory:clone()
    memory:free()
  end
  return snapshot
end

--- Takes a replay back, after copying its results. The numbers of optimisers and generators are those before the
-- replay.
-- @tab snapshot the result of `begin`
-- @tab case the captured call
function checks.take_back(snapshot, case)
  for k = 1, case.results.n do
    local r = case.results[k]
    snapshot.results[k] = core.is_tensor(r) and copy(r) or r
  end
  for i = 1, case.inputs.n do
    if case.copied[i] and case.written[i] then snapshot.inputs[i] = copy(case.inputs[i]) end
  end
  for k, g in ipairs(case.gradients) do snapshot.gradients[k] = {leaf = g.leaf, value = g.after and copy(g.after)} end
  for k, memory in ipairs(core.written_of(case.graph)) do
    snapshot.after[k] = memory:clone()
    memory:copy_(snapshot.before[k])
    memory:free()
  end
  core.undo_numbers(case.graph)
end

--- Compares two logs (core.logged). Returns a text about the first operation that differs, or nil.
function checks.find_other(captured, log)
  for k = 1, math.max(#captured, #log), 2 do
    if log[k] == nil then
      return ("%s: this operation of the captured call is missing in this call"):format(captured[k + 1])
    elseif log[k] ~= captured[k] then
      local same = captured[k + 1] == log[k + 1]
      return ("%s: a replay does not repeat this operation, because the captured call had %s there"):format(
        log[k + 1], same and "other numbers, shapes or views" or captured[k + 1] or "no more")
    end
  end
end

-- Returns a text if result k of f differs from the result of the replay.
local function find_result(snapshot, case, k, given, result)
  local source, expected = case.sources[k], snapshot.results[k]
  if type(source) == "number" then
    return not rawequal(result, given[source]) and ("result %d was argument %d in the captured call"):format(k, source)
  elseif core.is_tensor(expected) and core.is_tensor(result) then
    return not same_bits(expected, result) and ("the elements of result %d differ"):format(k)
  end
  return not rawequal(expected, result)
    and ("result %d was %s in the captured call, and is %s"):format(k, expected, result)
end

-- Returns the set of the memory of the arguments that a replay copies. f changes other tensors.
local function copied_memory(case)
  local set = {}
  for i = 1, case.inputs.n do
    if case.copied[i] then set[core.memory_of(case.inputs[i])] = true end
  end
  return set
end

--- Compares what f did with the replay that was taken back. Returns a text about the first difference, or nil.
function checks.find_changed(snapshot, case, given, results)
  if results.n ~= case.results.n then
    return ("the captured call returned %d values, and this call %d"):format(case.results.n, results.n)
  end
  for k = 1, results.n do
    local problem = find_result(snapshot, case, k, given, results[k])
    if problem then return problem end
  end
  for i, x in pairs(snapshot.inputs) do
    if not same_bits(x, given[i]) then return ("the elements of argument %d, which f writes, differ"):format(i) end
  end
  for _, g in ipairs(snapshot.gradients) do
    local now = ag.gradient(g.leaf)
    if not now ~= not g.value or (now and not same_bits(now, g.value)) then return "a gradient differs" end
  end
  local copied = copied_memory(case)
  for k, memory in ipairs(core.written_of(case.graph)) do
    local is_other = copied[core.memory_of(memory)] or core.has_made(case.graph, memory)       -- f changes its own
    if not is_other and not same_bits(memory, snapshot.after[k]) then
      return ("a tensor that f changes in place differs: %d bytes"):format(memory.size)
    end
    memory:free()
  end
end

return checks
