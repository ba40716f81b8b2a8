-- tags: process
-- Devices of a plugin of PJRT, which LUATENSOR_PJRT_XLA names: make test-pjrt sets it. The results of the CPU are the oracle.
-- A program takes 30 to 200 ms to compile, so most calls are queued first, and run together when the first value is read.

local beside = require "spec.pjrt.beside"
local lt = require "luatensor"
local nn, optim = require "luatensor.nn", require "luatensor.optim"
local shell = require "spec.support.shell"

if not beside.plugin "a device of PJRT" then return end

-- Calls f with the tensors on the CPU and on the device, and queues a comparison of the results.
local function compare(name, f, ...)
  local there = {}
  for k, x in ipairs {...} do there[k] = x:to "xla" end
  beside.queue(name, f(...), f(table.unpack(there)))
end

-- Asserts that all queued results are those of the CPU, with a tolerance of 2e-6 for float32.
local function check()
  beside.check(function(got, want)
    local same = want.dtype == "float32" and lt.isclose(got, want, {rtol = 2e-6, atol = 2e-6, equal_nan = true}) or got:equal(want)
    return same:all():item()
  end)
end

local x, y = lt.linspace(-2, 3, 35):reshape(5, 7), lt.linspace(4, -3, 35):reshape(5, 7)
local i, j = lt.arange(-17, 18):reshape(5, 7), lt.arange(35):reshape(5, 7):remainder(7):subtract(3)

