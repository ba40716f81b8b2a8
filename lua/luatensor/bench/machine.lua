--- This machine: what it is, and what it can do at most.

local lt = require "luatensor"

local machine = {}

--- What figures were measured on: processor, threads, devices, versions. Kept with every result.
-- @treturn table
function machine.identity()
  local devices = {}
  for i, info in ipairs(lt.devices()) do
    devices[i] = {
      device = info.device, name = info.name, kind = info.kind, cores = info.cores, isa = info.isa,
      memory = info.memory, software = info.software, emulated = info.emulated or nil,
    }
  end
  return {devices = devices, threads = lt.get_num_threads(), luatensor = lt._VERSION, lua = _VERSION}
end

return machine
