-- environment_host runs this script. With two threads, the script calls one function of each family that uses large
-- buffers or locks, and checks the results against known sums.
local lt = require "luatensor"
local F = require "luatensor.nn.functional"

lt.set_num_threads(2)
local x = lt.ones(200, 300)
assert(x:matmul(x.T):sum():item() == 200 * 200 * 300)
assert(x:to("float64"):matmul(lt.ones(300, {dtype = "float64"})):sum():item() == 200 * 300)
assert(lt.ones(300, 300, {dtype = "int32"}):matmul(lt.ones(300, {dtype = "int32"})):sum():item() == 300 * 300)
assert(lt.ones(200000):sum():item() == 200000)
assert(lt.ones(100, 300, {dtype = "float16"}):sum(1):sum():item() == 30000)
assert(lt.ones(64, 3000).T:add(1):sum():item() == 2 * 64 * 3000)
assert((lt.ones(100000, {dtype = "int16"}) + 0.5):sum():item() == 150000)
assert(F.conv2d(lt.ones(2, 8, 20, 20), lt.ones(8, 8, 3, 3)):sum():item() == 2 * 8 * 18 * 18 * 72)
assert(lt.fft.ifft(lt.fft.fft(lt.ones(40, 509))):real():sum():sub(40 * 509):abs():item() < 0.1)
assert(lt.arange(100000, 0, -1):sort():sub(lt.arange(100000, 0, -1):flip(1)):abs():max():item() == 0)
assert(lt.ones(200000):cumulative_sum(1)[200000]:item() == 200000)
assert(lt.linalg.solve(lt.eye(60) * 2, lt.ones(60, 3)):sum():item() == 90)
