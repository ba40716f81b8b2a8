-- Functions of the specs of devices of PJRT. They read which plugin LUATENSOR_PJRT_XLA names, and compare results that are
-- queued on the device with those of the CPU.
local assert = require "luassert"
local busted = require "busted"
local core, lt = require "luatensor.core", require "luatensor"

local beside = {}

--- Returns the plugin's path. Without a plugin, marks the spec `name` as pending and returns nil.
function beside.plugin(name)
  local path = os.getenv "LUATENSOR_PJRT_XLA"
  if not path then
    busted.describe(name, function()
      busted.pending "no plugin: make deps-pjrt installs some, and make test-pjrt runs this spec"
    end)
  end
  return path
end

local queued = {}

--- Queues the comparison of a result on the CPU, `want`, with one on the device. beside.check passes `more` on.
function beside.queue(name, want, got, more)
  queued[#queued + 1] = {name = name, want = want, got = got, more = more}
end

--- Asserts that all queued results are on the device and have the CPU's dtypes and shapes, and that agrees(got, want,
-- more) is true for them; got is on the CPU. Returns their number.
-- @tparam function agrees
-- @tparam[opt] string family the CPU must have computed no call of this family for the device
function beside.check(agrees, family)
  local all = queued
  queued = {}
  lt.synchronize "xla"
  if family then assert.is_nil(core.host_calls "xla"[family]) end
  for _, c in ipairs(all) do
    assert.equal("xla:0", c.got.device, c.name)
    assert.equal(c.want.dtype, c.got.dtype, c.name)
    assert.same(c.want.shape, c.got.shape, c.name)
    local got = c.got:to "cpu"
    assert.is_true(agrees(got, c.want, c.more), ("%s: %s, on the CPU %s"):format(c.name, got, c.want))
  end
  return #all
end

return beside
