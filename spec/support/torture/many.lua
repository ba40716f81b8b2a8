-- Kills a process of a job that trains on several processes, with SIGKILL at random moments.
--   lua many.lua [KILLS = 50] [SEED]
-- The job trains the digits and saves a checkpoint after each epoch. Each job continues from the checkpoint of the job
-- before, on another number of processes, and with the other MPI library if both are installed. After each kill all
-- processes must end within seconds. The checkpoint must be complete, and not older than the one before. Ends with "N
-- passed, N failed, 0 skipped", where each kill counts as one.
local lt = require "luatensor"
local shell = require "spec.support.shell"
local many = require "spec.support.many"

local KILLS, SEED = tonumber(arg[1]) or 50, tonumber(arg[2]) or os.time()
local STEPS <const> = 1437 // 48              -- of an epoch: the training set has 1437 images, and a batch 48
local LATEST <const> = 0.5                    -- a process is killed within these seconds after the first new checkpoint

math.randomseed(SEED)
local folder = shell.folder()
local path = folder .. "/run.safetensors"

-- Starts the job, waits for a new checkpoint, kills one process, and waits for the end. %s are the folder, the
-- launcher, the number of processes, the process to kill (from 1 on) and the seconds to wait before.
local script = [[
cd %s; rm -f pid*; touch before; cd - >/dev/null
OMP_NUM_THREADS=1 %s -n %d tools/lua spec/support/scripts/many_killed.lua %s >%s/output 2>&1 & job=$!
for i in $(seq 600); do [ %s/run.safetensors -nt %s/before ] && break; sleep 0.05; done
cd %s; set -- pid*; [ $# = %d ] || echo "$# processes"
shift %d; victim=${1#pid}; sleep %.3f; kill -9 $victim
for i in $(seq 300); do kill -0 $job 2>/dev/null || break; sleep 0.05; done
kill -0 $job 2>/dev/null && { echo "the launcher does not end"; kill -9 $job; }
wait $job && echo "the launcher ends with status 0"
for each in pid*; do
  for i in $(seq 100); do grep -qs '^State:.[^Z]' /proc/${each#pid}/status || break; sleep 0.05; done
  grep -s '^State:.[^Z]' /proc/${each#pid}/status && { echo "a process is left"; kill -9 ${each#pid}; }
done
true]]

-- Returns the epoch of the checkpoint, all of whose parts must be of this epoch.
local function epoch_of_checkpoint()
  local run = lt.load(path, {device = "cpu"})
  local steps = run.optimizer.state[1].step
  assert(steps == run.epoch * STEPS, ("epoch %d with %d steps"):format(run.epoch, steps))
  return run.epoch
end

local launchers = {}
many.each(function(launcher) launchers[#launchers + 1] = launcher end)

local passed, failed, before = 0, 0, 0
for trial = 1, #launchers > 0 and KILLS or 0 do
  local launcher, n = launchers[trial % #launchers + 1], trial % 3 + 2
  local ok, problem = pcall(function()
    local _, output = shell.run(script:format(folder, launcher.command, n, folder, folder, folder, folder, folder, n,
                                              math.random(0, n - 1), math.random() * LATEST))
    assert(output == "", output)
    local epoch = epoch_of_checkpoint()
    assert(epoch > before, ("epoch %d after epoch %d"):format(epoch, before))
    before = epoch
  end)
  passed, failed = passed + (ok and 1 or 0), failed + (ok and 0 or 1)
  if not ok then
    print(("kill %d of seed %d, %d processes of %s: %s\n%s"):format(trial, SEED, n, launcher.name, problem,
                                                                   shell.read(folder .. "/output")))
  end
end
os.execute("rm -r " .. folder)
print(("%d passed, %d failed, 0 skipped"):format(passed, failed))
os.exit(failed == 0)
