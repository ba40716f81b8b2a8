--- Tells which engines for exchanges between processes this machine has.

local core = require "luatensor.core"

local engines = {}

--- The engines, as core.distributed_find names them.
engines.NAMES = {"mpi"}

--- The advice for a machine without engines.
engines.CURE = "install openmpi-bin or mpich (Debian, Ubuntu), or name the library's folder in LUATENSOR_MPI_PATH"

--- Returns a line for an engine: "MPI: Open MPI v4.1.4", or the reason why it is not found; then true if it is found.
function engines.line(name)
  local version, reason = core.distributed_find(name)
  if not version then return reason, false end
  return ("%s: %s"):format(name:upper(), (version:gsub("%s+", " "))), true
end

--- Returns the lines of all engines, as a list.
function engines.lines()
  local lines = {}
  for i, name in ipairs(engines.NAMES) do lines[i] = engines.line(name) end
  return lines
end

return engines
