-- states_host runs this script in several Lua states, in threads or in a process and its child. Each state copies
-- page-locked memory to the GPU and refills it. In the child of a process that used the GPU, no copy reads the memory.
local lt = require "luatensor"
local device = os.getenv "LUATENSOR_TEST_DEVICE"
local N = 2^15                                    -- numbers: 128 KiB

local function process() return io.open("/proc/self/stat"):read("n") end
first = first or {process = process()}

if process() ~= first.process then
  first.left:fill_(7)
  assert(first.left[N]:item() == 7)
  first.left:free()
  return
end

local p = lt.zeros(N, {dtype = "int32", device = "cpu"}):pin_memory()
local copies = {}
for k = 1, 8 do
  p:fill_(k)
  copies[k] = p:to(device)
  local other = lt.full({N}, -k, {dtype = "int32", device = "cpu"}):pin_memory()
  copies[-k] = other:to(device)
  other:free()
end
p:fill_(0)
for k, x in pairs(copies) do
  assert(x:to("cpu"):to_bytes() == lt.full({N}, k, {dtype = "int32", device = "cpu"}):to_bytes())
end
first.left = p
first.copy = p:to(device)
