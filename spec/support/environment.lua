-- Runs a script in unusual environments: variables for threads, limits, locales and missing files. The script must end
-- with its result or with a Lua error. It must not hang, and no signal must end it.
local shell = require "spec.support.shell"

local environment = {}

local SCRIPT = "spec/support/scripts/environment.lua"
local HUNG = 60                          -- seconds after which a script counts as hung and is killed

environment.threads = {
  "", "OMP_NUM_THREADS=1000000", "OMP_NUM_THREADS=0", "OMP_NUM_THREADS=3,2", "OMP_NUM_THREADS=two", "OMP_THREAD_LIMIT=1",
  "OMP_DYNAMIC=true", "OPENBLAS_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=64", "OMP_STACKSIZE=16k", "OMP_WAIT_POLICY=active",
  "OMP_PROC_BIND=true",
}
-- Limits of memory (-v, -d, -s, in KiB), processes (-u), open files (-n) and the size of a file (-f). OpenBLAS takes
-- 128 MiB for each processor when it is loaded, and more when threads multiply matrices.
environment.limits = {
  "", "ulimit -v 60000", "ulimit -v 100000", "ulimit -v 150000", "ulimit -v 200000", "ulimit -v 250000", "ulimit -v 300000",
  "ulimit -v 330000", "ulimit -v 350000", "ulimit -v 400000", "ulimit -v 450000", "ulimit -v 550000", "ulimit -v 700000",
  "ulimit -d 100000", "ulimit -d 400000", "ulimit -s 128", "ulimit -s 256", "ulimit -u 1", "ulimit -n 16", "ulimit -f 1",
}
environment.places = {"", "LC_ALL=de_DE.UTF-8", "LC_ALL=de_DE.ISO-8859-1", "HOME=/sys XDG_CACHE_HOME=/sys"}

-- True if a shell can hide /proc from a command.
local function can_hide_proc()
  return (shell.run "unshare -m sh -c 'umount -l /proc && test ! -e /proc/self'") == 0
end

-- Runs the script in a case {threads, limits, places, hidden}. Returns nil if the script ended as it must, or a text
-- that says what happened instead.
function environment.try(case)
  local limit = case.limits ~= "" and case.limits or ":"
  local command = ("f=$(mktemp); %s; env %s %s timeout -s KILL %d lua5.4 %s $f.safetensors; s=$?; rm -f $f*; exit $s"):format(
    limit, case.threads or "", case.places or "", HUNG, SCRIPT)
  if case.hidden then
    if not can_hide_proc() then return nil end
    command = "unshare -m sh -c '" .. "umount -l /proc; " .. command .. "'"
  end
  local status, output = shell.run(command)
  local good = status == 0 and output:find "result 8" or status == 1 and ("\n" .. output):find "\nlua5.4: "
  if good then return nil end
  return ("%s %s %s: status %d%s: %s"):format(case.threads or "", case.limits or "", case.places or "", status,
    status == 137 and ", hung or killed" or "", output:sub(-300))
end

-- Returns cases that together contain every thread setting, limit and place at least once, but not every combination of
-- them.
function environment.covering()
  local cases = {}
  for i = 1, math.max(#environment.threads, #environment.limits) do
    cases[i] = {
      threads = environment.threads[(i - 1) % #environment.threads + 1],
      limits = environment.limits[(i - 1) % #environment.limits + 1],
      places = environment.places[(i - 1) % #environment.places + 1],
    }
  end
  cases[#cases + 1] = {threads = "OMP_NUM_THREADS=2", limits = "", hidden = true}
  return cases
end

function environment.all()
  local cases = {}
  for _, threads in ipairs(environment.threads) do
    for _, limits in ipairs(environment.limits) do
      for _, places in ipairs(environment.places) do
        cases[#cases + 1] = {threads = threads, limits = limits, places = places}
      end
    end
  end
  return cases
end

return environment
