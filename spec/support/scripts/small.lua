-- Makes some calls of every kind for the hosts that open states. The sizes are large enough for several threads.
local lt = require "luatensor"

local x = lt.ones(300, 400)
local y = x * 2 + 1
assert(y:sum():item() == 3 * 300 * 400)
assert(y:matmul(y.T):max():item() == 3 * 3 * 400)
assert(lt.rand(100, 1000):less(1):all():item())
assert(lt.rand(100000):sort():diff():greater_equal(0):all():item())
assert(lt.fft.ifft(lt.fft.fft(x, 509)):sub(lt.fft.ifft(lt.fft.fft(x, 512), 512)[{{}, {1, 509}}]):abs():max():item() < 1e-4)
assert(lt.linalg.inv(lt.eye(12):expand_dims(1):broadcast_to(500, 12, 12)):sum():item() == 500 * 12)
local kept = {}
for i = 1, 50 do kept[i % 7] = y + i end
collectgarbage()
