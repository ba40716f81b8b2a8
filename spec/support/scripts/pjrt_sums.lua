-- states_host runs this script in several Lua states of a process, and in a process and then in its child. The states use the
-- same two devices. A child that is forked after the devices were used gets an error.
local lt = require "luatensor"
local distributed = require "luatensor.distributed"
local function pid() return io.open("/proc/self/stat"):read "n" end
local function sums(step)
  return distributed.all_sum_devices{lt.arange(5, {device = "xla:0"}) * step, lt.arange(5, {device = "xla:1"}) + step}
end

first = first or pid()
if pid() == first then
  for step = 1, 10 do
    for _, sum in ipairs(sums(step)) do assert(sum:sum():item() == 10 * step + 10 + 5 * step) end
  end
else
  local ok, message = pcall(sums, 1)
  assert(not ok and message:find("xla cannot be used in a child process that was forked", 1, true), message)
end
