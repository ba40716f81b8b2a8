-- Kills processes that save, with SIGKILL at each system call of a save, and checks the files that remain. Another
-- process saves the same file meanwhile.
--
--   tools/lua spec/support/torture/calls.lua
--
-- Saves an array (.npy), a checkpoint (.safetensors), and a kernel of the emulated GPU in its cache. After each kill,
-- the file must be complete and have a version whose save had begun. The other process must have saved without an
-- error, and one more save must remove all temporary files. Ends with "N passed, N failed, N skipped", where each
-- kill counts as one. Needs strace.
local lt = require "luatensor"
local shell = require "spec.support.shell"

local EMULATOR <const> = "build/spec/emulator"
local MARK <const> = "/no/such/mark"         -- a process opens this path when it begins to save

local folder

-- Scripts that save a file. Each runs in a process of its own. All elements in the file equal the version.
local savers = {
  array = [[lt.save(path .. "x.npy", lt.full({30000}, version))]],
  checkpoint = [[lt.save(path .. "run.safetensors", {epoch = version, note = tostring(version), x = lt.full({30000}, version)})]],
  kernel = [[
    local y = lt.zeros(1, {device = "cuda"})
    local text = "extern \"C\" __global__ void k(float *y) { y[0] = %d; }"
    lt.kernel(text:format(version), "k")({grid = 1, block = 1}, y)
    assert(y:item() == version)]],
}

local checks = {
  array = function()
    local x = lt.load(folder .. "/x.npy")
    return x:min():item(), x:max():item()
  end,
  checkpoint = function()
    local run = lt.load(folder .. "/run.safetensors")
    assert(run.note == tostring(run.epoch) and run.x:min():item() == run.epoch, "the note is of another version")
    return run.epoch, run.x:max():item()
  end,
}

local function command(kind, version, before)
  local script = ([[
    local lt, path, version = require "luatensor", %q, %d
    local file = io.open %q
    %s]]):format(folder .. "/", version, MARK, savers[kind])
  shell.write(folder .. "/script.lua", script)
  return ("LUATENSOR_CUDA_PATH=%s LUATENSOR_CACHE=%s/cache OMP_NUM_THREADS=1 %s tools/lua %s/script.lua")
    :format(EMULATOR, folder, before or "", folder)
end

-- Returns a list of the system calls of a save, which follow the call that opens MARK. An entry {name, n} stands for
-- the n-th call with this name that the process makes, 1-based.
local function calls_of(kind)
  shell.passes(command(kind, 1, ("strace -o %s/log"):format(folder)))
  local counts, list, marked = {}, {}, false
  for line in io.lines(folder .. "/log") do
    local name = line:match "^([%l%d_]+)%("
    if name then
      counts[name] = (counts[name] or 0) + 1
      if marked then list[#list + 1] = {name, counts[name]} end
      marked = marked or line:find(MARK, 1, true) ~= nil
    end
  end
  return list
end

local function left()
  local _, names = shell.run(("ls -A %s %s/cache | grep '^[.]luatensor'"):format(folder, folder))
  return names
end

local function check(kind, newest)
  if not checks[kind] then return end
  local low, high = checks[kind]()
  assert(low == high, "elements of several versions")
  assert(low == 1 or low == newest or low == newest + 1, ("version %s is there"):format(low))
end

-- Kills a process that saves version `newest`, at system call `call`, while another process saves version newest + 1.
-- Version 1 was saved before. Returns false if the process ended before it made the call: a run may make fewer calls
-- than the run that calls_of traced.
local function kill(kind, call, newest)
  local inject = ("strace -o /dev/null -e trace=%s -e inject=%s:signal=KILL:when=%d"):format(call[1], call[1], call[2])
  local victim = command(kind, newest, inject)
  shell.passes(("cp %s/script.lua %s/victim.lua"):format(folder, folder))
  victim = victim:gsub("script%.lua", "victim.lua")
  local other = command(kind, newest + 1)
  local status, output = shell.run(("(%s >/dev/null 2>&1; echo $? >%s/ended) & %s; s=$?; wait; exit $s"):format(victim, folder, other))
  assert(status == 0, "the other process ended with: " .. output)
  local ended = shell.read(folder .. "/ended")
  assert(ended == "137\n" or ended == "0\n", "ended with status " .. ended)
  check(kind, newest)
  shell.passes(command(kind, newest))
  assert(left() == "", "temporary files are left: " .. left())
  return ended == "137\n"
end

local function attack(kind)
  local passed, failed = 0, 0
  for i, call in ipairs(calls_of(kind)) do
    local ok, message = pcall(kill, kind, call, 2 * i)
    if ok then passed = passed + (message and 1 or 0) else
      failed = failed + 1
      print(("FAILED calls: %s, killed at %s %d: %s"):format(kind, call[1], call[2], message))
    end
  end
  return passed, failed
end

if shell.run "strace -o /dev/null -e inject=close:signal=0 true" == 127 then
  print "no strace here\n0 passed, 0 failed, 1 skipped"
  os.exit(0)
end

local passed, failed, skipped = 0, 0, 0
for _, kind in ipairs {"array", "checkpoint", "kernel"} do
  if kind == "kernel" and not shell.exists(EMULATOR .. "/libcuda.so.1") then
    skipped = skipped + 1
  else
    folder = shell.folder()
    shell.passes(("mkdir %s/cache; chmod 700 %s/cache"):format(folder, folder))
    local good, bad = attack(kind)
    print(("%s: killed at %d system calls"):format(kind, good + bad))
    passed, failed = passed + good, failed + bad
    shell.passes("rm -r " .. folder)
  end
end
print(("%d passed, %d failed, %d skipped"):format(passed, failed, skipped))
os.exit(failed == 0 and passed > 0 and 0 or 1)
