-- Kills processes that save, with SIGKILL at random moments, and checks the files that remain.
--   lua saves.lua [KILLS = 1000] [SEED]
-- Each process saves increasing versions of one file: a tensor (.npy), a checkpoint, or tensors by name
-- (.safetensors). After each kill the file must be complete, and its version must not be older than the first version
-- that the killed process saved. After one more save no temporary file may be left. Ends with "N passed, N failed,
-- 0 skipped", where each kill counts as one.
local lt = require "luatensor"

local KILLS, SEED = tonumber(arg[1]) or 1000, tonumber(arg[2]) or os.time()
local LATEST <const> = 0.05                   -- a process is killed within these seconds after its first save

local function capture(command)
  local pipe <close> = assert(io.popen(command))
  return pipe:read "a"
end

local folder = capture("mktemp -d"):gsub("\n", "")
math.randomseed(SEED)

-- Returns the elements of a version. All are equal, so that a mixture of two versions is detected.
local function filled(version, n) return lt.full({n}, version, {dtype = "float64", device = "cpu"}) end

local kinds = {
  {name = "x.npy", make = function(version) return filled(version, 40000) end,
   versions = function(value) return {value} end},
  {name = "run.safetensors",
   make = function(version)
     return {epoch = version, model = {weight = filled(version, 20000), bias = filled(version, 100)}, note = tostring(version)}
   end,
   versions = function(value)
     assert(value.note == tostring(value.epoch), "the note is of another version")
     return {filled(value.epoch, 1), value.model.weight, value.model.bias}
   end},
  {name = "weights.safetensors", make = function(version) return {a = filled(version, 30000), b = filled(version, 7)} end,
   versions = function(value) return {value.a, value.b} end},
}

-- Returns the version, which is the only number in a value's tensors.
local function version_of(kind, value)
  local version
  for _, x in ipairs(kind.versions(value)) do
    local low, high = x:min():item(), x:max():item()
    version = version or low
    assert(low == version and high == version, "elements of several versions")
  end
  return version
end

-- Saves until the process is killed. Reports the first save.
local function save_for_ever(kind, first)
  for version = first, math.maxinteger do
    lt.save(folder .. "/" .. kind.name, kind.make(version))
    if version == first then io.write "saved\n" io.stdout:flush() end
  end
end

if arg[3] then
  folder = arg[3]
  save_for_ever(kinds[tonumber(arg[4])], tonumber(arg[5]))
end

-- Starts a process that saves kind `number` from version `first` on, and kills the process at a random moment within
-- LATEST seconds after its first save.
local function kill_one(number, first)
  local command = ("exec 2>&1; OMP_NUM_THREADS=1 tools/lua spec/support/torture/saves.lua 0 0 %s %d %d & pid=$!; echo $pid; wait $pid")
    :format(folder, number, first)
  local pipe = assert(io.popen(command))
  local pid, saved = pipe:read(), pipe:read()
  assert(saved == "saved", saved)
  os.execute(("sleep %.4f; kill -9 %s"):format(math.random() * LATEST, pid))
  pipe:close()
end

local function left() return capture(("cd %s && ls -A | grep '^[.]'"):format(folder)) end

local newest = {}
local function check(number, kind, first)
  local version = version_of(kind, lt.load(folder .. "/" .. kind.name))
  assert(version >= first, ("version %s is there, %d was saved"):format(version, first))
  newest[number] = version
end

local passed, failed, temporaries = 0, 0, 0
for i = 1, KILLS do
  local number = (i - 1) % #kinds + 1
  local kind, first = kinds[number], (newest[number] or 0) + 1
  local ok, message = pcall(function()
    kill_one(number, first)
    check(number, kind, first)
    if left() ~= "" then temporaries = temporaries + 1 end
    newest[number] = newest[number] + 1
    lt.save(folder .. "/" .. kind.name, kind.make(newest[number]))
    assert(left() == "", "temporary files are left: " .. left())
  end)
  if ok then passed = passed + 1 else
    failed = failed + 1
    print(("FAILED saves: kill %d (seed %d) of %s: %s"):format(i, SEED, kind.name, message))
  end
end
os.execute("rm -rf " .. folder)
print(("%d kills left %d temporary files, which the next save removed"):format(KILLS, temporaries))
print(("%d passed, %d failed, 0 skipped"):format(passed, failed))
os.exit(failed == 0)
