-- spec/support/environment.lua runs this script in each of its processes. The script calls matrix products, LAPACK, all
-- kinds of parallel loops, and functions that read and write files.
os.setlocale ""
local lt = require "luatensor"
local F = require "luatensor.nn.functional"

local path = arg[1]
local x = lt.ones(300, 300)
local total = x:matmul(x):sum():item() / 300 ^ 3
total = total + lt.linalg.svdvals(lt.eye(60)):sum():item() / 60
total = total + lt.linalg.solve(lt.eye(200) * 2, lt.ones(200, 1)):sum():item() / 100
total = total + lt.zeros(1000, 1000):exp():sum():item() / 1e6
total = total + F.conv2d(lt.ones(2, 4, 30, 30), lt.ones(4, 4, 3, 3)):mean():item() / 36
total = total + lt.fft.ifft(lt.fft.fft(lt.ones(40, 509))):real():mean():item()
total = total + lt.rand(200000):sort()[{{1, 2}}]:less(0.01):sum():item() / 2
lt.save(path, {x = lt.ones(1000)})
total = total + lt.load(path).x:mean():item()
assert(math.abs(total - 8) < 1e-3, total)
print("result " .. math.floor(total + 0.5))
