-- states_host runs this script in a process and then in its child. The parent computes on the GPU. In the child, every
-- use of the GPU must raise an error.
local lt = require "luatensor"
parent = parent or {}
if not parent.x then
  parent.x = lt.ones(4, {device = "cuda"})
  parent.pid = io.open("/proc/self/stat"):read("n")
end
if io.open("/proc/self/stat"):read("n") == parent.pid then
  assert((parent.x + 1):to_bytes() == lt.full(4, 2.0):to_bytes())
else
  local words = "a forked child cannot use the GPU of its parent; open it after the fork"
  for _, use in ipairs {
    function() return parent.x + 1 end,
    function() return parent.x:to("cpu") end,
    function() return lt.zeros(2, {device = "cuda"}) end,
    function() lt.synchronize("cuda") end,
  } do
    local ok, message = pcall(use)
    assert(not ok and message:find(words, 1, true), message)
  end
  lt.synchronize()
  assert((lt.ones(2) + 1):to_bytes() == lt.full(2, 2.0):to_bytes())
end
