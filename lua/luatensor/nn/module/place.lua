--- Module:to, which changes the devices and dtypes of modules.

local core = require "luatensor.core"
local blame = require "luatensor.base.blame"
local engine = require "luatensor.autograd.engine"
local fields = require "luatensor.nn.module.fields"
local walking = require "luatensor.nn.module.walk"

local ag = core.autograd

local place = {}

local function device_of(target)
  local ok, device = pcall(core.device, target)
  if ok then return device end
  if device:find("unknown device", 1, true) then
    blame.fail("to", "a device or a dtype of floats expected, got %q", target)
  end
  blame.fail("to", "%s", (device:gsub("^[^\n:]*:%d+: ", "")))
end

-- Returns the dtype and the device (either may be nil) in the two arguments of `to`.
local function targets(where, also)
  local dtype, device
  for _, target in pairs {where, also} do
    if type(target) ~= "string" then
      blame.fail("to", "a device or a dtype expected, such as \"cuda\", \"float64\", got %s", core.type_name(target))
    end
    if core.floats[target] then dtype = target else device = device_of(target) end
  end
  if not dtype and not device then blame.fail("to", "a device or a dtype expected, got nil") end
  return dtype, device
end

--- Moves parameters and buffers to a device, or converts floating-point parameters and buffers to a dtype, or does
-- both. Gradients are moved and converted together with their parameters. The tensors stay the same objects, so that
-- optimisers still refer to them. If an error is raised, nothing has changed.
-- @function Module:to
-- @string where the name of a device or a dtype: "cuda", "cpu", "float64" …
-- @string[opt] also a dtype after a device, or a device after a dtype
-- @treturn Module the module itself
function place.to(self, where, also)
  local dtype, device = targets(where, also)
  blame.call(core.check_interrupt, "to")
  local _ <close> = engine.recording(false)
  local list = {}
  walking.each_tensor(self, fields.is_state, function(name, x)
    if not x.is_leaf then blame.fail("to", "%s is the result of %s; use :detach()", name, x.grad_fn) end
    local y, g = x:detach(), x.grad
    local to = core.floats[x.dtype] and dtype or x.dtype
    local there = device or x.device
    list[#list + 1] = {x, blame.call(y.to, y, to, there), g and blame.call(g.to, g, to, there)}
  end)
  for _, each in ipairs(list) do
    local x, y, g = table.unpack(each)
    x.grad = nil
    ag.become(x, y)
    x.grad = g
  end
  return self
end

return place
