--- optim.Sharded, which divides the states of an optimiser among processes.

local args = require "luatensor.base.args"
local arity = require "luatensor.base.arity"
local blame = require "luatensor.base.blame"
local core = require "luatensor.core"
local distributed = require "luatensor.distributed"
local lt = require "luatensor"
local Optimizer = require "luatensor.optim.optimizer"
local pack = require "luatensor.distributed.pack"
local replays = require "luatensor.base.replays"
local saving = require "luatensor.optim.state"

local function fail(...) blame.fail("Sharded", ...) end

--- An optimiser whose states are divided: each process keeps the states of its own parameters, updates them, and sends
-- them to the others. Fields that this class lacks are those of the optimiser `inner`.
local Sharded = {name = "Sharded", is_optimizer = true, __name = "optimizer"}

function Sharded:__index(name)
  local own = Sharded[name]
  if own ~= nil then return own end
  return rawget(self, "inner")[name]
end

-- ---- parameters and their owners ----

-- Gives each new parameter to the process with the fewest elements so far, and lets the optimiser keep states only of
-- this process's parameters.
local function assign(self)
  local loads, own = self.loads, self.group:rank()
  for i = #self.owners + 1, #self.index do
    local least = 0
    for rank = 1, self.group:size() - 1 do if loads[rank] < loads[least] then least = rank end end
    self.owners[i], loads[least] = least, loads[least] + self.index[i].size
    self.inner.owned[self.index[i]] = least == own
    if least ~= own then self.inner.state[self.index[i]] = nil end
  end
end

local known = {group = "group"}

--- Divides the states of an optimiser, such as Adam's running means, among the processes of a group. Each process
-- keeps the states of about 1 / size of the elements, updates these parameters in `step`, and gets the other
-- parameters from the processes that updated them. Parameters are not split, so one very large parameter limits what
-- is saved. The gradients must be the same in all processes, as nn.parallel.DataParallel makes them:
--
--     local opt = optim.Sharded(optim.Adam(model:parameters(), {lr = 1e-3}))
--
-- The result is used like the optimiser: with schedulers, optim.GradScaler and lt.save. All processes must call `step`
-- and `state_dict`. `state_dict` gathers the whole state in rank 0, on the CPU; elsewhere it returns a table that
-- cannot be loaded. Each process loads the whole state, and keeps its part: that of a plain optimiser, too, or of
-- another number of processes.
-- @function optim.Sharded
-- @tparam Optimizer optimizer any class except LBFGS, which takes all parameters as one vector
-- @tparam[opt] table options `group`: the processes (default: all processes, from distributed.init())
-- @treturn Optimizer
local function new(_, optimizer, options)
  options = args.read("Sharded", options, known)
  if not Optimizer.is(optimizer) or optimizer.name == "Sharded" then
    fail("optimiser expected, got %s", core.type_name(optimizer))
  elseif optimizer.name == "LBFGS" then
    fail("LBFGS takes all parameters as one vector, which is not divided")
  end
  local group = options.group or distributed.init()
  local self = {inner = optimizer, group = group, index = optimizer.index, param_groups = optimizer.param_groups,
                owners = {}, loads = {}}
  for rank = 0, group:size() - 1 do self.loads[rank] = 0 end
  optimizer.owned = {}
  assign(self)
  return setmetatable(self, Sharded)
end

function Sharded:add_param_group(group)
  saving.check_self(self, "inner", "add_param_group", "optimizer")
  self.inner:add_param_group(group)
  assign(self)
end

-- ---- steps ----

function Sharded:step(closure)
  saving.check_self(self, "inner", "step", "optimizer")
  local size = self.group:size()
  if size > 1 then replays.refuse_exchange "Sharded" end
  local loss = self.inner:step(closure)
  for rank = 0, size > 1 and size - 1 or -1 do
    local list = {}
    for i, p in ipairs(self.index) do
      if self.owners[i] == rank and p.requires_grad then list[#list + 1] = p end
    end
    pack.broadcast(self.group, list, rank)
  end
  return loss
end

-- ---- state ----

-- Returns the sorted names of the numbers and of the tensors that the optimiser keeps for each parameter of a group.
local function names_of(self, group)
  local smallest = group.params[1]
  for _, p in ipairs(group.params) do if p.size < smallest.size then smallest = p end end
  local numbers, tensors = {}, {}
  for name, value in pairs(self.inner:start(smallest, group)) do
    local list = core.is_tensor(value) and tensors or numbers
    list[#list + 1] = name
  end
  table.sort(numbers)
  table.sort(tensors)
  return numbers, tensors
end

-- Returns the numbers in the state of each parameter of a group, which all processes get: a list for each parameter,
-- whose first element is 0 if the parameter has no state yet.
local function gather_numbers(self, group, names)
  local rows = {}
  for k, p in ipairs(group.params) do
    local state = self.inner.state[p]
    rows[k] = {state and 1 or 0}
    for j, name in ipairs(names) do rows[k][j + 1] = state and state[name] or 0 end
  end
  return self.group:all_sum(lt.tensor(rows, {dtype = "float64", device = core.host_device})):totable()
end

-- Returns tensor x of process `owner`, part of the state of p, in rank 0 on the CPU. Elsewhere x is nil.
local function fetch(self, p, x, owner)
  x = x and x:to(core.host_device, p.dtype)
  if owner == 0 then return x end
  if x then self.group:send(x, 0) end
  if self.group:rank() > 0 then return nil end
  return self.group:recv(core.zeros(p.shape, {dtype = p.dtype, device = core.host_device}), owner)
end

local function whole(n) return math.tointeger(n) or n end

-- Adds the states of a group's parameters to the table `all`, by the parameters' numbers.
local function gather(self, group, all)
  local numbers, tensors = names_of(self, group)
  local rows = gather_numbers(self, group, numbers)
  for k, p in ipairs(group.params) do
    local state, i = {}, self.index[p]
    for j, name in ipairs(rows[k][1] > 0 and numbers or {}) do state[name] = whole(rows[k][j + 1]) end
    for _, name in ipairs(rows[k][1] > 0 and tensors or {}) do
      state[name] = fetch(self, p, self.owners[i] == self.group:rank() and self.inner.state[p][name], self.owners[i])
    end
    all[i] = state
  end
end

function Sharded:state_dict()
  saving.check_self(self, "inner", "state_dict", "optimizer")
  local dict = self.inner:state_dict()
  if self.group:size() == 1 then return dict end
  for _, group in ipairs(self.param_groups) do gather(self, group, dict.state) end
  return self.group:rank() == 0 and dict or {class = dict.class, whole = "in rank 0"}
end

function Sharded:load_state_dict(dict)
  saving.check_self(self, "inner", "load_state_dict", "optimizer")
  saving.check_groups(self.inner, dict)
  local part = setmetatable({state = {}}, {__index = dict})
  for k, group in ipairs(self.param_groups) do
    for j, p in ipairs(group.params) do
      local i = dict.param_groups[k].params[j]
      part.state[i] = self.inner.owned[p] and dict.state[i] or nil
    end
  end
  self.inner:load_state_dict(part)
end

function Sharded:__tostring()
  return ("%s\nits states are divided among %d processes"):format(self.inner, self.group:size())
end

return {Sharded = setmetatable(Sharded, {__call = arity.method("Sharded", new), __name = "class"})}
