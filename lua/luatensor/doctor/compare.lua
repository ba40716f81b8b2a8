--- Compares the result of a device with the CPU's.

local core = require "luatensor.core"
local lt = require "luatensor"

local compare = {}

local function shape_of(x) return "[" .. table.concat(x.shape, ", ") .. "]" end

-- Returns the number of elements whose bytes differ.
local function unequal_elements(x, y)
  local a, b = x:to_bytes(), y:to_bytes()
  if a == b then return 0 end
  local size, count = #a // x.size, 0
  for at = 1, #a, size do
    if a:sub(at, at + size - 1) ~= b:sub(at, at + size - 1) then count = count + 1 end
  end
  return count
end

local function largest(x) return x:abs():max():item() end

-- Compares with an error bound, which is a share of the largest magnitude in y.
local function within(x, y, bound)
  if x.size == 0 then return true end
  local a, b = x:to "float64", y:to "float64"
  local error = largest(a - b) / math.max(largest(b), 1e-30)
  if error <= bound then return true end
  return ("error %.2g, and %.2g is allowed"):format(error, bound)
end

--- Compares two results.
-- @tensor found on any device
-- @tensor wanted on the CPU
-- @number[opt] bound of the error, as a share of the largest magnitude; nil: the bits must be equal
-- @treturn[1] boolean true
-- @treturn[2] string the difference
function compare.results(found, wanted, bound)
  local x = found:to(core.host_device)
  if shape_of(x) ~= shape_of(wanted) then return ("shape %s instead of %s"):format(shape_of(x), shape_of(wanted)) end
  if x.dtype ~= wanted.dtype then return ("%s instead of %s"):format(x.dtype, wanted.dtype) end
  if bound then return within(x, wanted, bound) end
  local count = unequal_elements(x, wanted)
  return count == 0 or ("%d of %d elements differ from the CPU's"):format(count, x.size)
end

--- Returns f() of one CPU thread. Results of the CPU are compared with this.
function compare.on_one_thread(f)
  local threads = lt.get_num_threads()
  lt.set_num_threads(1)
  local ok, result = pcall(f)
  lt.set_num_threads(threads)
  if not ok then error(result, 0) end
  return result
end

return compare
