--- Losses as layers of lt.nn. The functions, with formulas, are in functional/loss.lua and
-- functional/cross_entropy.lua.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local blame = require "luatensor.base.blame"
local functional = require "luatensor.nn.functional"
local Module = require "luatensor.nn.module"

--- Makes a layer that computes nn.functional.mse_loss, by default the mean of (x - y)².
-- @function nn.MSELoss
-- @tparam[opt] table options `reduction` ("mean"): "mean", "sum", "none"
-- @treturn Module takes the input x and the target y

--- Makes a layer that computes nn.functional.l1_loss, by default the mean of |x - y|.
-- @function nn.L1Loss
-- @tparam[opt] table options `reduction` ("mean"): "mean", "sum", "none"
-- @treturn Module takes the input x and the target y

--- Makes a layer that computes nn.functional.smooth_l1_loss, which is quadratic near 0 and otherwise linear with
-- slope 1.
-- @function nn.SmoothL1Loss
-- @tparam[opt] table options `beta` (1), `reduction`
-- @treturn Module takes the input x and the target y

--- Makes a layer that computes nn.functional.huber_loss, which is quadratic near 0 and otherwise linear with slope
-- delta.
-- @function nn.HuberLoss
-- @tparam[opt] table options `delta` (1), `reduction`
-- @treturn Module takes the input x and the target y

--- Makes a layer that computes nn.functional.binary_cross_entropy, the binary cross entropy of probabilities.
-- @function nn.BCELoss
-- @tparam[opt] table options `weight`, `reduction`
-- @treturn Module takes probabilities and the target

--- Makes a layer that computes nn.functional.binary_cross_entropy_with_logits, the binary cross entropy of logits.
-- @function nn.BCEWithLogitsLoss
-- @tparam[opt] table options `weight`, `pos_weight`, `reduction`
-- @treturn Module takes logits and the target

--- Makes a layer that computes nn.functional.kl_div, the Kullback–Leibler divergence of log-probabilities.
-- @function nn.KLDivLoss
-- @tparam[opt] table options `log_target` (false), `reduction`
-- @treturn Module takes log-probabilities and the target

--- Makes a layer that computes nn.functional.nll_loss, minus the log-probability of the target class.
-- @function nn.NLLLoss
-- @tparam[opt] table options `weight`, `ignore_index` (-100), `reduction`
-- @treturn Module takes log-probabilities and classes

--- Makes a layer that computes nn.functional.cross_entropy of logits and a target. The target is a class, counted
-- from 1, or the probabilities of all classes.
-- @function nn.CrossEntropyLoss
-- @tparam[opt] table options `weight`, `ignore_index` (-100), `label_smoothing` (0), `reduction`
-- @treturn Module takes logits and the target
local losses = {
  MSELoss = {"mse_loss"}, L1Loss = {"l1_loss"}, SmoothL1Loss = {"smooth_l1_loss", "beta"},
  HuberLoss = {"huber_loss", "delta"}, BCELoss = {"binary_cross_entropy", "weight"},
  BCEWithLogitsLoss = {"binary_cross_entropy_with_logits", "weight", "pos_weight"},
  KLDivLoss = {"kl_div", "log_target"}, NLLLoss = {"nll_loss", "weight", "ignore_index"},
  CrossEntropyLoss = {"cross_entropy", "weight", "ignore_index", "label_smoothing"},
}

local kind_of = {log_target = "boolean", beta = "number", delta = "number", label_smoothing = "number",
                 ignore_index = "number"}

local classes = {}

local function define(name, f, keys)
  local class, known = Module:extend(name), {reduction = true}
  for _, key in ipairs(keys) do known[key] = kind_of[key] or true end

  function class:init(options)
    options = args.options(name, options, known)
    for _, key in ipairs(keys) do
      local value = options[key]
      if core.is_tensor(value) then
        self:register_buffer(key, value)
      elseif key:find("weight") and value ~= nil then
        blame.fail(name, "%s: tensor expected, got %s", key, core.type_name(value))
      else
        self[key] = value
      end
    end
    self.reduction = options.reduction
    self.options = next(options) ~= nil
  end

  function class:forward(x, target)
    if not self.options then return (f(x, target)) end
    local options = {reduction = self.reduction}
    for _, key in ipairs(keys) do options[key] = self[key] end
    return (f(x, target, options))
  end

  function class:extra() return self.reduction and ("reduction = %q"):format(tostring(self.reduction)) or "" end

  classes[name] = class
end

for name, row in pairs(losses) do define(name, functional[row[1]], {table.unpack(row, 2)}) end

return classes
