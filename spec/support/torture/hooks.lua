-- Sets debug hooks that raise an error, like Ctrl-C, at every point of code that sets modes. Afterwards modes must have
-- their defaults, gradients must be right, and no memory may leak.
--
--     tools/lua spec/support/torture/hooks.lua [step]
--
-- The hooks raise an error at every step-th instruction, call, return and line (default 1, which takes some seconds).
-- The script prints the number of raised errors, and fails at the first wrong value. Specs use a larger step.

local core = require "luatensor.core"
local lt = require "luatensor"
local nn = require "luatensor.nn"
local optim = require "luatensor.optim"

local leaf = {requires_grad = true}

local function backward()
  local x = lt.tensor({1., 2., 3.}, leaf)
  local w = lt.ones(3, 3, leaf)
  local y = lt.stack {x:exp(), x:sin() * 2}
  local z = y:sum(1):matmul(w):softmax(1)
  z:square():sum():backward()
  assert(x.grad and w.grad)
end

local function nested()
  local x = lt.ones(2, leaf)
  lt.no_grad(function()
    local _ <close> = lt.enable_grad()
    local y = lt.grad(function(v) return (v * v):sum() end)(x)
    lt.no_grad(function() return y * 2 end)
  end)
end

local function blocks()
  local x = lt.ones(2, leaf)
  for _ = 1, 2 do
    local _ <close> = lt.no_grad()
    assert(not (x * 2).requires_grad)
  end
  assert((x * 2).requires_grad)
end

local function halves()
  local layer = nn.Linear(2, 2)
  nn.autocast(function() return layer(lt.ones(1, 2)) end, {dtype = "bfloat16"})
  local _ <close> = nn.autocast()
  layer(lt.ones(1, 2)):sum():backward()
end

local function anomaly()
  local x = lt.ones(2, leaf)
  lt.detect_anomaly(function() (x * 3):sum():backward() end)
end

local function step()
  local layer = nn.Linear(2, 1)
  local opt = optim.LBFGS(layer:parameters(), {max_iter = 2})
  opt:step(function()
    opt:zero_grad()
    local loss = layer(lt.ones(3, 2)):square():mean()
    loss:backward()
    return loss
  end)
end

local works = {backward = backward, nested = nested, blocks = blocks, halves = halves, anomaly = anomaly, step = step}

local fired                              -- true after the hook raised

--- Sets a hook of coroutine co that raises an error at the n-th event. mask: the kind of event.
local function arm(co, mask, n)
  local seen = mask == "count" and n - 1 or 0
  fired = false
  debug.sethook(co, function()
    seen = seen + 1
    if seen < n then return end
    debug.sethook(co)
    fired = true
    error("torture", 0)
  end, mask == "count" and "" or mask, mask == "count" and n or nil)
end

--- by_pcall runs the work in the running coroutine. by_coroutine runs the work in a new coroutine, which stays
-- unclosed if an error ends it.
local function by_pcall(work, mask, n)
  local co = coroutine.running()
  return pcall(function()
    arm(co, mask, n)
    work()
    debug.sethook(co)
  end)
end

local function by_coroutine(work, mask, n)
  local co = coroutine.create(work)
  arm(co, mask, n)
  return coroutine.resume(co)
end

local function check_modes(where)
  local x = lt.tensor({3.}, leaf)
  local y = x * x
  if not y.requires_grad or not lt.is_grad_enabled() then error(where .. ": nothing is recorded") end
  if core.modes.autocast.value() then error(where .. ": autocast is on") end
  if core.modes.watch.value() then error(where .. ": anomalies are looked for") end
  y:backward()
  if x.grad:item() ~= 6 then error(where .. ": the gradient is wrong") end
end

--- Runs the work `name` with an error at event 1, 1 + by, … until the work has fewer events and runs to its end.
-- Returns the number of errors raised. call: by_pcall or by_coroutine. mask: the kind of event.
local function torture_work(name, call, mask, by)
  local raised = 0
  for n = 1, math.huge, by do
    local where = ("%s, %s %d"):format(name, mask, n)
    local ok, problem = call(works[name], mask, n)
    check_modes(where)
    if not fired then
      if not ok then error(where .. ": " .. tostring(problem)) end
      return raised
    end
    if not ok and not tostring(problem):find("torture", 1, true) then error(where .. ": " .. tostring(problem)) end
    raised = raised + 1
  end
end

local function live()
  collectgarbage()
  collectgarbage()
  return lt.memory().live
end

local function torture(by)
  for _, work in pairs(works) do work() end                 -- initialises everything that is made only once
  local before, raised = live(), 0
  for name in pairs(works) do
    for _, mask in ipairs {"count", "c", "r", "l"} do
      raised = raised + torture_work(name, by_pcall, mask, by) + torture_work(name, by_coroutine, mask, by)
    end
  end
  if live() > before then error(("%d bytes are left"):format(live() - before)) end
  return raised
end

if arg and tostring(arg[0]):find("torture/hooks.lua", 1, true) then
  print(("%d errors raised by hooks; the modes are the default ones"):format(torture(tonumber(arg[1]) or 1)))
end

return torture
