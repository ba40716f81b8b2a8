--- optim.LBFGS, a quasi-Newton method with limited memory. line_search.lua finds the lengths of its steps.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lt = require "luatensor"
local blame = require "luatensor.base.blame"
local engine = require "luatensor.autograd.engine"
local Optimizer = require "luatensor.optim.optimizer"
local saving = require "luatensor.optim.state"
local strong_wolfe = require "luatensor.optim.line_search"

local gradient = core.autograd.gradient

--- Makes an optimiser that steps along −H g, where g is the gradient. H approximates the inverse of the Hessian (the
-- matrix of second derivatives) by the last changes of parameters and gradients. A step calls the closure several
-- times, and waits for a GPU before each decision. All parameters form one long vector on the first parameter's device.
-- The method suits small problems without noise.
--
--     opt:step(function()
--       opt:zero_grad()
--       local loss = model(x):sub(y):square():mean()
--       loss:backward()
--       return loss
--     end)
--
-- Liu, Nocedal: On the Limited Memory BFGS Method for Large Scale Optimization (1989). The optimiser works like
-- PyTorch's LBFGS.
-- @function optim.LBFGS
-- @param params a list of tensors, which form one group
-- @tparam[opt] table options `lr` (1); `max_iter` (20): iterations per step; `max_eval` (max_iter · 5/4): calls of
--   the closure per step; `tolerance_grad` (1e-7); `tolerance_change` (1e-9); `history_size` (100); `line_search_fn`:
--   "strong_wolfe", or nil for steps of length lr; `maximize` (false)
-- @treturn Optimizer
local LBFGS = Optimizer.class("LBFGS", {
  lr = {"nonnegative", default = 1}, max_iter = {"count", default = 20}, max_eval = "count",
  tolerance_grad = {"nonnegative", default = 1e-7}, tolerance_change = {"nonnegative", default = 1e-9},
  history_size = {"count", default = 100},
  line_search_fn = {"choice", "strong_wolfe"}, maximize = {"boolean", default = false},
})

function LBFGS:check(group, k)
  if k > 1 then self:fail("all parameters are one group") end
  group.max_eval = group.max_eval or group.max_iter * 5 // 4
end

-- ---- parameters as one vector ----

local function sign(group) return group.maximize and -1 or 1 end

local function flat_gradient(group)
  local first, parts = group.params[1], {}
  for i, p in ipairs(group.params) do
    local g = gradient(p) or core.zeros_like(p)
    parts[i] = g:detach():reshape(-1):to(first.dtype, first.device)
  end
  local g = lt.concat(parts)
  return group.maximize and -g or g
end

local function move(group, t, d)
  local at = 0
  for _, p in ipairs(group.params) do
    p:add_((d:narrow(1, at + 1, p.size) * t):reshape(p.shape):to(p.dtype, p.device))
    at = at + p.size
  end
end

local function largest(x) return x.size > 0 and x:abs():max():item() or 0 end
local function dot(x, y) return (x * y):sum():item() end

-- Returns the closure's loss as the closure returned it, and the loss as a number to be minimised.
local function evaluate(group, closure)
  local loss = engine.record(true, closure)
  local value = core.is_tensor(loss) and not core.gone(loss) and loss.size == 1 and loss:item() or loss
  if core.is_tensor(value) then
    blame.fail("LBFGS", "the closure must return the loss, one number: %s",
               core.gone(loss) or "its shape is " .. args.shape_text(loss.shape))
  end
  if type(value) ~= "number" then
    blame.fail("LBFGS", "the closure must return the loss, it gave %s", core.type_name(loss))
  end
  return loss, value * sign(group)
end

-- ---- the direction ----

-- Stores s, a change of the parameters, and y, the resulting change of the gradient. Does nothing if y · s is at most
-- 1e-10, because H stays positive definite only if y · s is positive.
local function remember(state, y, s, history_size)
  local ys = dot(y, s)
  if ys <= 1e-10 then return end
  if #state.old_dirs == history_size then
    for _, name in ipairs {"old_dirs", "old_stps", "ro"} do table.remove(state[name], 1) end
  end
  table.insert(state.old_dirs, y)
  table.insert(state.old_stps, s)
  table.insert(state.ro, 1 / ys)
  state.H_diag = ys / dot(y, y)
end

-- Returns the direction −H g from the gradient g and the stored changes, by the two-loop recursion: Nocedal, Wright:
-- Numerical Optimization (2006), algorithm 7.4.
local function direction(state, g)
  local q, al, n = -g, {}, #state.old_dirs
  for i = n, 1, -1 do
    al[i] = dot(state.old_stps[i], q) * state.ro[i]
    q:sub_(state.old_dirs[i] * al[i])
  end
  q:mul_(state.H_diag)
  for i = 1, n do
    local be = dot(state.old_dirs[i], q) * state.ro[i]
    q:add_(state.old_stps[i] * (al[i] - be))
  end
  return q
end

local function next_direction(state, g, history_size)
  state.n_iter = state.n_iter + 1
  if state.n_iter == 1 then
    state.old_dirs, state.old_stps, state.ro, state.H_diag = {}, {}, {}, 1
    state.d = -g
  else
    remember(state, g - state.prev_flat_grad, state.d * state.t, history_size)
    state.d = direction(state, g)
  end
