-- The setup of fault_pjrt.lua for fault_host. It also compiles the programs. check() fails if a tensor that was computed
-- before was changed when an allocation failed, or if the device computes nothing afterwards.
local lt = require "luatensor"
local distributed = require "luatensor.distributed"
lt.set_default_device "xla"

x = lt.tensor {{1, 2, 3}, {4, 5, 6}}:to "float32"
other = x:to "xla:1"
lt.synchronize "xla"

-- Queues calls of several families, one of which the CPU computes, and reads the results.
function work()
  local y = x:clone()
  y:multiply_(2)
  y[{{}, 1}] = 7
  local z = (y:matmul(x.T) + 1):sum(1)
  assert(z:totable()[1] == 7 + 4 * 2 + 6 * 3 + 7 + 10 * 2 + 12 * 3 + 2)
  assert(lt.fft.fft(y[1]):real():totable()[1] == 17)
  assert(y[y:greater(9)]:sum():item() == 22)
  local sums = distributed.all_sum_devices {(x * 1)[{{}, {1, 2}}], (other * 2)[{{}, {1, 2}}]}
  assert(sums[1]:sum():item() == 36 and sums[2]:sum():item() == 36)
end

function check()
  assert(x:equal_all(lt.tensor {{1, 2, 3}, {4, 5, 6}}:to "float32"), "a tensor was changed")
  work()
end

check()
