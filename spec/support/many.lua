-- Starts the processes of a distributed job, for specs.
local shell = require "spec.support.shell"

-- kills: how many times a process is killed, in a spec for each library.
local many = {kills = tonumber(os.getenv "LUATENSOR_TEST_KILLS") or 3}

-- The MPI libraries: name, file, and the launcher without the number of processes.
local launchers = {
  {name = "Open MPI", library = "libmpi.so.40",
   command = "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun.openmpi --oversubscribe"},
  {name = "MPICH", library = "libmpich.so.12", command = "mpirun.mpich"},
}

-- Calls visit(launcher) for each launcher that is installed, and marks a missing launcher as a pending spec.
function many.each(visit)
  for _, launcher in ipairs(launchers) do
    if shell.run("command -v " .. launcher.command:match "mpirun%.%w+") == 0 then
      visit(launcher)
    else
      pending(launcher.name .. " is not installed")
    end
  end
end

-- Starts n processes of a command. Returns the launcher's exit status and the output of all processes. After a minute
-- the job ends with status 124.
function many.run(launcher, n, arguments, environment)
  return shell.run(("OMP_NUM_THREADS=1 LUA_PATH='lua/?.lua;lua/?/init.lua;;' LUA_CPATH='build/?.so;;' %s " ..
    "timeout -k 5 60 env %s -n %d %s"):format(environment or "", launcher.command, n, arguments))
end

-- Runs a script of spec/support/scripts in n processes, which must all end with the line "rank r of n is done".
function many.passes(launcher, n, script, environment)
  local status, output = many.run(launcher, n, "lua5.4 spec/support/scripts/" .. script, environment)
  for rank = 0, n - 1 do
    assert(output:find(("rank %d of %d is done"):format(rank, n), 1, true), output)
  end
  assert(status == 0, output)
  return output
end

return many