end

-- ---- steps ----

-- Returns a value for a `<close>` variable. If the closure raises an error, the parameters get their values from
-- `kept` back, and the next step starts with a new direction.
local function undoing(group, state, kept)
  return setmetatable({}, {__close = function(_, problem)
    if problem == nil then return end
    for i, p in ipairs(group.params) do
      if not core.gone(p) then p:copy_(kept[i]) end
    end
    state.n_iter, state.t = state.n_iter - 1, 0
  end})
end

-- Makes a step along the direction state.d by a line search. point: {f = the loss, g = the gradient} before the step;
-- slope: the derivative of f along the direction; most: the largest number of calls of the closure after the first
-- call. Returns the next point and the number of calls.
local function search(group, closure, state, point, slope, most)
  local d, kept = state.d, {}
  for i, p in ipairs(group.params) do kept[i] = p:detach():clone() end
  local _ <close> = undoing(group, state, kept)
  local function at(t)
    move(group, t, d)
    local _, f = evaluate(group, closure)
    local g = flat_gradient(group)
    for i, p in ipairs(group.params) do p:copy_(kept[i]) end
    return {t = t, f = f, g = g, slope = dot(g, d)}
  end
  local found, calls = strong_wolfe(at, {t = 0, f = point.f, g = point.g, slope = slope}, state.t, largest(d),
                                    group.tolerance_change, most)
  state.t = found.t
  move(group, found.t, d)
  return found, calls
end

-- Makes a step of length state.t along d without a search. After the last iteration the loss is not needed, so the
-- closure is not called.
local function fixed(group, closure, state, point, _, _, is_last)
  move(group, state.t, state.d)
  if is_last then return point, 0 end
  local _, f = evaluate(group, closure)
  return {f = f, g = flat_gradient(group)}, 1
end

local function is_done(group, state, point, before)
  return largest(point.g) <= group.tolerance_grad
      or largest(state.d * state.t) <= group.tolerance_change
      or math.abs(point.f - before) < group.tolerance_change
end

local function iterate(group, closure, state, point)
  local calls = 1
  for i = 1, group.max_iter do
    next_direction(state, point.g, group.history_size)
    state.prev_flat_grad = point.g
    state.t = (state.n_iter == 1 and math.min(1, 1 / point.g:abs():sum():item()) or 1) * group.lr
    local before, slope = point.f, dot(point.g, state.d)
    state.prev_loss = before
    if slope > -group.tolerance_change then break end
    local walk, more = group.line_search_fn and search or fixed, nil            -- luacheck: ignore 311
    point, more = walk(group, closure, state, point, slope, group.max_eval - calls, i == group.max_iter)
    calls = calls + more
    state.func_evals = state.func_evals + more
    if i == group.max_iter or calls >= group.max_eval or is_done(group, state, point, before) then break end
  end
end

--- Makes a step: iterates until max_iter iterations or max_eval calls of the closure were made, or a tolerance is
-- reached. A line search may call the closure once more than max_eval.
-- @function LBFGS:step
-- @tparam function closure clears the gradients, computes the loss and its gradients, and returns the loss
-- @return the loss before the step, as the closure returned it
function LBFGS:step(closure)
  saving.check_self(self, "index", "step", "optimizer")
  blame.check_function("LBFGS: step", closure)
  local group = self.param_groups[1]
  self:check_types(group)
  local first = group.params[1]
  local state = self.state[first] or {func_evals = 0, n_iter = 0}
  self.state[first] = state
  local _ <close> = engine.recording(false)
  local loss, f = evaluate(group, closure)
  state.func_evals = state.func_evals + 1
  local point = {f = f, g = flat_gradient(group)}
  if largest(point.g) > group.tolerance_grad then iterate(group, closure, state, point) end
  return loss
end

-- The fields of the state after the first step, each with its type in Lua.
local kinds = {func_evals = "number", n_iter = "number", t = "number", H_diag = "number", prev_loss = "number",
               old_dirs = "table", old_stps = "table", ro = "table", d = "userdata", prev_flat_grad = "userdata"}

function LBFGS:check_state(_, saved)
  for name, kind in pairs(kinds) do
    local value = saved[name]
    local may_miss = saved.n_iter == 0 and name ~= "func_evals"
    if type(value) ~= kind and not (value == nil and may_miss) then
      self:fail("load_state_dict: %s is %s", name, value == nil and "missing" or "a " .. core.type_name(value))
    end
  end
end

-- Returns a copy of a value of the state, on the first parameter's device. Each tensor in the value must have as many
-- elements as all parameters together.
function LBFGS:adapt(_, p, name, value)
  if type(value) == "table" then
    local list = {}
    for k, each in ipairs(value) do list[k] = self:adapt(nil, p, name, each) end
    return list
  end
  if not core.is_tensor(value) then return value end
  local size = 0
  for _, each in ipairs(self.param_groups[1].params) do size = size + each.size end
  if value.ndim ~= 1 or value.size ~= size then
    self:fail("load_state_dict: %s has shape %s, all parameters [%d]", name, args.shape_text(value.shape), size)
  end
  return value:detach():to(p.dtype, p.device):clone()
end

return {LBFGS = LBFGS}
