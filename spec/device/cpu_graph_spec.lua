-- tags: smoke
-- Tests graphs on the CPU: the device's calls of a function are stored, and repeated without Lua.
local lt = require "luatensor"
local graph_cases = require "spec.support.graph_cases"
local helpers = require "spec.support.helpers"
local nn = require "luatensor.nn"
local shell = require "spec.support.shell"
local fails = helpers.fails

local cpu = {device = "cpu"}
local function graph(f) return lt.graph(f, cpu) end

local function captures_to(message, f)
  local calls = 0
  fails(message, graph, function()
    calls = calls + 1
    if calls == 2 then f() end
  end)
end

describe("lt.graph on the CPU", function()
  local default = lt.get_default_device()
  setup(function() lt.set_default_device "cpu" end)
  teardown(function() lt.set_default_device(default) end)

  graph_cases("cpu", "cpu")

  it("leaves its results when it is freed, and gives its memory back", function()
    collectgarbage()
    local before = lt.memory("cpu").live
    local g = graph(function()
      local y = lt.zeros(500, 500) + 1                             -- temporary: the graph keeps its memory
      return (y * 2):sum(1)
    end)
    local row = g:replay()
    assert.truthy(lt.memory("cpu").live >= before + 4 * 500 * 500)
    g:free()
    g:free()
    fails("replay: this graph was freed", g.replay, g)
    for _ = 1, 20 do lt.full({500}, 7) end
    assert.equal(500 * 1000, row:sum():item())
    row:free()
    collectgarbage()
    assert.equal(before, lt.memory("cpu").live)
  end)

  it("frees its memory also if results die before, after and in another order", function()
    collectgarbage()
    local before = lt.memory("cpu").live
    local g, h = graph(function() return lt.ones(100) end), graph(function() return lt.ones(100), lt.ones(7) end)
    local a = g:replay()
    local b, c = h:replay()
    a:free()
    h:free()
    b:free()
    g:replay()
    g:free()
    c:free()
    g, h, a, b, c = nil, nil, nil, nil, nil
    collectgarbage()
    assert.equal(before, lt.memory("cpu").live)
  end)

  it("may use the results of another graph that is freed", function()
    local g = graph(function() return lt.full({100}, 3) end)
    local x = g:replay()
    local h = graph(function() return x * 2 end)
    x:free()
    g:free()
    for _ = 1, 20 do lt.full({100}, 7) end
    assert.equal(600, h:replay():sum():item())
  end)

  it("draws go on at each replay as if the function had been called", function()
    local own = lt.generator {seed = 9}
    local function draw()
      return lt.rand(100), lt.randn(7), lt.randint(1, 1000, 5, {generator = own}), lt.permutation(50)
    end
    local g = graph(draw)
    local function collect(...)
      local all = {}
      for k, x in ipairs {...} do all[k] = x:totable() end
      return all
    end
    lt.manual_seed(5)
    own:manual_seed(6)
    local replayed = {collect(g:replay()), collect(g:replay())}
    lt.manual_seed(5)
    own:manual_seed(6)
    assert.same({collect(draw()), collect(draw())}, replayed)
  end)

  it("repeats the work of every family of operations", function()
    local x, y, i = lt.rand(6, 8), lt.rand(8, 5), lt.tensor({2, 1, 6, 4}, {dtype = "int64"})
    local image, kernel = lt.rand(2, 3, 8, 8), lt.rand(4, 3, 3, 3)
    local F = nn.functional
    local lstm, attention = nn.LSTM(8, 4), nn.MultiheadAttention(8, 2)
    local norm = nn.BatchNorm2d(3)
    local classes = lt.tensor({1, 5, 3, 2, 8, 4}, {dtype = "int64"})
    local functions = {
      function() return x * 2 + 1, x:to("float64"), x.T:contiguous() end,
      function() return lt.elementwise("float32 x", "x * x + 1")(x) end,
      function() return x:sum(), x:argmax(2), x:var(1) end,
      function() return x:cumulative_sum(2), x:softmax(1) end,
      function() return lt.arange(0, 7, 2), lt.linspace(0, 1, 5) end,
      function() return x:take(i, 1), lt.concat({x, x}, 2) end,
      function() return x:clone():index_add(1, i, lt.ones(4, 8)) end,
      function() return x:sort(2), x:argsort(1, {descending = true}), x:topk(3, 2) end,
      function() return lt.searchsorted(lt.linspace(0, 1, 9), x:flatten()) end,
      function() return x:matmul(y), lt.einsum("ij,kj->ik", x, x) end,
      function() return F.conv2d(image, kernel), F.max_pool2d(image, 2), F.avg_pool2d(image, 2) end,
      function() return norm(image), F.layer_norm(x, {8}) end,
      function() return (lstm(x:expand_dims(1))) end,
      function() return (attention(x:expand_dims(1), x:expand_dims(1), x:expand_dims(1))) end,
      function() return F.cross_entropy(x, classes), F.embedding(classes, y), F.binary_cross_entropy(x:clip(0, 1), x:clip(0, 1)) end,
      function() return lt.linalg.det(x:matmul(x.T)), (lt.linalg.qr(x)) end,
      function() return lt.fft.rfft(x):abs(), lt.fft.ifftn(lt.fft.fftn(x)):real() end,
      lt.compile(function() local z = lt.exp(x - 1) return z / z:sum(2, {keepdim = true}), z:roll(2, 1) + x end),
    }
    for k, f in ipairs(functions) do
      local function call() return f() end
      norm:train()
      local g <close> = lt.no_grad(graph, call)
      x:copy_(lt.rand(6, 8))
      image:copy_(lt.rand(2, 3, 8, 8))
      i:copy_(lt.tensor {6, 6, 2, 3})
      local replayed = {g:replay()}
      norm:train()
      local expected = {lt.no_grad(call)}
      assert.equal(#expected, #replayed)
      for n, e in ipairs(expected) do
        assert.equal(helpers.bits(e), helpers.bits(replayed[n]), ("function %d, result %d"):format(k, n))
      end
    end
  end)

  it("computes programs of many rows tile by tile", function()
    local x = lt.rand(400, 300)
    local f = lt.compile(function() local z = lt.exp(x - x:max(2, {keepdim = true})) return z / z:sum(2, {keepdim = true}) end)
    local g = graph(function() return f() end)
    x:copy_(lt.rand(400, 300))
    assert.equal(helpers.bits(f()), helpers.bits(g:replay()))
  end)

  it("finds wrong positions and classes when it is replayed", function()
    local x, i, c = lt.rand(3, 4), lt.tensor({1, 2}, {dtype = "int64"}), lt.tensor({1, 4, 2}, {dtype = "int64"})
    local taken, done = graph(function() return x:take(i, 1) end), lt.zeros(1)
    local loss = graph(function()
      local l = nn.functional.cross_entropy(x, c)
      done:add_(1)
      return l
    end)
    i:copy_(lt.tensor {1, 4})
    fails("take: index 4 in dim 1: out of range for length 3", taken.replay, taken)
    i:copy_(lt.tensor {3, -1})
    assert.equal(helpers.bits(x:take(i, 1)), helpers.bits(taken:replay()))
    c:copy_(lt.tensor {1, 5, 2})
    fails("cross_entropy: class 5 is out of range: classes are 1 … 4", loss.replay, loss)
    assert.equal(1, done:item())                 -- the first call; nothing ran behind the error
  end)

  it("refuses what reads values, and goes on", function()
    local x = lt.tensor {1.0, 2.0}
    local words = "not while a graph is captured: it waits, or copies from or to the host"
    captures_to("item: " .. words, function() return x:sum():item() end)
    captures_to("totable: " .. words, function() return x:totable() end)
    captures_to("to_bytes: " .. words, function() return x:to_bytes() end)
    captures_to("index: " .. words, function() return x[x:greater(1)] end)
    captures_to("tensor: " .. words, function() return lt.tensor {1, 2} end)
    captures_to("inv: " .. words, function() return lt.linalg.inv(lt.eye(2)) end)
    captures_to("graph: another graph is being captured", function() return graph(function() end) end)
    captures_to("generator: not while a graph is captured", function() return lt.rand(2, {generator = lt.generator {seed = 1}}) end)
    captures_to("manual_seed: not while a graph is captured", function() return lt.manual_seed(1) end)
    local problem = {}
    local ok, why = pcall(graph, function() error(problem) end)
    assert.is_false(ok)
    assert.equal(problem, why)
    assert.same({3.0, 4.0}, graph(function() return x + 2 end):replay():totable())
  end)

  it("computes complex numbers at once, and keeps their values", function()
    local x = lt.tensor {1.0, 2.0}
    local function f()
      local i = lt.complex(0, 1)
      local y, z = x * (i * 2), lt.stack {i, -i}
      i:free()
      return y, z, lt.complex(7, 7)
    end
    local g = graph(f)
    for _ = 1, 2 do
      local y, z = g:replay()
      assert.same({2, 4}, y:imag():totable())
      assert.same({1, -1}, z:imag():totable())
    end
    captures_to("add_: not while a graph is captured: it waits, or copies from or to the host",
                function() return lt.complex(1, 1):add_(1) end)
    captures_to("add: not while a graph is captured: it waits, or copies from or to the host",
                function() return lt.add(1, 1, {out = lt.complex(1, 1)}) end)
  end)

  it("is not replayed by a compiled function whose argument is a tensor that the function also writes", function()
    local total = lt.zeros(2)
    local f = lt.compile(function(x)
      total:add_(1)
      return x * 2
    end, {replay = true})
    for _ = 1, 4 do assert.same({2.0, 2.0}, f(lt.ones(2)):totable()) end
    assert.same({10.0, 10.0}, f(total):totable())
  end)

  it("refuses DLPack structs of memory without values, and copies of foreign memory", function()
    local words = "not while a graph is captured: it waits, or copies from or to the host"
    local x = lt.tensor {1, 2}
    captures_to("to_dlpack: " .. words, function() return (x * 2):to_dlpack() end)
    local struct, bools = x:to_dlpack(), lt.tensor({true, false}):to_dlpack()
    captures_to("from_dlpack: " .. words, function() return lt.from_dlpack(struct, {copy = true}) end)
    captures_to("from_dlpack: " .. words, function() return lt.from_dlpack(bools) end)
    local calls = 0
    local g = graph(function()
      calls = calls + 1
      return (calls == 2 and lt.from_dlpack(struct) or x) + 1
    end)
    collectgarbage()
    x:copy_(lt.tensor {5, 6})                   -- the struct shares x's memory
    assert.same({6, 7}, g:replay():totable())
  end)

  it("ends with its state: the finalizers that run later compute at once", function()
    local path = os.tmpname()
    shell.write(path, [[
      local lt = require "luatensor"
      local x, calls = lt.ones(3), 0
      last = setmetatable({}, {__gc = function() print((x * 2):sum():item()) end})
      lt.graph(function()
        calls = calls + 1
        if calls == 2 then os.exit(0, true) end
      end, {device = "cpu"})
    ]])
    assert.equal("6.0\n", shell.passes("ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 tools/lua " .. path))
    os.remove(path)
  end)

  it("may be freed by a hook during its replay", function()
    local p, opt = lt.ones(3, {requires_grad = true})
    opt = require("luatensor.optim").SGD({p}, {lr = 0.1})
    local n, ok, why = 0
    repeat                                      -- until the hook runs after the replay
      n = n + 1
      local g = graph(function()
        opt:zero_grad()
        p:sum():backward()
        opt:step()
      end)
      debug.sethook(function()
        debug.sethook()
        g:free()
      end, "", n)
      ok, why = pcall(g.replay, g)
      debug.sethook()
      assert.is_true(ok or why:find "replay: this graph was freed$" ~= nil, why)
    until ok
    assert.is_true(n > 1)
  end)

  it("raises errors of exhausted memory, and loses nothing", function()
    local x, failures = lt.rand(50, 50), 0
    local expected = helpers.bits(lt.exp(x):matmul(x))
    for n = 1, 12 do
      collectgarbage()
      local before = lt.memory("cpu").live
      lt._fail_after(n, 2)                  -- the allocation fails, and fails again after a collection
      local ok, g = pcall(graph, function() return lt.exp(x):matmul(x) end)
      lt._fail_after(0)
      if ok then
        assert.equal(expected, helpers.bits(g:replay()))
        g:free()
      else
        assert.truthy(tostring(g):find "memory", g)
        failures = failures + 1
      end
      ok, g = nil, nil
      collectgarbage()
      assert.equal(before, lt.memory("cpu").live)
    end
    assert.equal(4, failures)               -- two results in the call before the capture, and two in the capture
  end)
end)
