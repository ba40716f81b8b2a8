-- The setup of fault_streams.lua for fault_host. It also compiles the kernels. check() repeats the work after a
-- failure, when allocations succeed again.
local lt = require "luatensor"

local n = 1000
local side = lt.stream "cuda"

-- Two streams use the same blocks: `side` must read x before the main stream overwrites x, and must overwrite y after
-- the main stream has read y. Asserts that the results are those of the order of the calls.
function cross()
  local x, y = lt.ones(n, {device = "cuda"}), lt.ones(n, {device = "cuda"})
  local read = lt.with_stream(side, function() return x + 1 end)
  x:fill_(7)
  local kept = y + 1
  lt.with_stream(side, function() y:fill_(9) end)
  assert(read:sum():item() == 2 * n, "a write did not wait for a read of another stream")
  assert(kept:sum():item() == 2 * n, "a write of another stream did not wait for a read")
  assert(x:sum():item() == 7 * n and y:sum():item() == 9 * n, "a write is missing")
end

cross()
collectgarbage()
lt.empty_cache "cuda"                  -- so that the script gets new blocks, without records of use by streams

check = cross
