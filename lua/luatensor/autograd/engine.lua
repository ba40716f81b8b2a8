--- The backward pass: from a result through the recorded nodes (src/autograd/autograd.c) to the leaves.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lists = require "luatensor.base.lists"

local ag = core.autograd
local engine = {}

--- engine.recording(flag) switches recording on or off until the returned guard is closed. Callers put the guard into
-- a `<close>` variable.
engine.recording = core.modes.recording.guard

--- engine.record(flag, fn, ...) calls fn(...) with recording on or off, and returns the results.
engine.record = core.modes.recording.call

-- ---- one gradient ----

--- Returns g in another shape: summed over the dims that broadcasting repeated, and broadcast in the dims in which a
-- rule returned length 1.
local function to_shape(g, shape)
  local from = g.shape
  local extra, dims = #from - #shape, {}
  for d = 1, extra do dims[d] = d end
  local inner = false
  for d, n in ipairs(shape) do
    if n == 1 and d + extra >= 1 and from[d + extra] ~= 1 then
      dims[#dims + 1] = d + extra
      inner = true
    end
  end
  if #dims > 0 then g = g:sum(dims, {keepdim = inner}) end
  if inner and extra > 0 then g = g:squeeze(table.move(dims, 1, extra, 1, {})) end
  return lists.same(g.shape, shape) and g or g:broadcast_to(shape)
end

--- Converts g to a gradient of a tensor of this shape, dtype and device. If that dtype is real, the real part of g is
-- taken.
function engine.to_fit(g, shape, dtype, device)
  if not lists.same(g.shape, shape) then g = to_shape(g, shape) end
  if g.dtype:find("^complex") and not dtype:find("^complex") then g = g:real() end
  return g:to(dtype, device)
end

-- ---- cases that autograd/backward.c leaves to Lua ----

engine.add, engine.add_in_place = core.add, core.methods.add_

--- Adds the gradient g to leaf.grad. src/autograd/backward.c calls this function only in the cases that it does not
-- handle itself, such as a leaf that was freed or moved. `graph` is true if gradients are recorded.
function engine.to_leaf(leaf, g, graph)
  if core.gone(leaf) then args.fail("backward", "a tensor that the graph needs, a leaf: %s", core.gone(leaf)) end
  if not leaf.is_leaf then
    args.fail("backward", "a leaf of the graph was changed in place after requires_grad = false, and is now the "
                          .. "result of %s", leaf.grad_fn)
  end
  if not lists.same(leaf.shape, g.shape) or leaf.dtype ~= g.dtype or leaf.device ~= g.device then
    args.fail("backward", "a leaf of the graph, %s on %s then, was moved before backward: it is %s on %s", g.dtype,
              g.device, leaf.dtype, leaf.device)
  end
  local old = ag.gradient(leaf)
  if old and core.gone(old) then old = nil end
  if graph then leaf.grad = old and old + g or g:clone() else leaf.grad = old + g end
end

--- Adds g, the gradients of a node's results, to the gradients that x:retain_grad() keeps. `retained` maps the number
-- of a result to its gradient. g is one tensor, or for a node with several results a table with the same keys.
function engine.keep(retained, g, graph)
  if core.is_tensor(g) then g = {g} end
  for i, gi in pairs(g) do
    if retained[i] then retained[i] = retained[i] + gi
    else retained[i] = graph and gi or gi:clone() end
  end
end

-- ---- the backward pass ----

--- Finds the nodes that a backward pass from x needs if only the gradients of run.captures are wanted. `nodes` is the
-- list of all nodes below x. Returns two tables. The first has true for each node that passes gradients on to a
-- capture, and false for a capture that passes none on. The second is the set of nodes and captures that are reached
-- from x.
local function find_wanted(run, nodes, x)
  local wanted, reached, barriers = {}, {[x] = true}, run.barriers or {}
  for source in pairs(run.captures) do wanted[source] = false end
  for i = #nodes, 1, -1 do
    local node = nodes[i]
    local _, _, count = ag.rule(node)
    reached[node] = true
    for k = 1, barriers[node] and 0 or count do
      local target = ag.edge(node, k)
      if target and wanted[target] ~= nil then wanted[node], reached[target] = true, true end
    end
  end
  return wanted, reached
end

--- Maps a leaf to its observer, an object with three methods. begin(run) is called before a pass that reaches leaves
-- of the observer. ready(leaf) is called as soon as leaf.grad has all that the pass adds to it. finish() is called
-- after the pass. Several observers are called in the order of their field `number`. Passes with captures call no
-- observer. The keys are weak.
engine.observers = setmetatable({}, {__mode = "k"})

--- Returns the list of the observers whose leaves a pass through `nodes` reaches, and sets run.after, which calls their
-- method `ready`.
local function observe(run, nodes)
  local observers, seen, list = engine.observers, {}, {}
  run.after = {}
  for i = #nodes, 1, -1 do
    local _, _, count = ag.rule(nodes[i])
    local leaves = {}
    for k = 1, count do
      local leaf = ag.edge(nodes[i], k)
      local observer = leaf and not seen[leaf] and observers[leaf]
      if observer then
        seen[leaf], leaves[#leaves + 1] = true, leaf
        if not seen[observer] then list[#list + 1], seen[observer] = observer, true end
      end
    end
    if #leaves > 0 then
      run.after[i] = function()
        for _, leaf in ipairs(leaves) do observers[leaf]:ready(leaf) end
      end
    end
  end
  table.sort(list, function(a, b) return a.number < b.number end)
  for _, observer in ipairs(list) do observer:begin(run) end
  return list
end

--- Runs the backward pass from x, whose gradient is g. Fields of run:
-- retain: keeps the graph.
-- graph: records the gradients themselves.
-- captures: a set of leaves and nodes. Only their gradients are computed.
-- captured: with captures, a table in which the pass stores their gradients by leaf or node.
-- barriers: a set of nodes beyond which no gradient is wanted.
-- before: a function that receives the set of reached captures, before any node is released.
-- graph_for_others: sets graph and retain if x depends on leaves that are neither captures nor beyond the barriers.
function engine.walk(x, g, run)
  local source, output = ag.source(x)
  local watcher = core.modes.watch.value()
  run.check = watcher and watcher.check
  local nodes, others = {}, false
  if not rawequal(source, x) then nodes, others = ag.order(source, run.barriers) end
  if others and run.graph_for_others then run.graph, run.retain = true, true end
  if not run.graph then g = ag.alias(g) end
  if run.captures then
    local reached
    run.wanted, reached = find_wanted(run, nodes, source)
    if run.before then run.before(reached) end
  end
  local observers = not run.captures and next(engine.observers) and observe(run, nodes) or {}
  ag.walk(nodes, run, engine, source, output, g)
  for _, observer in ipairs(observers) do observer:finish() end
end

--- Maps the name of a public function to the ends of two error messages of engine.first_gradient: for a result with
-- several elements, and for a complex result. The ends say how the script can pass the gradient of such a result to the
-- function. A function that is not listed takes no gradient from the script.
local ways = {
  backward = {", or give a gradient of that shape", "give a gradient, or take real parts first"},
  ["autograd.grad"] = {", or give option grad_outputs", "give option grad_outputs, or take real parts first"},
}
local no_way = {"", "take real parts first"}

--- Returns the gradient of y with which the pass starts: ones, or the caller's gradient g, converted to y's dtype and
-- device.
function engine.first_gradient(fn, y, g)
  if g == nil then
    if y.size ~= 1 then
      args.fail(fn, "a tensor of one element expected, the shape is %s; sum it up%s", args.shape_text(y.shape),
                (ways[fn] or no_way)[1])
    end
    if y.dtype:find("^complex") then args.fail(fn, "%s: %s", y.dtype, (ways[fn] or no_way)[2]) end
    return core.ones_like(y)
  end
  args.tensor(fn, 2, g)
  if not lists.same(g.shape, y.shape) then
    args.fail(fn, "the gradient has shape %s, the tensor %s", args.shape_text(g.shape), args.shape_text(y.shape))
  end
  return engine.to_fit(g, y.shape, y.dtype, y.device)
end

return engine
