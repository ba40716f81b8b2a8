--- Tells which engines for exchanges between processes this machine has.

local core = require "luatensor.core"

local engines = {}

-- The engines, as core.distributed_find names them, each with the format of its line. The version of NCCL begins with
-- the library's name.
local ROWS <const> = {{"mpi", "MPI: %s"}, {"nccl", "%s"}}

--- The advice for a machine without engines.
engines.CURE = "install openmpi-bin or mpich (Debian, Ubuntu), or name the library's folder in LUATENSOR_MPI_PATH"

--- Returns two lists of lines: of the engines of this machine, such as "MPI: Open MPI v4.1.4", and of the others, with
-- the reason why they are not found.
-- @treturn {string,...} the engines that are found
-- @treturn {string,...} the others
function engines.lines()
  local found, missing = {}, {}
  for _, row in ipairs(ROWS) do
    local version, reason = core.distributed_find(row[1])
    found[#found + 1] = version and row[2]:format((version:gsub("%s+", " ")))
    missing[#missing + 1] = reason
  end
  return found, missing
end

return engines
