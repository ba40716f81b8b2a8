--- Gradients, as scripts ask for them. What was recorded is src/lua_autograd.c's; the way back through it
-- luatensor/autograd/engine.lua; the rules are in luatensor/gradients, and docs/adding-a-gradient.md says how they are
-- written.

local args = require "luatensor.args"
local core = require "luatensor.core"
local blame = require "luatensor.autograd.blame"
local call_function = require "luatensor.autograd.custom"
local engine = require "luatensor.autograd.engine"
local new_watcher = require "luatensor.autograd.anomaly"

local ag, modes = core.autograd, core.modes

-- ---- rules ----

--- Each gives rows by name: name = {{letters, f}, …}, one for each argument.
local files = {"elementwise", "reduce", "line", "sort", "product", "linalg", "factor", "fft", "shape", "index", "loss",
               "conv", "norm"}

local rules = {}
ag.rules = rules
for _, file in ipairs(files) do
  for name, row in pairs(require("luatensor.gradients." .. file)) do
    if rules[name] then error("two gradients for " .. name) end
    rules[name] = row
    ag.set_rule(name, ag.new_rule(row))
  end
end

local backward_options = {retain_graph = true, create_graph = true}

--- Calls fn with a mode set to a value. Without a function: a guard that sets the mode.
local function with_mode(name, mode, value, ...)
  if select("#", ...) == 0 then return mode.guard(value) end
  blame.check_function(name, (...))
  return mode.call(value, ...)
end

local function alias_of(x)
  if not x.requires_grad then return x:detach():requires_grad_() end
  local _ <close> = engine.recording(true)
  return x:reshape(x.shape)
end

--- A gradient that shares its memory with no other.
local function apart(g) return ag.sole(g) and g or g:clone() end

--- Which arguments are differentiated: the list of numbers of option argnums, or all float and complex tensors.
local function chosen(list, argnums)
  local numbers = {}
  for i = 1, argnums and #argnums or list.n do
    local k = argnums and argnums[i] or i
    local x = list[k]
    local fits = core.is_tensor(x) and (x.dtype:find("^complex") or x.dtype:find("float"))
    if argnums and k > list.n then args.fail("grad", "argnums: the function was called with %d arguments", list.n) end
    if argnums and not fits then args.fail("grad", "argument %d is no float or complex tensor", k) end
    if fits then numbers[#numbers + 1] = k end
  end
  return numbers
end

--- Option argnums of lt.grad: nil, or a list of numbers of arguments.
local function check_argnums(argnums)
  if argnums == nil then return nil end
  local list, seen = type(argnums) == "table" and argnums or {argnums}, {}
  if #list == 0 then args.fail("grad", "argnums: the number of an argument expected, or a list of them") end
  local numbers = {}
  for i, k in ipairs(list) do
    numbers[i] = args.integer("grad", "argnums", k, 1)
    if seen[numbers[i]] then args.fail("grad", "argnums: %d is named twice", numbers[i]) end
    seen[numbers[i]] = true
  end
  return numbers
end

return function(lt, methods)
  ag.elementwise = lt.elementwise

  --- Gradients of y for all leaves that it was computed from: they are added to each leaf's `x.grad`. What was recorded
  -- is let go on the way.
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
    engine.walk(y, engine.first_gradient("backward", y, gradient), {graph = graph, retain = retain})
  end

  --- Calls a function while nothing is recorded: what it computes needs no gradients. Without a function, the result is
  -- a guard: nothing is recorded until the block ends whose variable holds it.
  --
  --     local y = lt.no_grad(model, x)
  --     local _ <close> = lt.no_grad()
  --
  -- Both hold for the coroutine that calls `lt.no_grad`, and for those that it resumes meanwhile. A coroutine that
  -- yields inside leaves the others as they are.
  -- @tparam[opt] function fn
  -- @param ... its arguments
  -- @return what fn returns, or the guard
  function lt.no_grad(...) return with_mode("no_grad", modes.recording, false, ...) end

  --- Calls a function while ops are recorded, also inside of lt.no_grad. Without a function the result is a guard, as
  -- that of lt.no_grad.
  -- @tparam[opt] function fn
  -- @param ... its arguments
  -- @return what fn returns, or the guard
  function lt.enable_grad(...) return with_mode("enable_grad", modes.recording, true, ...) end

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
    blame.check_function("grad", fn)
    local argnums = blame.call(args.options, "grad", options, {argnums = true}).argnums
    argnums = blame.call(check_argnums, argnums)
    return function(...)
      local list = table.pack(...)
      local numbers = blame.call(chosen, list, argnums)
      local outer, stops, sources = false, {}, {}
      for i, k in ipairs(numbers) do
        outer = outer or list[k].requires_grad
        list[k] = alias_of(list[k])
        sources[i] = ag.source(list[k])
        stops[sources[i]] = true
      end
      local graph = outer and ag.mode()
      local y = engine.record(true, fn, table.unpack(list, 1, list.n))
      if not core.is_tensor(y) then blame.fail("grad", "the function gave %s, a tensor expected", core.type_name(y)) end
      local run = {graph = graph, retain = graph, stops = stops, captured = {}}
      if y.requires_grad then blame.call(engine.walk, y, blame.call(engine.first_gradient, "grad", y), run) end
      local results = {}
      for i, k in ipairs(numbers) do
        local g = run.captured[sources[i]] or core.zeros_like(list[k])
        results[i] = graph and g or apart(g)
      end
      return table.unpack(results)
    end
  end

  --- A function with a gradient of its own: for what is computed faster or more exactly than by its parts.
  -- @tab f `forward(ctx, …)`: gives one or more tensors; nothing in it is recorded. `backward(ctx, g, …)`: from the
  --   gradients of the results those of the arguments, in order (nil: none). `ctx:save(x, …)` keeps tensors for
  --   backward, where `ctx:saved()` gives them; `ctx.needs[i]`: is the gradient of argument i wanted? `name`: for
  --   messages
  -- @treturn function
  function lt.autograd_function(f)
    if type(f) ~= "table" or type(f.forward) ~= "function" or type(f.backward) ~= "function" then
      blame.fail("autograd_function", "a table with forward and backward expected")
    end
    local own = {name = f.name or "function", forward = f.forward, backward = f.backward}
    return function(...) return call_function(own, ...) end
  end

  --- Calls a function, and has the first op whose result, or whose gradient in a backward inside of it, is NaN raise
  -- an error with the line of the script. Slow: every result is waited for and looked at. Without a function the result
  -- is a guard, as that of lt.no_grad.
  -- @tparam[opt] function fn
  -- @param ... its arguments
  -- @return what fn returns, or the guard
  function lt.detect_anomaly(...) return with_mode("detect_anomaly", modes.watch, new_watcher(), ...) end

  return {lt.no_grad, lt.enable_grad, lt.grad, lt.autograd_function, lt.detect_anomaly}
end
