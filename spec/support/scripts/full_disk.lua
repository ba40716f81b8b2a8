-- Saves to a disk of 256 KiB. If there is no room, an error must be raised, and the old file must not change.
--     lua full_disk.lua FOLDER
local lt = require "luatensor"

local path = arg[1] .. "/"

local function names()
  local pipe <close> = io.popen("ls -A " .. path)
  return (pipe:read "a":gsub("\n", " "))
end

local function holds(n, expected)
  local x, run = lt.load(path .. "x.npy"), lt.load(path .. "run.safetensors")
  assert(x.size == n and x:min():item() == expected and x:max():item() == expected, "an array is damaged")
  assert(run.epoch == expected and run.x.size == n and run.x:sum():item() == n * expected, "a checkpoint is damaged")
  assert(names() == "run.safetensors x.npy ", names())
end

local function save(n, value)
  local array, why = pcall(lt.save, path .. "x.npy", lt.full({n}, value))
  local checkpoint, reason = pcall(lt.save, path .. "run.safetensors", {epoch = value, x = lt.full({n}, value)})
  for _, message in ipairs {not array and why or nil, not checkpoint and reason or nil} do
    assert(message:find("^.*save: " .. path .. ".*: No space left on device$"), message)
  end
  return array, checkpoint
end

assert(save(1000, 1) and select(2, save(1000, 1)))
for n = 50000, 90000, 4000 do
  local array, checkpoint = save(n, 2)
  assert(not array and not checkpoint, "there was room")
  holds(1000, 1)
end
local text, problem = require("luatensor.bench.files").write(path .. "text", ("x"):rep(300000))
assert(not text and problem:find "No space left on device", problem)
holds(1000, 1)
save(1001, 3)
holds(1001, 3)

-- on the emulator, the cache of kernels is on this disk, too
if lt.cuda.is_available() then
  local filler = assert(io.open(path .. "filler", "wb"))
  filler:setvbuf "no"
  while filler:write(("x"):rep(4096)) do end
  filler:close()
  assert((lt.ones(3, {device = "cuda"}) + 1):sum():item() == 6)
  os.remove(path .. "filler")
end
print "whole"