describe("a device of PJRT", function()
  it("is available, and is listed", function()
    assert.is_true(lt.xla.is_available())
    local found
    for _, info in ipairs(lt.devices()) do if info.device == "xla:0" then found = info end end
    assert.truthy(found.software:find "^PJRT 0%.%d+")
    assert.same({nil, nil}, {found.cores, found.isa})
    local listed = shell.passes "bin/luatensor info"
    assert.truthy(listed:find "\nxla:0 +cpu +– +– +–" and listed:find "\nxla:0 is used where scripts say so")
    assert.truthy(listed:find "\n  matrix products: work\n" and listed:find "\n  lt.fft: work\n", listed)
    assert.truthy(shell.passes("tools/lua examples/01_device.lua"):find "\nxla:0 +cpu ")
    assert.truthy(shell.passes("tools/lua examples/03_small.lua --device xla --iterations 2"):find "\nxla:0: cpu, PJRT 0%.")
    assert.equal("xla:0", lt.device "xla")
    assert.falsy(lt.device("auto"):find "^xla")                -- the plugin's device is the CPU
  end)
  it("gets values and gives them back", function()
    for _, dtype in ipairs {"bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16",
                            "float32", "float64", "complex64", "complex128"} do
      local here = i:to(dtype)
      compare("clone " .. dtype, function(a) return a:clone() end, here)
      assert.same(here:totable(), here:to("xla"):totable())
    end
    check()
    assert.equal("[1.5, 2.5]  float32 [2] xla:0", tostring(lt.tensor({1.5, 2.5}, {device = "xla"})))
  end)
  it("computes element-wise functions", function()
    for _, name in ipairs {"exp", "tanh", "sigmoid", "abs", "floor", "isnan", "sign", "erf", "square", "logical_not", "sin", "relu"} do
      compare(name, lt[name], x)
    end
    for _, name in ipairs {"add", "multiply", "maximum", "less", "atan2"} do compare(name, lt[name], x, y) end
    for _, name in ipairs {"add", "multiply", "maximum", "less", "floor_divide", "remainder", "pow"} do compare(name, lt[name], i, j) end
    compare("where", function(a, b) return lt.where(a:gt(0), a, b) end, x, y)
    compare("numbers", function(a) return (2 * a + 1) / 3 - 0.25 end, x)
    for _, number in ipairs {2, 2.0, -3.5} do
      compare("number and complex numbers", function(a) return (number * a - number) * number + number end, i:to "complex64")
    end
    compare("rounding by a sum", function(a) return a + 0x1p52 - 0x1p52 end, x:to "float64")
    for _, dtype in ipairs {"float16", "bfloat16", "float64", "int8", "uint8", "bool"} do
      compare("to " .. dtype, function(a) return (a * 90):to(dtype) end, x)
    end
    check()
  end)
  it("multiplies NaN and infinity by masks", function()
    local z = lt.tensor {0 / 0, -math.huge, 2.0, math.huge, 0 / 0, 0.0}
    local mask = lt.tensor({false, true, true, false, true, false}, {dtype = "bool"})
    local masks = lt.stack {mask, mask:logical_not(), lt.ones(6):to "bool"}
    compare("number", function(m) return m * math.huge end, mask)
    for _, dtype in ipairs {"float16", "bfloat16", "float32", "float64", "complex64", "complex128"} do
      compare(dtype, function(m, a) return m:to(dtype) * a end, mask, z:to(dtype))
      compare(dtype .. ", converted by the product", function(m, a) return m * a end, mask, z:to(dtype))
    end
    compare("comparison", function(a) return a:gt(0) * a end, z)
    compare("sum", function(m, a) return (m:to "float32" * a):sum(2) end, masks, z)
    compare("compiled", lt.compile(function(m, a) return (m * a + 1) * 2 end), masks, z)
    compare("vector", function(m, a) return m:to "float32":matmul(a) end, masks, z)
    compare("matrix", function(m, a) return m:to "float32":matmul(m:to "float32":matmul(a:reshape(3, 2))) end,
      masks[{{}, {1, 3}}], z)
    beside.check(function(got, want)
      return got:equal(want):logical_or(got:isnan():logical_and(want:isnan())):all():item()
    end)
  end)
  it("reads views", function()
    compare("transposed", function(a) return a:transpose(1, 2) * 2 end, x)
    compare("a part", function(a) return a[{{2, 4}, {1, 7, 2}}] * 2 end, x)
    compare("reversed", function(a) return a:flip(1) * 2 end, x)
    compare("broadcast rows", function(a, b) return a + b[1] end, x, y)
    compare("broadcast columns", function(a, b) return a + b[{{}, {3, 3}}] end, x, y)
    compare("a column", function(a) return a[{{}, 3}] * 2 end, x)
    compare("the diagonal", function(a) return lt.diagonal(a) * 2 end, x)
    compare("real parts", function(a) return a:to("complex64"):real() * 2 end, x)
    check()
  end)
  it("writes to parts", function()
    local function written(name, f) compare(name, function(a, b) local z = a:clone() f(z, b) return z end, x, y) end
    written("a block", function(z) z[{{2, 3}, {2, 5}}] = 7 end)
    written("a column", function(z, b) z[{{}, 3}] = b[{{}, 1}] end)
    written("steps", function(z) z[{{1, 5, 2}, {1, 7, 3}}] = 1.5 end)
    written("the diagonal", function(z, b) lt.diagonal(z):copy_(b[{1, {1, 5}}]) end)
    written("all in another order", function(z, b) z:transpose(1, 2):copy_(b:transpose(1, 2)) end)
    written("in place", function(z, b) z:add_(2) z:multiply_(b) end)
    compare("stack", function(a, b) return lt.stack({a, b}, 2) end, x, y)
    compare("roll", function(a) return a:roll(2, 1) end, x)
    check()
  end)
  it("converts numbers to the dtype of the elements", function()
    for _, number in ipairs {2.5, 0.5, -0.5, 0, -3e9, 1e30, 1 / 0, math.mininteger} do
      for _, dtype in ipairs {"bool", "int8", "uint64", "float16"} do
        local function set(f) return function(a) local z = a:to(dtype) pcall(f, z) return z end end
        compare(("%s in %s, a part"):format(number, dtype), set(function(z) z[{{1, 2}}] = number end), x)
        compare(("%s in %s"):format(number, dtype), set(function(z) z:fill_(number) end), x)
      end
    end
    check()
  end)
  it("reduces, scans and multiplies", function()
    for _, name in ipairs {"sum", "mean", "max", "min", "any", "std", "argmax", "logsumexp", "count_nonzero"} do
      compare(name, function(a) return lt[name](a) end, x)
      compare(name .. " of columns", function(a) return lt[name](a, 1) end, x)
      compare(name .. " of rows", function(a) return lt[name](a, 2, {keepdim = true}) end, x)
    end
    compare("softmax", function(a) return a:softmax(2) end, x)
    compare("log_softmax", function(a) return a:log_softmax(1) end, x)
    compare("cumulative sum", function(a) return a:cumulative_sum(1) end, x)
    compare("product", function(a, b) return a:matmul(b:transpose(1, 2)) end, x, y)
    compare("product with a vector", function(a, b) return a:matmul(b[1]) end, x, y)
    compare("product of integers", function(a, b) return a:matmul(b:transpose(1, 2)) end, i, j)
    compare("products", function(a, b) return lt.stack{a, b}:matmul(lt.stack{b, a}:transpose(2, 3)) end, x, y)
    compare("addmm", function(a, b) return lt.addmm(lt.ones(5, 5, {device = a.device}), a, b:transpose(1, 2), {alpha = 2, beta = 3}) end, x, y)
    compare("compiled", lt.compile(function(a, b) return ((a - b) ^ 2):mean(2) + a:sum(2):exp() end), x, y)
    check()
  end)
  it("writes its programs to a folder", function()
    local folder = os.tmpname()
    os.remove(folder)
    local run = ("LUATENSOR_PROGRAMS=%s tools/lua -e 'print((require(\"luatensor\").ones(3, {device = \"xla\"}) + 4):sum():item())'"):format(folder)
    local status, output = shell.run(run)
    assert.equal(1, status)
    assert.truthy(output:find("xla: LUATENSOR_PROGRAMS=" .. folder .. ": No such file or directory", 1, true))
    shell.passes("mkdir " .. folder)
    assert.same({"15.0\n", "15.0\n"}, {shell.passes(run), shell.passes(run)})
    local text = shell.passes(("cat %s/*.mlir && ls %s | wc -l && rm -r %s"):format(folder, folder, folder))
    assert.truthy(text:find "^func.func public @main%(.*%%%d+: tensor<f32>%) %-> .*stablehlo.add.*\n}\n1\n$")
  end)
  it("is measured beside the CPU", function()
    local limits = lt.bench.machine{devices = {"xla"}, seconds = 0.001, fresh = true}
    local entry = limits.devices[1]
    assert.same({"xla:0", 0, 4, 0, 0}, {entry.device, #entry.arithmetic, #entry.products, #entry.levels, #entry.problems})
    assert.is_true(entry.single > 0 and entry.products[1].flops > 0)
    assert.truthy(tostring(limits):find "^xla:0: cpu; measured " and tostring(limits):find "the smallest call until it is done")
    local advice = lt.advise(function(a) return a * 2 end, {sizes = {4, 64}, devices = {"cpu", "xla"}, seconds = 0.001,
      inputs = function(n) return lt.rand(n) end})
    assert.equal("cpu", advice.device)                        -- a call of the device costs more than the CPU's work
    assert.truthy(shell.passes "bin/luatensor bench --device xla --seconds 0.001 'lt.ones(9) + 1'":find "on xla:0, float32")
  end)
  it("lets the CPU compute the rest", function()
    compare("masked", function(a) return a[a:gt(0)] end, x)
    compare("singular values", function(a) return (select(2, lt.linalg.svd(a))) end, x)
    check()
  end)
  it("counts the calls that the CPU computes, and warns once of each family", function()
    local output = shell.passes [[tools/lua -W -e '
      local lt, core = require "luatensor", require "luatensor.core"
      local x = lt.ones(3, 3, {device = "xla"})
      print((x + 1):sum():item(), (next(core.host_calls "xla")), (next(core.host_calls "cpu")))
      for _ = 1, 2 do print(lt.linalg.det(x):item()) end
      print(core.host_calls("xla").linalg)' 2>&1]]
    assert.equal('18.0\tnil\tnil\n' ..
      'Lua warning: xla:0: the CPU computes calls of "linalg", whose elements pass to the host and back\n0.0\n0.0\n2\n', output)
  end)
  it("draws the CPU's random numbers", function()
    lt.manual_seed(3)
    local here = lt.rand(20)
    lt.manual_seed(3)
    assert.same(here:totable(), lt.rand(20, {device = "xla"}):totable())
  end)
  it("raises the CPU's errors", function()
    local t = x:to "xla"
    assert.error_matches(function() return t[lt.tensor({6}, {device = "xla"})] end, "index 6 in dim 1: out of range for length 5")
    assert.error_matches(function() return t + x end, "tensors on different devices: xla:0 and cpu")
    assert.error_matches(function() return t:to "xla:99" end, 'no device "xla:99"')
    assert.error_matches(function() lt.cuda.reopen "xla:0" end, "reopen: device xla:0 cannot be reopened")
  end)
  it("checks the range of classes that are not computed yet", function()
    local F = require "luatensor.nn".functional
    for _, n in ipairs {3, 300} do                       -- fewer and more elements than a check on a GPU would read one by one
      local numbers = lt.arange(1, n + 1, {dtype = "int64", device = "xla"})
      assert.equal(n, F.one_hot(numbers + 0, n):sum():item())
      local wrong = ("one_hot: class %d is out of range: 1 … %d"):format(n, n - 1)
      assert.error_matches(function() F.one_hot(numbers + 0, n - 1) end, wrong, nil, true)
      assert.error_matches(function() lt.compile(function(c) return F.one_hot(c + 0, n - 1) end)(numbers):item() end, wrong, nil, true)
    end
  end)
  it("reads several results in one operation", function()
    local function draw(device, weights)
      return lt.multinomial(lt.tensor(weights, {device = device}), 3, {generator = lt.generator {seed = 5}}):totable()
    end
    assert.same(draw("cpu", {1, 2, 3, 4}), draw("xla", {1, 2, 3, 4}))
    assert.error_matches(function() draw("xla", {1, -2, 3, 4}) end, "weights must be finite, not negative")
  end)
  it("refuses a tensor for which there is no memory", function()
    assert.error_matches(function() return lt.empty(1 << 42, {device = "xla"}) end, "memory")
    assert.equal(3.0, lt.ones(3, {device = "xla"}):sum():item())
  end)
  it("updates parameters like the CPU", function()
    local all = {
      SGD = {{weight_decay = 0.1}, {momentum = 0.9, maximize = true}, {momentum = 0.9, nesterov = true}},
      Adam = {{weight_decay = 0.1}, {amsgrad = true}},
      RMSprop = {{}, {momentum = 0.9}, {centered = true}, {centered = true, momentum = 0.9}},
      AdamW = {{}}, NAdam = {{}}, RAdam = {{}}, Adamax = {{}}, Adagrad = {{}}, Adadelta = {{}},
    }
    for name, list in pairs(all) do
      for k, options in ipairs(list) do
        compare(("%s %d"):format(name, k), function(p, g)
          p = p:clone():requires_grad_()
          local opt = optim[name]({p}, options)
          p.grad = g.mT
          opt:step()
          opt:step()
          return p:detach()
        end, x, y.mT)
      end
    end
    check()
  end)
  it("trains like the CPU", function()
    local function train(device)
      lt.manual_seed(0)
      local model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3)):to(device)
      local opt = optim.Adam(model:parameters(), {lr = 0.01})
      local inputs, classes = lt.randn(64, 8):to(device), lt.randint(1, 3, {64}):to(device)
      local losses = {}
      for step = 1, 10 do
        opt:zero_grad()
        local loss = nn.functional.cross_entropy(model(inputs), classes)
        loss:backward()
        opt:step()
        losses[step] = loss:item()
      end
      return losses
    end
    local here, there = train "cpu", train "xla"
    assert.is_true(here[10] < here[1] - 0.05)
    for step = 1, 10 do assert.near(here[step], there[step], 1e-5) end
  end)
  for _, mode in ipairs {"threads", "fork"} do
    it("works in several Lua states, and says that a child cannot use it: " .. mode, function()
      local host = "build/spec/states_host"
      if not shell.exists(host) then return pending "make test-hosts builds the host" end
      shell.passes(("%s %s spec/support/scripts/pjrt_states.lua"):format(host, mode))
    end)
  end
  it("ends with queued work, and prints nothing of the plugin", function()
    for _, last in ipairs {{"", 0, ""}, {"os.exit(3)", 3, ""}, {"error \"no\"", 1, "lua5.4: (command line):2: no\n"}} do
      local status, output = shell.run([[tools/lua -e 'local lt = require "luatensor"; x = lt.ones(3, {device = "xla"}) + 1
        assert(x:sum():item() == 6); y = x * 2; ]] .. last[1] .. "'")
      assert.equal(last[2], status)
      assert.equal(last[3], (output:gsub("stack traceback.*", "")), last[1])
    end
  end)
end)
