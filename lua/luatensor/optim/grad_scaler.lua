--- optim.GradScaler, loss scaling for float16.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lt = require "luatensor"
local arity = require "luatensor.base.arity"
local blame = require "luatensor.base.blame"
local engine = require "luatensor.autograd.engine"
local Optimizer = require "luatensor.optim.optimizer"
local is = require "luatensor.optim.options"
local replays = require "luatensor.base.replays"
local saving = require "luatensor.optim.state"

--- Small gradients are lost in float16, which has no positive number below 6e-8. A scaler multiplies the loss by a
-- scale, and divides the gradients by the scale before the step. It skips steps with infinite or NaN gradients,
-- lowers the scale after such a step, and raises the scale after `growth_interval` steps without one:
--
--     local scaler = optim.GradScaler()
--     for x, y in loader:batches() do
--       opt:zero_grad()
--       local loss = nn.autocast(function() return nn.functional.cross_entropy(model(x), y) end, {dtype = "float16"})
--       scaler:scale(loss):backward()
--       scaler:unscale_(opt)                                     -- only where gradients are looked at or clipped
--       nn.utils.clip_grad_norm_(model:parameters(), 1)
--       scaler:step(opt)
--       scaler:update()
--     end
--
-- bfloat16 needs no scaler. Micikevicius and others: Mixed Precision Training (2018). The scaler works like PyTorch's
-- GradScaler.
-- @type GradScaler
local GradScaler = {name = "GradScaler", __name = "gradient scaler"}
GradScaler.__index = GradScaler

-- gradient(p) returns p.grad, but does not mark this tensor as seen by scripts, so that zero_grad can free it.
local gradient = core.autograd.gradient

local rows = {
  init_scale = {"positive", default = 65536}, growth_factor = {"positive", default = 2},
  backoff_factor = {"positive", default = 0.5},
  growth_interval = {"count", default = 2000}, enabled = {"boolean", default = true},
}

local function fail(message, ...) blame.fail("GradScaler", message, ...) end
function GradScaler:fail(...) blame.fail(self.name, ...) end
local function check_self(self, name) saving.check_self(self, "seen", name, "scaler") end

--- Makes a scaler.
-- @function optim.GradScaler
-- @tparam[opt] table options `init_scale` (65536); `backoff_factor` (0.5): the factor of the scale after a skipped
--   step; `growth_factor` (2): the factor of the scale after `growth_interval` steps; `growth_interval` (2000): the
--   number of consecutive steps without a skipped step; `enabled` (true)
-- @treturn GradScaler
local function new(_, options)
  local self = setmetatable(args.read("GradScaler", options, rows), GradScaler)
  self.factor, self.growth_tracker, self.seen = self.init_scale, 0, {}
  return self
end

--- Multiplies the loss, or each of several losses, by the scale.
-- @param loss a tensor, or a list of tensors
-- @return the scaled loss, or a list of the scaled losses
function GradScaler:scale(loss)
  check_self(self, "scale")
  if not self.enabled then return loss end
  if core.is_tensor(loss) then return loss * self.factor end
  if type(loss) ~= "table" then fail("scale: tensor expected, got %s", core.type_name(loss)) end
  local list = {}
  for i, x in ipairs(loss) do list[i] = self:scale(x) end
  return list
end

