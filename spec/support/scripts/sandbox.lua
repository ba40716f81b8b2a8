-- embed_host runs this script in a state without the libraries debug, io and os. The script tests the functions that do
-- not need these libraries.
assert(not debug and not io and not os)
local lt = require "luatensor"
local nn, optim, data = lt.nn, lt.optim, lt.data

-- computes with tensors
local x = lt.arange(6, {dtype = "float64"}):reshape(2, 3)
assert(x:sum():item() == 15 and x:matmul(x.T)[{2, 2}]:item() == 50)
assert(tostring(x):find("float64", 1, true))
assert(lt.einsum("ij,kj->ik", x, x)[{1, 2}]:item() == 14)
assert(lt.fft.ifft(lt.fft.fft(x)):real():sub(x):abs():max():item() < 1e-12)
assert(lt.linalg.det(lt.eye(3) * 2):item() == 8 and lt.unique(lt.tensor{2, 1, 2}).size == 2)
assert(lt.elementwise("float64 x", "x * 2 + 1")(x)[{2, 3}]:item() == 11)
assert(select(2, pcall(lt.elementwise, "float64 x", "x ä")):find("ä", 1, true))
assert(lt.stack({x, x}, 1).shape[1] == 2 and lt.from_bytes(x:to_bytes(), {6}, {dtype = "float64"}):sum():item() == 15)
assert(lt.from_dlpack(x:to_dlpack()):sum():item() == 15)

-- computes gradients
local p = lt.tensor({2.0}, {requires_grad = true})
lt.detect_anomaly(function() (p * p * p):sum():backward() end)
assert(p.grad:item() == 12)
assert(lt.grad(function(v) return (v * v):sum() end)(lt.tensor{3.0}):item() == 6)
assert(not lt.no_grad(function() return p * 2 end).requires_grad)
assert(not pcall(lt.no_grad, 5))

-- training: each of three steps of descent on (w - 1)², from w = 0 with rate 0.25, halves the distance
local w = nn.Parameter and nn.Parameter(lt.zeros(1)) or lt.zeros(1, {requires_grad = true})
local sgd = optim.SGD({w}, {lr = 0.25})
for _ = 1, 3 do
  sgd:zero_grad();
  ((w - 1) ^ 2):sum():backward()
  sgd:step()
end
assert(w:item() == 0.875)
lt.manual_seed(1)
local net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 3))
assert(tostring(net):find "Linear")
local set = data.TensorDataset(lt.rand(20, 4), lt.randint(1, 3, 20))
local seen = 0
for a, b in data.Loader(set, {batch_size = 6, shuffle = true, generator = lt.generator()}):batches() do
  nn.functional.cross_entropy(net(a), b):backward()
  seen = seen + #b
end
assert(seen == 20)
optim.Adam(net:parameters()):step()
local ok, why = pcall(nn.Linear, 4, 8, {generator = 1})
assert(not ok and why:find("generator expected", 1, true))
net:load_state_dict(net:state_dict())

-- reads facts about memory and devices
assert(lt.memory().state_live > 0 and lt.device "cpu" == "cpu")
assert(rawget(lt, "_fail_after") == nil)

-- The core reads files itself.
assert(#data.digits() == 1797)
local printed
local print_before = print
rawset(_G, "print", function(text) printed = text end)
lt.help "sum"
rawset(_G, "print", print_before)
assert(printed:find "^lt%.sum%(x", printed)

-- Functions and modules that need a missing library name the library and themselves.
local function lacks(name, library, f, ...)
  local fine, problem = pcall(f, ...)
  local text = ("%s: needs Lua's library %s, which this state lacks"):format(name, library)
  assert(not fine and problem:find(("^[^\n]*sandbox.lua:%%d+: %s$"):format(text)), problem)
end
for name, module in pairs {["lt.bench"] = "bench", ["lt.advise"] = "advise", ["luatensor.report"] = "report"} do
  lacks(name, "debug", require, "luatensor." .. module)
end
lacks("lt.bench", "debug", function() return lt.bench.time(print) end)
lacks("mnist", "io", function() data.mnist "/tmp/no" end)
if not utf8 then
  lacks("save", "utf8", function() lt.save("/tmp/never.safetensors", {x = lt.ones(1)}) end)
  lacks("save", "utf8", function() lt.save("/tmp/never.safetensors", lt.ones(1), {metadata = {a = "b"}}) end)
  lacks("load", "utf8", function() lt.load "spec/data/python.safetensors" end)
end
for _, f in ipairs {function() lt.load "/tmp/no/such.npy" end, function() data.read_csv "/tmp/no/such.csv" end,
                    function() data.mnist "/tmp/no" end, function() return lt.bench.time(print) end,
                    function() return lt.advise.choices() end} do
  local fine, problem = pcall(f)
  assert(not fine and not tostring(problem):find("attempt to", 1, true), problem)
end
