-- One target of `make fuzz` in a process of its own: mutates inputs that reach new edges of the code.
--   lua loop.lua TARGET SECONDS INPUTS SEED FOLDER
-- FOLDER/TARGET.input is the input that runs at the moment, so that it is there after a crash. Ends with
-- "TARGET: N inputs, last new edge at M, …"; exit status 1 after an input that fails, which FOLDER/TARGET.failed keeps.
local mutate = require "spec.support.fuzz.mutate"
local targets = require "spec.support.fuzz.targets"

local name, seconds, most, seed, folder = arg[1], tonumber(arg[2]), tonumber(arg[3]), tonumber(arg[4]), arg[5]
local target = assert(targets[name], name)
local LONGEST <const> = 4096                -- bytes of an input
math.randomseed(seed)

-- Which edges were passed: only builds with sanitizers know.
local edges = package.loadlib((package.searchpath("luatensor.core", package.cpath)), "luaopen_edges")
edges = edges and edges() or {start = function() end, stop = function() return 0 end}

local function put(path, text)
  local file <close> = assert(io.open(path, "wb"))
  file:write(text)
end

local function read(path)
  local file <close> = assert(io.open(path, "rb"))
  return file:read "a"
end

-- Seeds from git, then what earlier runs found.
local function read_corpus()
  local list = {}
  for _, where in ipairs {"spec/fuzz/corpus/" .. name, folder .. "/corpus/" .. name} do
    local pipe <close> = assert(io.popen(("find %s -type f 2>/dev/null | sort"):format(where)))
    for path in pipe:lines() do list[#list + 1] = read(path) end
  end
  assert(#list > 0, "no seeds for " .. name)
  return list
end

-- An error of the library's own: it names no file of ours, and says more than Lua does where something is nil.
local function is_ours(message)
  return type(message) == "string" and not message:find("attempt to", 1, true) and not message:find("luatensor/[%w_/]+%.lua:%d")
         and not message:find("bad argument #", 1, true) and not message:find("stack overflow", 1, true)
         and not message:find("error %d") and message ~= "not enough memory"
end

local current, corpus = folder .. "/" .. name .. ".input", read_corpus()
local inputs, last, known, failed = 0, 0, 0, 0

-- Runs one input; true: it reached a new edge.
local function run(input)
  put(current, input)
  inputs = inputs + 1
  edges.start()
  local ok, message = pcall(target.run, input, folder)
  local now = edges.stop()
  if not ok and not is_ours(message) then
    failed = failed + 1
    local path = ("%s/%s.failed-%d"):format(folder, name, failed)
    put(path, input)
    print(("FAILED fuzz %s: %s: %s"):format(name, path, tostring(message):gsub("\n.*", "")))
  end
  local new = now > known
  if new then known, last = now, inputs end
  return new
end

-- Seconds of the clock on the wall: a process that is stopped does not count its time.
local deadline = os.time() + seconds
for i = 1, #corpus do run(corpus[i]) end
while inputs < most and failed < 5 and (inputs % 64 ~= 0 or os.time() < deadline) do
  local from = math.random() < 0.5 and corpus[math.random(#corpus)]
               or corpus[math.random(math.max(1, #corpus - 20), #corpus)]
  local input = mutate(from, corpus[math.random(#corpus)], target.words, LONGEST)
  if run(input) then
    corpus[#corpus + 1] = input
    put(("%s/corpus/%s/%016x"):format(folder, name, math.random(0)), input)
  end
  if inputs % 256 == 0 then collectgarbage() end
  if inputs % 50000 == 0 then
    io.stderr:write(("%s: %d inputs, %d edges, last new one at %d\n"):format(name, inputs, known, last))
  end
end
os.remove(current)
print(("%s: %d inputs, %d edges, last new one at input %d, %d inputs kept"):format(name, inputs, known, last, #corpus))
os.exit(failed == 0)
