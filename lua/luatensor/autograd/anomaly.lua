--- lt.detect_anomaly, which finds the op that produces the first NaN. This file makes the watcher: a table of functions
-- that core calls with the results and gradients of each op.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local blame = require "luatensor.base.blame"
local engine = require "luatensor.autograd.engine"

local ag = core.autograd

local function has_nan(x)
  local _ <close> = engine.recording(false)
  return x:isnan():any():item()
end

local function any_nan(list)
  for _, x in ipairs(list) do
    if core.is_tensor(x) and not core.gone(x) and has_nan(x) then return true end
  end
  return false
end

--- Returns a watcher. Core calls its function `record` for the results of each op, and its function `check` for each
-- gradient in a backward pass. Both raise an error for a NaN.
local function new_watcher()
  local lines = setmetatable({}, {__mode = "k"})
  local w = {}
  function w.record(node, name, in_place, results, inputs)
    lines[node] = blame.script_line()
    if not any_nan(results) then return end
    local got = not in_place and any_nan(inputs)         -- an in-place op has overwritten the input
    error(("%s: detect_anomaly: %s %s NaN"):format(lines[node], name, got and "got" or "made"), 0)
  end
  function w.check(node, g)
    if not has_nan(g) then return end
    local _, name = ag.rule(node)
    args.fail("backward", "the gradient of %s at %s is NaN", name, lines[node] or "?")
  end
  return w
end

return new_watcher
