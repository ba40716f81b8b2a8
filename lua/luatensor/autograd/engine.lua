--- The way back through the nodes that core recorded (src/lua_autograd.c): from a result to the leaves.

local args = require "luatensor.args"
local core = require "luatensor.core"

local ag = core.autograd
local engine = {}

--- Recording is on or off until the result is closed.
function engine.recording(flag)
  local was = ag.mode(flag)
  return setmetatable({}, {__close = function() ag.mode(was) end})
end

local function relay(guard, ok, ...)
  if ok then return ... end
  getmetatable(guard).__close(guard)
  error((...), 0)
end

--- Calls a function of the script's, which cannot yield, until guard is closed. An error that ends a coroutine closes
-- nothing: there it is closed here.
function engine.call(guard, fn, ...)
  local _, is_main = coroutine.running()
  if is_main then return ag.call(fn, ...) end
  return relay(guard, pcall(ag.call, fn, ...))
end

-- ---- one gradient ----

local function same_shape(a, b)
  if #a ~= #b then return false end
  for d, n in ipairs(b) do if a[d] ~= n then return false end end
  return true
end

--- g summed over the dims that broadcasting stretched, and stretched where a rule left it smaller.
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
  return same_shape(g.shape, shape) and g or g:broadcast_to(shape)
end

--- g as a gradient of a tensor of this shape, dtype and device.
function engine.to_fit(g, shape, dtype, device)
  if not same_shape(g.shape, shape) then g = to_shape(g, shape) end
  if g.dtype:find("^complex") and not dtype:find("^complex") then g = g:real() end
  return g:to(dtype, device)
end

--- Adds g to what a leaf has. In place where nobody else sees the memory.
local function add_to_leaf(leaf, g, run)
  if core.gone(leaf) then args.fail("backward", "a tensor that the graph needs, a leaf: %s", core.gone(leaf)) end
  if not leaf.is_leaf then
    args.fail("backward", "a leaf of the graph was changed in place after requires_grad = false, and is now the "
                          .. "result of %s", leaf.grad_fn)
  end
  local old = leaf.grad
  if not old then
    if run.shared[g] or not ag.sole(g) then g = g:clone() end
    leaf.grad = g
    run.shared[g] = true
  elseif not run.graph and not old.requires_grad and ag.sole(old) then
    old:add_(g)
  else
    leaf.grad = old + g
  end
end

--- a + g, in a's memory where nobody else sees it.
local function sum(a, g, run)
  if a == nil then return g end
  if run.graph or run.shared[a] or not ag.sole(a) then return a + g end
  return a:add_(g)
end

--- Gives a gradient to a leaf, or to the node that will pass it on; output: which of its results, where it has several.
local function deliver(run, target, output, g)
  if core.is_tensor(target) then
    if not run.captured then return add_to_leaf(target, g, run) end
    run.captured[target] = sum(run.captured[target], g, run)
  elseif output then
    local list = run.gradients[target] or {}
    run.gradients[target] = list
    list[output] = sum(list[output], g, run)
  else
    run.gradients[target] = sum(run.gradients[target], g, run)
  end
end

--- One input's gradient on its way.
local function pass(run, node, k, target, output, g, gk)
  if gk == nil then return end
  if gk == g then run.shared[g] = true end
  local fits, shape, dtype, device = ag.fits(node, k, gk)
  if not fits then gk = engine.to_fit(gk, shape, dtype, device) end
  if engine.watcher then engine.watcher.check(node, gk) end
  deliver(run, target, output, gk)
end

-- ---- nodes ----

local function is_wanted(run, target)
  return target ~= nil and (not run.wanted or run.wanted[target])
end

--- The gradients of all inputs at once.
local function pass_all(run, node, row, count, g)
  local list = ag.apply(node, 0, g, run.graph)
  for k = 1, count do
    local target, output = ag.edge(node, k)
    if row.let_go and list[k] then run.shared[list[k]] = true end       -- the script may keep it
    if is_wanted(run, target) then pass(run, node, k, target, output, g, list[k]) end
  end
end

local function pass_each(run, node, row, count, g, name)
  for k = 1, count do
    local target, output = ag.edge(node, k)
    if is_wanted(run, target) then
      if not row[k] then args.fail("backward", "%s has no gradient for argument %d", name, k) end
      pass(run, node, k, target, output, g, ag.apply(node, k, g, run.graph))
    end
  end
end

local function keep_gradients(run, retained, g)
  if type(g) ~= "table" then g = {g} end
  for i, gi in pairs(g) do
    retained[i] = retained[i] and retained[i] + gi or gi
    run.shared[gi] = true
  end
end

--- What gradients came together at a node goes on to its inputs.
local function visit(run, node, g)
  local row, name, count, retained = ag.rule(node)
  if retained then keep_gradients(run, retained, g) end
  if run.captured and run.stops[node] then
    run.captured[node] = g
    return
  end
  if not row then args.fail("backward", "%s has no gradient yet", name) end
  if row.all then pass_all(run, node, row, count, g) else pass_each(run, node, row, count, g, name) end
  if not run.retain then
    ag.let_go(node)
    if row.let_go then row.let_go() end
  end
  if not run.graph and not row.let_go and core.is_tensor(g) and not run.shared[g] then g:free() end
end

--- Nodes and leaves through which a gradient comes to one of run.stops.
local function find_wanted(run, nodes)
  local wanted = {}
  for stop in pairs(run.stops) do wanted[stop] = true end
  for i = #nodes, 1, -1 do
    local node = nodes[i]
    local _, _, count = ag.rule(node)
    for k = 1, run.stops[node] and 0 or count do
      local target = ag.edge(node, k)
      if target and wanted[target] then wanted[node] = true break end
    end
  end
  return wanted
end

--- What lt.detect_anomaly has set: check(node, g) sees each gradient.
engine.watcher = nil

--- Closed by an error: the node that backward began at knows.
local failing = {__close = function(run, err) if err ~= nil then ag.set_failed(run.source) end end}

--- The way back from x, whose gradient is g. run: retain (keep the graph), graph (record the gradients themselves),
-- stops (leaves and nodes whose gradients alone are wanted: they come in run.captured).
function engine.walk(x, g, run)
  local _ <close> = engine.recording(run.graph or false)
  run.gradients, run.shared = {}, {[g] = true}
  local source, output = ag.source(x)
  if source == x then return deliver(run, x, nil, g) end
  local nodes = ag.order(source, run.stops)
  run.source = source
  local _ <close> = setmetatable(run, failing)
  if run.stops then run.wanted = find_wanted(run, nodes) end
  deliver(run, source, output, g)
  for i = 1, #nodes do
    local node = nodes[i]
    local gradient = run.gradients[node]
    if gradient then
      run.gradients[node] = nil
      visit(run, node, gradient)
    end
    nodes[i] = nil
  end
end

--- The gradient to begin with: 1, or the caller's.
function engine.first_gradient(fn, y, g)
  if g == nil then
    if y.size ~= 1 then
      args.fail(fn, "a tensor of one element expected, the shape is %s; sum it up, or give a gradient of that shape",
                args.shape_text(y.shape))
    end
    if y.dtype:find("^complex") then args.fail(fn, "%s: give a gradient, or take real parts first", y.dtype) end
    return core.ones_like(y)
  end
  args.tensor(fn, 2, g)
  if not same_shape(g.shape, y.shape) then
    args.fail(fn, "the gradient has shape %s, the tensor %s", args.shape_text(g.shape), args.shape_text(y.shape))
  end
  return engine.to_fit(g, y.shape, y.dtype, y.device)
end

return engine
