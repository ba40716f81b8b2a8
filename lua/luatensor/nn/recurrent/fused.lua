--- Computes a recurrent layer over all its time steps as one op with its own gradient, for float32 and float64. One
-- node is recorded, and each step is one product and one pass over its gates.
--
-- gx [times, batch, gates] contains the products of the input with the input's weights; the functions overwrite gx. w
-- [gates, hidden] contains the weights of the state. h and c [batch, hidden] are the previous state. backwards is true
-- if the last time is the first step.

local core = require "luatensor.core"
local lt = require "luatensor"
local engine = require "luatensor.autograd.engine"
local help = require "luatensor.gradients.help"

local ag, cells = core.autograd, core.cells
local fused = {}

local function empty(shape, like) return core.unwritten(shape, like.dtype, like) end

--- Returns the first time, the last time and the increment in the order of the steps.
local function order(times, backwards)
  if backwards then return times, 1, -1 end
  return 1, times, 1
end

local function is_recorded(...)
  if not ag.mode() then return false end
  for _, x in ipairs {...} do
    if x.requires_grad then return true end
  end
  return false
end

--- Makes a rule for each direction. Returns the two rules in a table whose keys are the values of `backwards`.
local function both_ways(name, letters, back)
  local function rule(backwards)
    local gradient = help.once("fused " .. name, function(...) return back(backwards, ...) end,
                               "make the layer with {fused = false}")
    return ag.new_rule {name = name, all = {letters, gradient}}
  end
  return {[true] = rule(true), [false] = rule(false)}
end

--- Returns the transpose of w, as an operand of `times` products. For more than 4 products the transpose of a
-- contiguous w is copied, because products with the copy are 30 % faster.
-- @treturn tensor
-- @treturn ?tensor the copy, as large as w, which the caller frees after the last step; nil if there is no copy
local function turned(w, times)
  local view = w.mT
  if times <= 4 or view:is_contiguous() then return view end
  local copy = view:contiguous()
  return copy, copy
end

local function free(...)
  for _, x in ipairs {...} do x:free() end
end

--- Returns the gradient of w. d [times, batch, gates] contains the gradients of the products with w, y [times, batch,
-- hidden] the state after each step, and h the state before the first step.
local function of_weight(d, y, h, backwards)
  local times = d.shape[1]
  local first, from, at = 1, 2, 1
  if backwards then first, from, at = times, 1, 2 end
  local dw = d[first].mT:matmul(h)
  if times == 1 then return dw end
  local function rows(x, begin) return x:narrow(1, begin, times - 1):reshape(-1, x.shape[3]) end
  return dw:addmm_(rows(d, from).mT, rows(y, at))
end

--- Returns the gradient of y with contiguous rows; nil if the backward pass gave none because y was not used.
local function plain(g) return g and g:contiguous() end

-- ---- LSTM ----

local function lstm_back(backwards, g, w, h, c, y, gates, all_c, p)
  local times = gates.shape[1]
  local dy, dc = plain(g[1]), g[2] and g[2]:clone() or c:zeros_like()
  local dgates, dh = empty(gates.shape, gates)
  local last, first, step = order(times, not backwards)
  for t = last, first, step do
    local before = t == first and c or all_c[t + step]
    cells.lstm_back(gates[t], before, all_c[t], dy and dy[t], dh, dc, dgates[t])
    if t ~= first or p.needs[2] then
      dh = dh or empty(h.shape, h)
      dgates[t]:matmul(w, {out = dh})
    end
  end
  local dw = p.needs[1] and of_weight(dgates, y, h, backwards) or nil
  free(w, h, c, y, gates, all_c)
  return {dw, dh, dc, dgates}
end

local lstm_rules = both_ways("LSTM", "xyz134p", lstm_back)

--- Runs an LSTM over all steps; the file's header explains the arguments. Returns y [times, batch, hidden], which
-- contains h after each step, and the last c.
function fused.lstm(gx, w, h, c, backwards)
  local recorded = is_recorded(gx, w, h, c)
  local _ <close> = engine.recording(false)
  local wt, copy = turned(w, gx.shape[1])
  local times, batch, hidden = gx.shape[1], h.shape[1], h.shape[2]
  local gates, y = gx:detach(), empty({times, batch, hidden}, h)
  local all_c = empty({recorded and times or 1, batch, hidden}, h)
  local h_now, c_now = h, c
  for t in fused.steps(times, backwards) do
    local sums, to_c, to_h = gates[t], all_c[recorded and t or 1], y[t]
    sums:addmm_(h_now, wt)
    cells.lstm_step(sums, c_now, to_c, to_h)
    h_now, c_now = to_h, to_c
  end
  if copy then copy:free() end
  if times == 0 then c_now = c:clone() end
  if not recorded then
    gates:free()
    return y, c_now
  end
  ag.new_node("LSTM", lstm_rules[backwards], {w, h, c, gx}, {y, c_now, gates, all_c})
  return y, c_now
