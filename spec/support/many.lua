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

-- Asserts that each of n processes has ended with the line "rank r of n is done".
local function check_done(n, output)
  for rank = 0, n - 1 do
    assert(output:find(("rank %d of %d is done"):format(rank, n), 1, true), output)
  end
end

-- Runs a script of spec/support/scripts in n processes, which must all end with the line "rank r of n is done".
function many.passes(launcher, n, script, environment)
  local status, output = many.run(launcher, n, "lua5.4 spec/support/scripts/" .. script, environment)
  check_done(n, output)
  assert(status == 0, output)
  return output
end

-- Returns a port that is probably unused. Ports from 32768 on are dealt to other connections.
function many.port() return math.random(15000, 32000) end

-- Starts a process of a job without a launcher, by a command for the shell. Its output ends with a line of its status.
function many.command(rank, n, port, script, environment)
  return ("(env -u OMPI_COMM_WORLD_RANK -u PMI_RANK OMP_NUM_THREADS=1 RANK=%d LOCAL_RANK=%d WORLD_SIZE=%d MASTER_PORT=%d %s "
    .. "timeout -k 5 60 tools/lua spec/support/scripts/%s; echo rank %d: status $?)"):format(rank, rank, n, port,
    environment or "", script, rank)
end

-- Runs a script in n processes that find each other by TCP. Returns the output of all. `environment` may be a function of
-- the rank.
function many.run_by_tcp(n, script, environment)
  local commands, port, folder = {}, many.port(), shell.folder()
  for rank = 0, n - 1 do
    local own = type(environment) == "function" and environment(rank) or environment
    commands[rank + 1] = ("%s >%s/%d 2>&1 &"):format(many.command(rank, n, port, script, own), folder, rank)
  end
  local _, output = shell.run(("%s\nwait\ncat %s/*; rm -r %s"):format(table.concat(commands, "\n"), folder, folder))
  return output
end

function many.passes_by_tcp(n, script, environment)
  local output = many.run_by_tcp(n, script, environment)
  check_done(n, output)
  assert(not output:find "status [1-9]", output)
end

return many
