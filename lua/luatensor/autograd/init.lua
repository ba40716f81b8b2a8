--- The public functions of automatic differentiation. src/autograd/autograd.c records the graph,
-- luatensor/autograd/engine.lua runs the backward pass, and luatensor/gradients has the rules.
-- docs/adding-a-gradient.md says how to write rules.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local blame = require "luatensor.base.blame"
local call_function = require "luatensor.autograd.custom"
local engine = require "luatensor.autograd.engine"
local names = require "luatensor.base.names"
local new_watcher = require "luatensor.autograd.anomaly"
local lt = require "luatensor.base.public"

require "luatensor.autograd.grad"

local methods = core.methods

local ag, modes = core.autograd, core.modes

-- ---- rules ----

--- Names of the files of luatensor/gradients. Each file returns a table of rules: op = {{letters, f}, …}, one pair
-- for each argument of the op. f computes the argument's gradient; the letters name the values that f receives.
local files = {"elementwise", "reduce", "scan", "sort", "product", "linalg", "factor", "fft", "shape", "index", "loss",
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

--- Implements lt.no_grad and similar functions: calls the function in `...` while `mode` has the given value. Without
-- a function, returns a guard; the mode has the value until the guard is closed. `name` is the function's name in
-- errors.
local function with_mode(name, mode, value, ...)
  if select("#", ...) == 0 then return mode.guard(value) end
  blame.check_function(name, (...))
  return mode.call(value, ...)
end

ag.elementwise = lt.elementwise

local function backward(y, gradient, options)
  if y == nil then
    args.fail("backward", "argument 1: tensor expected, got no value%s", names.colon("backward", "no value"))
  end
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

--- Computes the gradients of y with respect to all leaves from which y was computed, and adds them to each leaf's
-- `x.grad`. The pass releases the graph unless it is retained. Errors of a script's functions that the pass calls, such
-- as hooks, keep their lines.
-- @function backward
-- @tparam tensor y a tensor of one element, or of any shape if a gradient is given
-- @tparam[opt] tensor gradient the gradient of y, in y's shape; 1 unless given
-- @tparam[opt] table options `retain_graph` (default create_graph): keeps the graph for another backward pass;
--   `create_graph` (false): the gradients can be differentiated, too
-- @raise if y needs no gradient, if an op has no gradient, or if a tensor that a gradient needs was changed in place
function methods.backward(y, gradient, options) blame.call(backward, y, gradient, options) end

--- Calls a function without recording, so that its results require no gradients. Without a function, the result is a
-- guard: nothing is recorded until the block of the variable that holds the guard ends.
--
--     local y = lt.no_grad(model, x)
--     local _ <close> = lt.no_grad()
--
-- The call and the guard affect the coroutine that calls `lt.no_grad`, and coroutines that it resumes meanwhile. If
-- the coroutine yields, other coroutines are not affected.
-- @tparam[opt] function fn
-- @param ... the arguments of fn
-- @return what fn returns, or the guard
function lt.no_grad(...) return with_mode("no_grad", modes.recording, false, ...) end

--- Calls a function with recording, even inside of lt.no_grad. Without a function, the result is a guard: ops are
-- recorded until the block of the variable that holds the guard ends.
-- @tparam[opt] function fn
-- @param ... the arguments of fn
-- @return what fn returns, or the guard
function lt.enable_grad(...) return with_mode("enable_grad", modes.recording, true, ...) end

--- True while ops on tensors that require gradients are recorded.
-- @treturn boolean
function lt.is_grad_enabled() return (ag.mode()) end

--- Makes a function with its own gradient, for results that can be computed faster or more exactly than by existing
-- ops.
-- @tab f `forward(ctx, …)`: returns one or more tensors; its ops are not recorded. `backward(ctx, g, …)`: takes the
--   gradients of the results and returns the gradients of the arguments, in order (nil for an argument without
--   gradient). `name`: the name in messages. In forward, `ctx:save(x, …)` keeps tensors; in backward, `ctx:saved()`
--   returns them. `ctx.needs[i]` is true if the gradient of argument i is wanted
-- @treturn function
function lt.autograd_function(f)
  local is_table = type(f) == "table" and core.type_name(f) ~= "library"
  if not is_table or type(f.forward) ~= "function" or type(f.backward) ~= "function" then
    blame.fail("autograd_function", "a table with forward and backward expected")
  end
  local own = {name = f.name or "function", forward = f.forward, backward = f.backward}
  return function(...) return call_function(own, ...) end
end

--- Calls a function, and raises an error at the first NaN in a result of an op, or in a gradient of a backward pass
-- inside of the function. The error names the op and the line of the script. This mode is slow, because it waits for
-- every result and checks it. Without a function, the result is a guard, as for lt.no_grad.
-- @tparam[opt] function fn
-- @param ... the arguments of fn
-- @return what fn returns, or the guard
function lt.detect_anomaly(...) return with_mode("detect_anomaly", modes.watch, new_watcher(), ...) end

return {lt.no_grad, lt.enable_grad, lt.autograd_function, lt.detect_anomaly, lt.grad, lt.value_and_grad,
        methods.backward}
