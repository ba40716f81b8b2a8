-- A coverage-guided fuzzer that runs one target of `make fuzz` in a process of its own. An edge is a pair of
-- consecutive places in the code (edges.c). The fuzzer keeps and mutates inputs that reach new edges.
--
--     lua loop.lua TARGET SECONDS INPUTS SEED FOLDER SCRATCH
--
-- SCRATCH is a folder for files that are written for each input. It should be in memory, because ext4 writes a file that
-- is truncated and rewritten to the disk at once (4 ms). SCRATCH/TARGET.input has the length (4 bytes) and the bytes of
-- the running input, so that the input is available after a crash. The last line of output is "TARGET: N inputs, E edges,
-- last new one at input M, …". After an input that fails, the exit status is 1, and FOLDER/TARGET.failed-N has the input.
local lt = require "luatensor"
local mutate = require "spec.support.fuzz.mutate"
local packs = require "spec.support.fuzz.packs"
local targets = require "spec.support.fuzz.targets"

local name, seconds, most, seed, folder, scratch = arg[1], tonumber(arg[2]), tonumber(arg[3]), tonumber(arg[4]), arg[5], arg[6]
local target = assert(targets[name], name)
local LONGEST <const> = 4096                -- the largest number of bytes of an input
local GARBAGE <const> = 16384               -- KiB by which Lua's heap grows before a collection
local TENSORS <const> = 256 << 20           -- bytes of tensors after which a collection runs, too
math.randomseed(seed)

-- Counts the edges that an input passed. Only builds with sanitizers count them.
local edges = package.loadlib((package.searchpath("luatensor.core", package.cpath)), "luaopen_edges")
edges = edges and edges() or {start = function() end, stop = function() return 0, 0 end}

local function put(path, text)
  local file <close> = assert(io.open(path, "wb"))
  file:write(text)
end

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

-- Returns a list of inputs: the seeds in spec/fuzz/corpus, the inputs that long runs found (spec/fuzz/found), and the
-- inputs that earlier runs on this machine kept in FOLDER/corpus.
local function read_corpus()
  local list = {}
  for _, where in ipairs {"spec/fuzz/corpus/" .. name, folder .. "/corpus/" .. name} do
    local pipe <close> = assert(io.popen(("find %s -type f 2>/dev/null | sort"):format(where)))
    for path in pipe:lines() do list[#list + 1] = read(path) end
  end
  packs.read("spec/fuzz/found/" .. name, list)
  assert(#list > 0, "no seeds for " .. name)
  return list
end

-- True for an error that the library raises on purpose. False if the message names a line of the library's Lua files,
-- is an error of Lua itself (such as "attempt to index a nil value"), or is a status without a text.
local function is_ours(message)
  return type(message) == "string" and not message:find("attempt to", 1, true) and not message:find("luatensor/[%w_/]+%.lua:%d")
         and not message:find("bad argument #", 1, true) and not message:find("stack overflow", 1, true)
         and not message:find("error %d") and message ~= "not enough memory"
end

local corpus, current = read_corpus(), assert(io.open(scratch .. "/" .. name .. ".input", "wb"))
local inputs, failed = 0, 0
local edges_known, last_edge, places_known, last_place = 0, 0, 0, 0

local function note_current(input)
  current:seek "set"
  current:write(("<s4"):pack(input))
  current:flush()
end

local function keep_failed(input, message)
  failed = failed + 1
  local path = ("%s/%s.failed-%d"):format(folder, name, failed)
  put(path, input)
  print(("FAILED fuzz %s: %s: %s"):format(name, path, tostring(message):gsub("\n.*", "")))
end

-- Runs one input. Returns true if the input reached a new edge. The garbage collector is stopped meanwhile, because
-- the edge from any line to a finalizer would count as new.
local function run(input)
  note_current(input)
  inputs = inputs + 1
  edges.start()
  local ok, message = pcall(target.run, input, scratch)
  local now, places = edges.stop()
  if not ok and not is_ours(message) then keep_failed(input, message) end
  if places > places_known then places_known, last_place = places, inputs end
  if now == edges_known then return false end
  edges_known, last_edge = now, inputs
  return true
end

local function summary()
  return ("%s: %d inputs, %d edges, last new one at input %d, %d places, last new one at input %d, %d inputs kept"):format(
    name, inputs, edges_known, last_edge, places_known, last_place, #corpus)
end

-- The deadline is in wall-clock seconds, so that the time while the process is stopped counts, too.
local deadline = os.time() + seconds
collectgarbage()
collectgarbage "stop"
local alive = collectgarbage "count"
for i = 1, #corpus do run(corpus[i]) end
while inputs < most and failed < 5 and (inputs % 64 ~= 0 or os.time() < deadline) do
  local from = math.random() < 0.5 and corpus[math.random(#corpus)]
               or corpus[math.random(math.max(1, #corpus - 20), #corpus)]
  local input = mutate(from, corpus[math.random(#corpus)], target.words, LONGEST)
  if run(input) then
    corpus[#corpus + 1] = input
    put(("%s/corpus/%s/%016x"):format(folder, name, math.random(0)), input)
  end
  if collectgarbage "count" > alive + GARBAGE or lt.memory().live > TENSORS then
    collectgarbage()
    alive = collectgarbage "count"
  end
  if inputs % 50000 == 0 then io.stderr:write(summary(), "\n") end
end
print(summary())
os.exit(failed == 0)