-- Returns the gradients of an optimiser's parameters. Raises an error if a gradient cannot be divided in place.
local function gradients(opt)
  local list = {}
  for _, group in ipairs(opt.param_groups) do
    for _, p in ipairs(group.params) do
      local g = gradient(p)
      local gone = g and core.gone(g)
      if gone then fail("unscale_: parameter %d: its gradient: %s", opt.index[p], gone) end
      if g and g.dtype == "float16" then
        fail("parameters must stay float32: a gradient is float16, and what was lost in it stays lost")
      end
      if g and core.is_overlapping(g) then
        fail("unscale_: parameter %d: its gradient is a broadcast view; use :clone()", opt.index[p])
      end
      if g and g.size > 0 then list[#list + 1] = g end
    end
  end
  return list
end

-- Divides a gradient by the scale, and returns its largest magnitude, which is NaN or infinite if an element is.
local function unscale(g, factor)
  g:mul_(1 / factor)
  return lt.linalg.vector_norm(g, {ord = math.huge})
end

local function check_optimizer(name, opt)
  if not Optimizer.is(opt) then fail("%s: optimiser expected, got %s", name, core.type_name(opt)) end
end

--- Divides the gradients of an optimiser's parameters by the scale, so that scripts can read or clip the gradients.
-- Without this call, `step` divides the gradients.
-- @tparam Optimizer opt the optimiser
function GradScaler:unscale_(opt)
  check_self(self, "unscale_")
  check_optimizer("unscale_", opt)
  if not self.enabled then return end
  if self.seen[opt] then fail("unscale_: the gradients were divided since the last update") end
  local _ <close> = engine.recording(false)
  local largest = {}
  for i, g in ipairs(gradients(opt)) do largest[i] = unscale(g, self.factor) end
  self.seen[opt] = {largest = largest}
end

-- True if all numbers are finite. Waits for a GPU once, for all numbers together.
local function all_finite(largest)
  if #largest == 0 then return true end
  local first = largest[1]
  for i, x in ipairs(largest) do largest[i] = x:to(first.device, "float32") end
  return lt.stack(largest):max():item() < math.huge
end

--- Runs the optimiser's step, unless a gradient is infinite or NaN. First divides the gradients by the scale, unless
-- unscale_ has divided them since the last update. The call waits for a GPU to check the gradients.
-- A compiled function that calls this method is not replayed.
-- @tparam Optimizer opt the optimiser
-- @return what opt:step() returns; nothing if the step was skipped
function GradScaler:step(opt)
  check_self(self, "step")
  check_optimizer("step", opt)
  if not self.enabled then return opt:step() end
  if not self.seen[opt] then self:unscale_(opt) end
  local seen = self.seen[opt]
  if seen.stepped then fail("step: it was called since the last update") end
  seen.stepped = true
  replays.refuse "GradScaler:step reads whether the gradients are finite"
  seen.overflow = not all_finite(seen.largest)
  if not seen.overflow then return opt:step() end
end

--- Adapts the scale. Scripts call this method after the steps of all optimisers.
-- @tparam[opt] number scale the new scale, in place of the adapted scale
function GradScaler:update(scale)
  check_self(self, "update")
  if not self.enabled then return end
  local overflow, any = false, false
  for _, seen in pairs(self.seen) do
    overflow, any = overflow or seen.overflow, true
  end
  if not any and scale == nil then fail("update: no step was made since the last one") end
  self.seen = {}
  if scale ~= nil then
    self.factor = args.check("GradScaler: update", "scale", scale, "positive")
  elseif overflow then
    self.factor, self.growth_tracker = self.factor * self.backoff_factor, 0
  else
    self.growth_tracker = self.growth_tracker + 1
    if self.growth_tracker >= self.growth_interval then
      self.factor, self.growth_tracker = self.factor * self.growth_factor, 0
    end
  end
end

--- Returns the scale, or 1 if the scaler is disabled.
-- @treturn number the scale
function GradScaler:get_scale()
  check_self(self, "get_scale")
  return self.enabled and self.factor or 1
end

local saved = {"growth_factor", "backoff_factor", "growth_interval", "growth_tracker"}

--- Returns a table with the fields scale, growth_factor, backoff_factor, growth_interval, growth_tracker (the number
-- of updates since the last growth or skipped step), and class ("GradScaler").
-- @treturn table the state
function GradScaler:state_dict()
  check_self(self, "state_dict")
  local dict = {class = self.name, scale = self.factor}
  for _, name in ipairs(saved) do dict[name] = self[name] end
  return dict
end

local kinds = {scale = "positive", growth_factor = "positive", backoff_factor = "positive",
                growth_interval = "count", growth_tracker = "natural"}

--- Restores the state from state_dict. If a value does not fit, nothing changes.
-- @tab dict a result of state_dict
-- @raise if the state is of another class, or has values that the constructor refuses
function GradScaler:load_state_dict(dict)
  check_self(self, "load_state_dict")
  if type(dict) ~= "table" then fail("load_state_dict: this is not the state of a scaler") end
  saving.check_class(self, dict)
  if dict.scale == nil then fail("load_state_dict: this is not the state of a scaler") end
  local made = {}
  for name, kind in pairs(kinds) do
    if dict[name] == nil then fail("load_state_dict: %s is missing", name) end
    made[name] = args.check("GradScaler: load_state_dict", name, dict[name], kind)
  end
  self.factor = made.scale
  for _, name in ipairs(saved) do self[name] = made[name] end
end

function GradScaler:__tostring()
  local all = {enabled = self.enabled, scale = self.factor}
  for _, name in ipairs(saved) do all[name] = self[name] end
  return ("GradScaler(%s)"):format(is.list_text(all))
end

return {GradScaler = setmetatable(GradScaler, {__call = arity.method("GradScaler", new), __name = "class"})}
