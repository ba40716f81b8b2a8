--- The smallest and the largest element of a tensor.

local core = require "luatensor.core"
local lt = require "luatensor.base.public"

--- Returns the smallest and the largest element of x as numbers; x has elements. The call waits for a GPU once.
local function ends_of(x)
  if core.is_on_host(x) then return x:min():item(), x:max():item() end
  local ends = lt.empty({2}, {dtype = x.dtype, device = x.device})
  x:detach():min({out = ends[1]})
  x:detach():max({out = ends[2]})
  return table.unpack(ends:totable())
end

return ends_of
