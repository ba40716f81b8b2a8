-- states_host runs this script under ThreadSanitizer, in a Lua state in each of several threads. The script calls
-- functions of every family, on sizes for which a call uses several threads, and makes a training step.
local lt = require "luatensor"
local nn, optim = lt.nn, lt.optim

lt.set_num_threads(3)
lt.manual_seed(5)
local x = lt.rand(150, 120)
local first = x:matmul(x.T):sum():item()
for _ = 1, 2 do
  assert(x:matmul(x.T):sum():item() == first)
  assert(lt.fft.ifft(lt.fft.fft(x)):real():sub(x):abs():max():item() < 1e-5)
  local sorted = lt.rand(60000):sort()
  assert(sorted[{{2, -1}}]:sub(sorted[{{1, -2}}]):min():item() >= 0)
  assert(lt.arange(100000, {dtype = "float64"}):sum():item() == 4999950000)
  assert(lt.arange(50000):cumulative_sum(1)[50000]:item() == 1249975000)
  local net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 3))
  local adam = optim.Adam(net:parameters())
  nn.functional.cross_entropy(net(lt.rand(8, 1, 8, 8)), lt.randint(1, 3, 8)):backward()
  adam:step()
  local p = x:to_dlpack()
  assert(lt.from_dlpack(p)[{1, 1}]:item() == x[{1, 1}]:item())
  assert(#lt.memory("cpu") == 0 and lt.memory().state_live > 0)
end
