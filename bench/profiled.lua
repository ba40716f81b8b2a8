-- Runs operations that are bound by different limits of a GPU, for a profiler: lua5.4 bench/profiled.lua [DEVICE]. Each
-- runs twice. tools/gpu_day starts this script under ncu, which profiles the second run of each kernel.
local lt = require "luatensor"

lt.set_default_device(arg[1] or "cuda")
local x, matrix = lt.rand(10000000), lt.rand(7000, 3000)
local image, norm = lt.rand(32, 64, 56, 56), require("luatensor.nn").BatchNorm2d(64):to(arg[1] or "cuda")

local work = {
  {"add 10⁷", function() return x + x end},
  {"gelu 10⁷", function() return require("luatensor.nn.functional").gelu(x) end},
  {"sum 7000×3000", function() return matrix:sum() end},
  {"softmax 7000×3000", function() return matrix:softmax(2) end},
  {"sort 10⁷", function() return x:sort() end},
  {"batch norm 32×64×56×56", function() return norm(image) end},
}
for _, row in ipairs(work) do row[2]() end
lt.synchronize()
for _, row in ipairs(work) do
  print(row[1])
  row[2]()
  lt.synchronize()
end
