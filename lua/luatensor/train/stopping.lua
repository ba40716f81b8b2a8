--- train.EarlyStopping, which ends a training that no longer improves, and keeps the best weights.
-- @submodule luatensor.train

local args = require "luatensor.base.args"
local arity = require "luatensor.base.arity"
local blame = require "luatensor.base.blame"
local core = require "luatensor.core"
local lt = require "luatensor"
local outside = require "luatensor.base.outside"

local EarlyStopping = {class_name = "EarlyStopping", __name = "early stopping"}
EarlyStopping.__index = EarlyStopping

local known = {
  patience = {"natural", default = 10}, min_delta = {"nonnegative", default = 0},
  mode = {"choice", "min", "max", default = "min"}, model = true, path = "string",
  overwrite = {"boolean", default = false},
}

--- Watches a value such as the loss of the validation set:
--
--     local stopping = train.EarlyStopping{patience = 5, model = model, path = "best.safetensors"}
--     for epoch = 1, 100 do
--       …
--       if stopping:step(validation_loss) then break end
--     end
--     stopping:restore()                       -- the model has the best weights again
--
-- Fields: `best`, the best value; `best_step`, the number of the call of `step` that had it; `improved`, true if this
-- was the last call.
-- @function train.EarlyStopping
-- @tparam[opt] table options `patience` (10): the number of calls in sequence without improvement after which training
--   ends; `min_delta` (0): a smaller difference is no improvement; `mode` ("min"): "max" if greater values are better;
--   `model`: the module whose best weights are kept; `path`: the file for these weights, which lt.save replaces
--   completely or not at all (default: they are kept in memory); `overwrite` (false): true replaces a file of an
--   earlier run, which otherwise is an error of the first improvement. A run that continues with load_state_dict
--   replaces its file in any case
-- @treturn EarlyStopping
local function new(_, options)
  local self = args.read("EarlyStopping", options, known)
  local kind = core.type_name(self.model)
  if self.model ~= nil and kind ~= "module" then
    blame.fail("EarlyStopping", "model: module expected, got %s", kind)
  elseif self.path and not self.model then
    blame.fail("EarlyStopping", "path: the option model says whose weights are saved")
  end
  if self.path then outside.check("EarlyStopping", "io") end
  self.count, self.waited, self.improved = 0, 0, false
  return setmetatable(self, EarlyStopping)
end

local function is_better(self, value)
  if value ~= value then return false end
  if not self.best then return true end
  if self.mode == "min" then return value < self.best - self.min_delta end
  return value > self.best + self.min_delta
end

-- Raises an error if there is a file that this run must not replace: this run has written none, and does not continue
-- the run that wrote the file.
local function check_file(self)
  if self.best or self.overwrite then return end
  local file = io.open(self.path, "rb")
  if not file then return end
  file:close()
  blame.fail("step", "%s is a file of an earlier run; remove the file, name another path, give overwrite = true, or "
             .. "continue the earlier run with load_state_dict", self.path)
end

-- Keeps the model's weights in the file, or copies in memory.
local function keep(self)
  if not self.model then return end
  if self.path then
    check_file(self)
    return blame.call(lt.save, self.path, self.model)
  end
  self.weights = {}
  for name, x in pairs(self.model:state_dict()) do self.weights[name] = x:clone() end
end

--- Takes the next value. If the value is an improvement, the model's weights are kept. NaN is no improvement.
-- @function EarlyStopping:step
-- @tparam number|tensor value a number, or a tensor of one element
-- @treturn boolean true if the training should end
-- @raise if the weights cannot be kept, or would replace a file of an earlier run
function EarlyStopping:step(value)
  if core.is_tensor(value) then value = blame.call(value.item, value) end
  if type(value) ~= "number" then blame.fail("step", "number expected, got %s", core.type_name(value)) end
  self.count, self.improved = self.count + 1, is_better(self, value)
  if self.improved then
    keep(self)
    self.best, self.best_step, self.waited = value, self.count, 0
  else
    self.waited = self.waited + 1
  end
  return self.waited > 0 and self.waited >= self.patience
end

--- Gives the model the best weights.
-- @function EarlyStopping:restore
-- @treturn Module the model
-- @raise if there is no option `model`, or if no value was an improvement yet
function EarlyStopping:restore()
  if not self.model then blame.fail("restore", "EarlyStopping has no option model") end
  if not self.best then blame.fail("restore", "no weights were kept: step had no number yet") end
  self.model:load_state_dict(self.weights or blame.call(lt.load, self.path))
  return self.model
end

-- The fields that are saved, besides the weights in memory.
local saved = {"count", "waited", "best", "best_step"}

--- Returns the state for lt.save. Weights in memory are part of the state.
-- @function EarlyStopping:state_dict
-- @treturn table
function EarlyStopping:state_dict()
  local state = {weights = self.weights}
  for _, name in ipairs(saved) do state[name] = self[name] end
  return state
end

--- Continues with a state of state_dict.
-- @function EarlyStopping:load_state_dict
-- @tab state
function EarlyStopping:load_state_dict(state)
  if type(state) ~= "table" or math.type(state.count) ~= "integer" or math.type(state.waited) ~= "integer" then
    blame.fail("load_state_dict", "this is not the state of an EarlyStopping")
  end
  for _, name in ipairs(saved) do self[name] = state[name] end
  self.weights, self.improved = state.weights, false
end

function EarlyStopping:__tostring()
  if not self.best then return "EarlyStopping: no value yet" end
  return ("EarlyStopping: best %g in step %d of %d"):format(self.best, self.best_step, self.count)
end

return {EarlyStopping = setmetatable(arity.class(EarlyStopping, nil, "stopping"),
                                     {__call = arity.method("EarlyStopping", new), __name = "class"})}
