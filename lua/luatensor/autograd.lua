--- Gradients: the way back through the nodes that core recorded (src/lua_autograd.c). The rules are in
-- luatensor/gradients; docs/adding-a-gradient.md says how they are written.

local args = require "luatensor.args"
local core = require "luatensor.core"
local help = require "luatensor.gradients.help"

local ag = core.autograd

--- Each gives rows by name: name = {{letters, f}, …}, one for each input.
local files = {"elementwise", "reduce", "product", "shape", "index"}

-- ---- rules ----

local rules = {}
for _, file in ipairs(files) do
  for name, row in pairs(require("luatensor.gradients." .. file)) do
    if rules[name] then error("two gradients for " .. name) end
    rules[name] = row
    ag.set_rule(name, ag.new_rule(row))
  end
end

-- ---- what is recorded ----

--- Recording is on or off until the result is closed.
local function recording(flag)
  local was = ag.mode(flag)
  return setmetatable({}, {__close = function() ag.mode(was) end})
end

--- What lt.detect_anomaly has set; nil outside of it.
local watcher

-- ---- one gradient ----

--- g summed over the dims that broadcasting stretched, and stretched where a rule left it smaller.
local function to_shape(g, shape)
  local from, extra, dims = g.shape, g.ndim - #shape, {}
  for d = 1, extra do dims[d] = d end
  for d, n in ipairs(shape) do
    if n == 1 and d + extra >= 1 and from[d + extra] ~= 1 then dims[#dims + 1] = d + extra end
  end
  if #dims > 0 then g = g:sum(dims, {keepdim = true}) end
  if extra > 0 then
    local kept = g.shape
    local rest = {}
    for d = 1, #shape do rest[d] = kept[d + extra] end
    g = g:reshape(rest)
  end
  return g:broadcast_to(shape)
end

local function same_shape(a, b)
  if #a ~= #b then return false end
  for d, n in ipairs(b) do if a[d] ~= n then return false end end
  return true
end

--- g as a gradient of a tensor of this shape, dtype and device.
local function to_fit(g, shape, dtype, device)
  if not same_shape(g.shape, shape) then g = to_shape(g, shape) end
  if g.dtype:find("^complex") and not dtype:find("^complex") then g = g:real() end
  return g:to(dtype, device)
end

--- Adds g to what a leaf has. In place where nobody else sees the memory.
local function add_to_leaf(leaf, g, run)
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
  if not fits then gk = to_fit(gk, shape, dtype, device) end
  if watcher then watcher.check(node, gk) end
  deliver(run, target, output, gk)
end

-- ---- nodes ----

local function is_wanted(run, target)
  return target ~= nil and (not run.wanted or run.wanted[target])
end

--- The gradients of all inputs at once.
local function pass_all(run, node, rule, count, g)
  local list = rule[2](g, ag.kept(node, 0, run.graph))
  for k = 1, count do
    local target, output = ag.edge(node, k)
    if is_wanted(run, target) then pass(run, node, k, target, output, g, list[k]) end
  end
end

local function pass_each(run, node, row, count, g, name)
  for k = 1, count do
    local target, output = ag.edge(node, k)
    if is_wanted(run, target) then
      local rule = row[k]
      if not rule then args.fail("backward", "%s has no gradient for argument %d", name, k) end
      pass(run, node, k, target, output, g, rule[2](g, ag.kept(node, k, run.graph)))
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
  if row.all then pass_all(run, node, row.all, count, g) else pass_each(run, node, row, count, g, name) end
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

--- The way back from x, whose gradient is g. run: retain (keep the graph), graph (record the gradients themselves), stops
-- (leaves and nodes whose gradients alone are wanted: they come in run.captured).
local function walk(x, g, run)
  local _ <close> = recording(run.graph or false)
  run.gradients, run.shared = {}, {[g] = true}
  local source, output = ag.source(x)
  if source == x then return deliver(run, x, nil, g) end
  local nodes = ag.order(source, run.stops)
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
local function first_gradient(fn, y, g)
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
  return to_fit(g, y.shape, y.dtype, y.device)
end

local backward_options = {retain_graph = true, create_graph = true}

-- ---- functions with a gradient of their own ----

local context = {}
context.__index = context

--- Keeps tensors for backward.
function context:save(...)
  self.kept = table.pack(...)
  self.versions = {}
  for i = 1, self.kept.n do
    if core.is_tensor(self.kept[i]) then self.versions[i] = ag.version(self.kept[i]) end
  end
end

--- What save kept.
function context:saved()
  if not self.kept then args.fail(self.name, "nothing was saved for backward, or it was used already") end
  for i, version in pairs(self.versions) do
    if ag.version(self.kept[i]) ~= version then
      args.fail("backward", "%s needs a tensor that was changed in place afterwards", self.name)
    end
  end
  return table.unpack(self.kept, 1, self.kept.n)
end

--- What a result's gradient looks like, where none came.
local function describe(results)
  local list = {}
  for i, x in ipairs(results) do list[i] = {x.shape, {dtype = x.dtype, device = x.device}} end
  return list
end

local function call_backward(f, ctx, like, g)
  if #like == 1 then return table.pack(f.backward(ctx, g)) end
  for i, form in ipairs(like) do g[i] = g[i] or core.zeros(form[1], form[2]) end
  return table.pack(f.backward(ctx, table.unpack(g, 1, #like)))
end

local function any_needs(list)
  for i = 1, list.n do
    if core.is_tensor(list[i]) and list[i].requires_grad then return true end
  end
  return false
end

--- Results that are arguments are told apart from them.
local function own_results(f, results, inputs)
  local seen = {}
  for i = 1, inputs.n do if inputs[i] ~= nil then seen[inputs[i]] = true end end
  for i = 1, results.n do
    if not core.is_tensor(results[i]) then error(f.name .. ": forward must return tensors", 0) end
    if seen[results[i]] then results[i] = results[i]:detach() end
  end
end

local function call_function(f, ...)
  local inputs, ctx = table.pack(...), setmetatable({name = f.name, needs = {}}, context)
  for i = 1, inputs.n do ctx.needs[i] = core.is_tensor(inputs[i]) and inputs[i].requires_grad end
  local results
  do
    local _ <close> = recording(false)
    results = table.pack(f.forward(ctx, ...))
  end
  if not ag.mode() or not any_needs(inputs) then return table.unpack(results, 1, results.n) end
  own_results(f, results, inputs)
  local like, known = describe(results), {}
  for i = 1, inputs.n do known[i] = inputs[i] or false end
  local row = help.attach(f.name, known, results, function(g) return call_backward(f, ctx, like, g) end)
  function row.let_go() ctx.kept = nil end
  return table.unpack(results, 1, results.n)
end

-- ---- anomalies ----

local here = debug.getinfo(1, "S").source:match("^(.*)autograd%.lua$")

--- "train.lua:12", the line of the script that runs.
local function script_line()
  for level = 3, 60 do
    local info = debug.getinfo(level, "Sl")
    if not info then return "?" end
    if info.currentline > 0 and info.source:sub(1, #here) ~= here then
      return info.short_src .. ":" .. info.currentline
    end
  end
  return "?"
end

local function has_nan(x)
  local _ <close> = recording(false)
  return x:isnan():any():item()
end

--- Looks at every result, and at every gradient on the way back.
local function new_watcher()
  local lines = setmetatable({}, {__mode = "k"})
  local w = {}
  function w.record(node, name, ...)
    lines[node] = script_line()
    for _, x in ipairs {...} do
      if has_nan(x) then error(("%s: detect_anomaly: %s made NaN"):format(lines[node], name), 0) end
    end
  end
  function w.check(node, g)
    if not has_nan(g) then return end
    local _, name = ag.rule(node)
    args.fail("backward", "the gradient of %s at %s is NaN", name, lines[node] or "?")
  end
  return w
end

local function watching(w)
  local was_watcher, was = watcher, ag.watch(w.record)
  watcher = w
  return setmetatable({}, {__close = function()
    watcher = was_watcher
    ag.watch(was)
  end})
end

-- ---- for scripts ----

--- Calls fn with recording on or off, whatever happens in it.
local function with_mode(name, flag, fn, ...)
  if type(fn) ~= "function" then error(("%s: function expected, got %s"):format(name, type(fn)), 3) end
  local _ <close> = recording(flag)
  return fn(...)
end

local function alias_of(x)
  if not x.requires_grad then return x:detach():requires_grad_() end
  local _ <close> = recording(true)
  return x:reshape(x.shape)
end

--- Which arguments are differentiated: the list of numbers of option argnums, or all float and complex tensors.
local function chosen(list, argnums)
  if type(argnums) == "number" then argnums = {argnums} end
  local numbers = {}
  for i = 1, argnums and #argnums or list.n do
    local k = argnums and argnums[i] or i
    local x = list[k]
    local fits = core.is_tensor(x) and (x.dtype:find("^complex") or x.dtype:find("float"))
    if argnums and not fits then args.fail("grad", "argument %d is no float or complex tensor", k) end
    if fits then numbers[#numbers + 1] = k end
  end
  return numbers
end

return function(lt, methods)
  --- Gradients of y for all leaves that it was computed from: they are added to each leaf's `x.grad`. What was recorded is
  -- let go on the way.
  -- @function backward
  -- @tparam tensor y of one element, unless a gradient is given
  -- @tparam[opt] tensor gradient of y's shape: 1 unless given
  -- @tparam[opt] table options `retain_graph` (default create_graph): keeps what was recorded, for another backward;
  --   `create_graph` (false): the gradients can be differentiated, too
  -- @raise y needs no gradient; an op on the way has none; a tensor that a gradient needs was changed in place
  function methods.backward(y, gradient, options)
    args.tensor("backward", 1, y)
    if args.is_options(gradient) and options == nil then gradient, options = nil, gradient end
    options = args.options("backward", options, backward_options)
    if not y.requires_grad then
      args.fail("backward", "this tensor does not depend on one that requires gradients; make that with "
                            .. "{requires_grad = true}")
    end
    local graph, retain = options.create_graph, options.retain_graph
    if retain == nil then retain = graph end
    walk(y, first_gradient("backward", y, gradient), {graph = graph, retain = retain})
  end

  --- Calls a function while nothing is recorded: what it computes needs no gradients.
  -- @tparam function fn
  -- @param ... its arguments
  -- @return what fn returns
  function lt.no_grad(fn, ...) return with_mode("no_grad", false, fn, ...) end

  --- Calls a function while ops are recorded, also inside of lt.no_grad.
  -- @tparam function fn
  -- @param ... its arguments
  -- @return what fn returns
  function lt.enable_grad(fn, ...) return with_mode("enable_grad", true, fn, ...) end

  --- Are ops on tensors that need gradients recorded?
  -- @treturn boolean
  function lt.is_grad_enabled() return (ag.mode()) end

  --- A function that gives the gradients of fn's result, a tensor of one element, for its arguments. It may be
  -- differentiated itself: `lt.grad(lt.grad(f))`.
  -- @tparam function fn
  -- @tparam[opt] table options `argnums`: the number of an argument, or a list of them; all float and complex tensors
  --   unless given
  -- @treturn function that takes what fn takes and gives one tensor for each of these arguments
  function lt.grad(fn, options)
    if type(fn) ~= "function" then error("grad: function expected, got " .. type(fn), 2) end
    local argnums = args.options("grad", options, {argnums = true}).argnums
    return function(...)
      local list = table.pack(...)
      local numbers = chosen(list, argnums)
      local outer, stops, sources = false, {}, {}
      for i, k in ipairs(numbers) do
        outer = outer or list[k].requires_grad
        list[k] = alias_of(list[k])
        sources[i] = ag.source(list[k])
        stops[sources[i]] = true
      end
      local graph = outer and ag.mode()
      local y = with_mode("grad", true, fn, table.unpack(list, 1, list.n))
      args.tensor("grad", 1, y)
      local run = {graph = graph, retain = graph, stops = stops, captured = {}}
      if y.requires_grad then walk(y, first_gradient("grad", y), run) end
      local results = {}
      for i, k in ipairs(numbers) do results[i] = run.captured[sources[i]] or core.zeros_like(list[k]) end
      return table.unpack(results)
    end
  end

  --- A function with a gradient of its own: for what is computed faster or more exactly than by its parts.
  -- @tab f `forward(ctx, …)`: gives one or more tensors; nothing in it is recorded. `backward(ctx, g, …)`: from the
  --   gradients of the results those of the arguments, in order (nil: none). `ctx:save(x, …)` keeps tensors for
  --   backward, where `ctx:saved()` gives them; `ctx.needs[i]`: is the gradient of argument i wanted? `name`: for messages
  -- @treturn function
  function lt.autograd_function(f)
    if type(f) ~= "table" or type(f.forward) ~= "function" or type(f.backward) ~= "function" then
      error("autograd_function: a table with forward and backward expected", 2)
    end
    local own = {name = f.name or "function", forward = f.forward, backward = f.backward}
    return function(...) return call_function(own, ...) end
  end

  --- Calls a function, and has the first op whose result, or whose gradient in a backward inside of it, is NaN raise an
  -- error with the line of the script. Slow: every result is looked at.
  -- @tparam function fn
  -- @param ... its arguments
  -- @return what fn returns
  function lt.detect_anomaly(fn, ...)
    if type(fn) ~= "function" then error("detect_anomaly: function expected, got " .. type(fn), 2) end
    local _ <close> = watching(new_watcher())
    return fn(...)
  end

  return {lt.no_grad, lt.enable_grad, lt.grad, lt.autograd_function, lt.detect_anomaly}
end
