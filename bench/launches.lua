-- Counts what a call asks of a GPU, on the emulated GPU. The columns are launches of our kernels, calls of the vendor's
-- libraries, replays of graphs, copies between the host and the GPU, and waits. The last column is the number of bytes
-- that kernels read and write in eager mode. A real GPU with the same libraries has the same counts. The emulator's
-- times say nothing.
--
--   LUATENSOR_CUDA_PATH=build/spec/emulator tools/lua bench/launches.lua
local lt = require "luatensor"
local core = require "luatensor.core"
local markdown = require "luatensor.page.markdown"
local document = require "luatensor.page.document"
local steps = require "bench.steps"

local folder = os.getenv "LUATENSOR_CUDA_PATH" or ""
local emulator = assert(package.loadlib(folder .. "/emulator.so", "luaopen_emulator"),
  "LUATENSOR_CUDA_PATH is not the folder of the emulated GPU: make emulator builds build/spec/emulator")()
lt.set_default_device "cuda"

local programs = {
  {"notebook, large, of 700×300", function()
    return function() return lt.rand(700, 300):matmul(lt.rand(700, 300).T):sum() end
  end},
  {"notebook, small", function()
    return function() return lt.rand(70, 30):matmul(lt.rand(70, 30).T):sum() end
  end},
  {"mean of squares 1024²", function()
    local x, y = lt.rand(1024, 1024), lt.rand(1024, 1024)
    return function() return ((x - y) ^ 2):mean() end
  end},
  {"sum of x y over rows 1024²", function()
    local x, y = lt.rand(1024, 1024), lt.rand(1024, 1024)
    return function() return (x * y):sum(1) end
  end},
  {"RMS norm by hand 1024²", function()
    local x, gain = lt.rand(1024, 1024), lt.rand(1024)
    return function() return x * lt.rsqrt((x * x):mean(2, {keepdim = true}) + 1e-6) * gain end
  end},
  {"biased softmax 1024²", function()
    local x, bias = lt.rand(1024, 1024), lt.rand(1024)
    return function() return lt.softmax(x * 0.125 + bias, 2) end
  end},
  {"MLP 64×784-512-10", function() return steps.mlp(64, {784, 512, 10}) end},
  {"MLP 32×2-16-2", function() return steps.mlp(32, {2, 16, 2}) end},
  {"CNN 32×1×28×28", steps.cnn},
  {"transformer 8×128", steps.transformer},
}
local WARM_UP <const> = 5                -- calls before the counted one; later calls of lt.compile are replays

-- Returns the emulator's counts of one call.
local function count(fn)
  for _ = 1, WARM_UP do fn() end
  lt.synchronize()
  local before = emulator.counts()
  fn()
  local after = emulator.counts()
  for name, n in pairs(before) do after[name] = after[name] - n end
  return after
end

-- Returns the bytes that the device's calls in one call of fn read and write.
local function bytes_of(fn)
  core.profile_start "serialised"
  fn()
  local bytes = 0
  for _, row in ipairs(core.profile_stop().rows) do bytes = bytes + row.read + row.written end
  return bytes
end

local function line_of(name, way, fn)
  local n = count(fn)
  local bytes = way == "eager" and bytes_of(fn) or false
  return {name, way, n.launches, n.products, n.convolutions, n.graphs, n.copies, n.waits, bytes}
end

local lines = {}
for _, program in ipairs(programs) do
  for _, way in ipairs {{"eager"}, {"lt.compile", {}}, {"lt.compile, replay", {replay = true}}} do
    local fn = program[2]()
    if way[2] then fn = lt.compile(fn, way[2]) end
    lines[#lines + 1] = line_of(program[1], way[1], fn)
  end
end

local columns = {{name = "a call of", unit = "text"}, {name = "run", unit = "text"}}
for _, name in ipairs {"launches", "products", "convolutions", "graphs", "copies", "waits"} do
  columns[#columns + 1] = {name = name, unit = "count"}
end
columns[#columns + 1] = {name = "bytes", unit = "B"}
print(markdown.block(document.table {columns = columns, rows = lines}))