end

-- ---- GRU ----

local function gru_back(backwards, g, w, h, y, gates, other, p)
  local times = gates.shape[1]
  local dy, dh = plain(g[1]), h:zeros_like()
  local dgates, dother = empty(gates.shape, gates), empty(gates.shape, gates)
  local last, first, step = order(times, not backwards)
  for t = last, first, step do
    local before = t == first and h or y[t + step]
    cells.gru_back(gates[t], before, other[t], dy and dy[t], dh, dgates[t], dother[t])
    if t ~= first or p.needs[2] then dh:addmm_(dother[t], w) end
  end
  local dw = p.needs[1] and of_weight(dother, y, h, backwards) or nil
  local db = p.needs[3] and dother:sum({1, 2}) or nil
  free(w, h, y, gates, other, dother)
  return {dw, dh, db, dgates}
end

local gru_rules = both_ways("GRU", "xy123p", gru_back)

--- Runs a GRU over all steps. b is the bias of the products with w, or nil; the file's header explains the other
-- arguments. Returns y [times, batch, hidden], which contains h after each step.
function fused.gru(gx, w, h, b, backwards)
  local recorded = is_recorded(gx, w, h, b or gx)
  local _ <close> = engine.recording(false)
  local wt, copy = turned(w, gx.shape[1])
  local times, batch, hidden = gx.shape[1], h.shape[1], h.shape[2]
  local gates, y = gx:detach(), empty({times, batch, hidden}, h)
  local other, h_now = empty({recorded and times or 1, batch, 3 * hidden}, h), h
  for t in fused.steps(times, backwards) do
    local of_h, to_h = other[recorded and t or 1], y[t]
    if b then lt.addmm(b, h_now, wt, {out = of_h}) else h_now:matmul(wt, {out = of_h}) end
    cells.gru_step(gates[t], h_now, to_h, of_h)
    h_now = to_h
  end
  if copy then copy:free() end
  if not recorded then
    free(gates, other)
    return y
  end
  ag.new_node("GRU", gru_rules[backwards], {w, h, b or false, gx}, {y, gates, other})
  return y
end

-- ---- RNN ----

local activations = {
  tanh = {apply = function(x) return x:tanh_() end, back = "(dy + dh) * (1 - y * y)"},
  relu = {apply = function(x) return x:maximum_(0) end, back = "select(y > 0, dy + dh, 0)"},
}

local function compiled(activation, dtype)
  local back = activation[dtype]
  if not back then
    back = lt.elementwise(("%s dy, %s dh, %s y"):format(dtype, dtype, dtype), activation.back)
    activation[dtype] = back
  end
  return back
end

local function rnn_back(activation)
  return function(backwards, g, w, h, y, p)
    local times = y.shape[1]
    local dy, dh, back = plain(g), h:zeros_like(), compiled(activation, y.dtype)
    local dsums = empty(y.shape, y)
    local last, first, step = order(times, not backwards)
    for t = last, first, step do
      back(dy[t], dh, y[t], {out = dsums[t]})
      if t ~= first or p.needs[2] then dsums[t]:matmul(w, {out = dh}) end
    end
    local dw = p.needs[1] and of_weight(dsums, y, h, backwards) or nil
    free(w, h, y)
    return {dw, dh, dsums}
  end
end

for _, activation in pairs(activations) do
  activation.rules = both_ways("RNN", "xyop", rnn_back(activation))
end

--- Runs an RNN over all steps. nonlinearity is "tanh" or "relu"; the file's header explains the other arguments.
-- Returns y [times, batch, hidden], which contains h after each step.
function fused.rnn(gx, w, h, nonlinearity, backwards)
  local recorded, activation = is_recorded(gx, w, h), activations[nonlinearity]
  local _ <close> = engine.recording(false)
  local wt, copy = turned(w, gx.shape[1])
  local y, h_now = gx:detach(), h
  for t in fused.steps(gx.shape[1], backwards) do
    local sums = y[t]
    activation.apply(sums:addmm_(h_now, wt))
    h_now = sums
  end
  if copy then copy:free() end
  if recorded then
    ag.new_node("RNN", activation.rules[backwards], {w, h, gx}, {y})
  end
  return y
end

--- Returns an iterator of the times in the order of the steps: `for t in fused.steps(times, backwards) do`.
function fused.steps(times, backwards)
  local first, last, step = order(times, backwards)
  local t = first - step
  return function()
    t = t + step
    if (last - t) * step >= 0 then return t end
  end
end

return fused
