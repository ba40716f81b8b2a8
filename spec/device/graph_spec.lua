-- tags: unsanitized smoke
-- Tests graphs: the launches of a function are captured, and repeated by one launch.
local helpers = require "spec.support.helpers"
local lt = require "luatensor"
local gpu = require "spec.support.gpu"
local graph_cases = require "spec.support.graph_cases"
local fails, message_of = helpers.fails, helpers.message_of

describe("lt.graph", function()
  it("checks its arguments", function()
    fails("graph: argument 1: function expected, got no value", lt.graph)
    fails("graph: argument 2: options expected, got string", lt.graph, print, gpu.kind)
    fails('graph: unknown option "stream"; known: device', lt.graph, print, {stream = 1})
  end)
end)

local device = {device = gpu.kind}

-- Returns the error of a capture. lt.graph calls its function once normally and once while capturing; `act` runs only
-- in the captured call.
local function when_captured(act)
  local calls = 0
  return message_of(lt.graph, function()
    calls = calls + 1
    if calls == 2 then return act() end
  end)
end

gpu.describe("lt.graph", {{LUATENSOR_EMULATOR = "leaks=1"}, {LUATENSOR_EMULATOR = "order=lazy,leaks=1,devices=2"},
                          {LUATENSOR_EMULATOR = "order=lazy,guard=1", LUATENSOR_GPU_CACHE = "off"}}, function()
  graph_cases(gpu.kind, gpu.kind .. ":0")

  it("takes other inputs that are written into its tensors", function()
    local x = lt.zeros(3, device)
    local g = lt.graph(function() return (x * x):sum() end)
    for k = 1, 3 do
      x:copy_(lt.tensor({k, 1, 2}, {device = "cpu", dtype = "float32"}))
      assert.equal(k * k + 5, g:replay():item())
    end
  end)

  it("views of results, and results, stay what they are when the graph is freed", function()
    local g = lt.graph(function() return lt.arange(6, device):reshape(2, 3) end)
    local row = g:replay()[2]
    g:free()
    g:free()
    fails("replay: this graph was freed", g.replay, g)
    assert.equal("graph of " .. gpu.kind .. ":0 (freed)", tostring(g))
    for _ = 1, 20 do lt.full({6}, 7, {device = gpu.kind, dtype = "int64"}) end
    assert.same({3, 4, 5}, row:totable())
  end)

  it("gives its memory back", function()
    collectgarbage()
    lt.empty_cache(gpu.kind)
    local before = lt.memory(gpu.kind).live
    for _ = 1, 20 do
      local g <close> = lt.graph(function() return lt.zeros(1000, 1000, device) + 1 end)
      g:replay()
    end
    collectgarbage()
    assert.equal(before, lt.memory(gpu.kind).live)
    assert.is_true(lt.memory(gpu.kind).cached < gpu.slack() + 36 * 2^20)
  end)

  it("draws go on at each replay as if the function had been called, also after another seed", function()
    local own = lt.generator {seed = 9}
    local function draw()
      return lt.rand(100, device), lt.randn(7, device), lt.randint(1, 1000, 5, {device = gpu.kind, generator = own}), lt.rand(3, device)
    end
    local function collect(results)
      local all = {}
      for k = 1, results.n do all[k] = results[k]:totable() end
      return all
    end
    lt.manual_seed(1)
    local g = lt.graph(draw)                   -- a replay uses the random numbers of one call
    own:manual_seed(3)
    for _, seed in ipairs {1, 77, 1} do
      lt.manual_seed(seed)
      own:manual_seed(seed + 1)
      local replayed = {collect(table.pack(g:replay())), collect(table.pack(g:replay()))}
      local states = {lt.manual_seed(seed), own}
      own:manual_seed(seed + 1)
      local called = {collect(table.pack(draw())), collect(table.pack(draw()))}
      assert.same(called, replayed)
      assert.not_same(replayed[1], replayed[2])
      local next_called = lt.rand(1, device):item()
      lt.manual_seed(seed)
      own:manual_seed(seed + 1)
      g:replay()
      g:replay()
      assert.equal(next_called, lt.rand(1, device):item())
      assert.equal(2, #states)
    end
  end)

  it("draws are right if the graph has freed memory before its first draw", function()
    local x = lt.zeros(4, device)
    local function draw()
      local y, z = x + 7, x + 8
      y:free()                                           -- the graph's next allocations take the memory of y and z
      z:free()
      return lt.rand(5, device)
    end
    local g = lt.graph(draw)
    lt.manual_seed(3)
    local replayed = {g:replay():totable(), g:replay():totable()}
    lt.manual_seed(3)
    assert.same({draw():totable(), draw():totable()}, replayed)
  end)

  it("the capture itself uses no numbers, the call before it does", function()
    lt.manual_seed(4)
    lt.graph(function() return lt.rand(3, device) end)
    local after = lt.rand(3, device):totable()
    lt.manual_seed(4)
    lt.rand(3, device)
    assert.same(lt.rand(3, device):totable(), after)
  end)

  it("keeps the generators it draws from", function()
    local g
    do
      local own = lt.generator {seed = 5}
      g = lt.graph(function() return lt.rand(4, {device = gpu.kind, generator = own}) end)
    end
    collectgarbage()
    collectgarbage()
    local same = lt.generator {seed = 5}
    lt.rand(4, {device = gpu.kind, generator = same})
    assert.same(lt.rand(4, {device = gpu.kind, generator = same}):totable(), g:replay():totable())
  end)

  it("works with several streams", function()
    local s, x = lt.stream(gpu.kind), lt.ones(100, device)
    local g = lt.with_stream(s, function() return lt.graph(function() return x * 3 end) end)
    local y = lt.with_stream(s, function() return x:add_(1) end)
    local r = g:replay()
    lt.with_stream(s, function() r:add_(1) end)
    assert.equal(700, r:sum():item())
    lt.with_stream(s, function() y:fill_(5) end)
    assert.equal(1500, lt.with_stream(s, function() return (g:replay()) end):sum():item())
  end)

  it("an index out of range in it is told at the next wait, in the words of the eager call", function()
    local x, i = lt.arange(5, device), lt.tensor({1, 2}, device)
    local g = lt.graph(function() return x:take(i, 1) end)
    assert.same({0, 1}, g:replay():totable())
    i:copy_(lt.tensor({1, 9}, device))
    local words = message_of(function()
      x:take(i, 1)
      lt.synchronize(gpu.kind)
    end)
    assert.equal("take: index 9 in dim 1: out of range for length 5", words)
    g:replay()
    fails(words, lt.synchronize, gpu.kind)
    i:copy_(lt.tensor({5, 4}, device))
    assert.same({4, 3}, g:replay():totable())
  end)

  it("matrix products, reductions, softmax and indexing inside", function()
    local a, heads = lt.rand(8, 8, device), lt.rand(4, 3, 5, 2, device)
    local function f()
      local b, split = a:matmul(a.T):softmax(2), heads:transpose(2, 3)
      return b:sum(1), b[{ {2, 3}, {} }]:max(), lt.cumulative_sum(b, 1), split:matmul(split.mT)
    end
    local g = lt.graph(f)
    for _ = 1, 2 do
      a:copy_(lt.rand(8, 8, device))
      heads:copy_(lt.rand(4, 3, 5, 2, device))
      local called, replayed = table.pack(f()), table.pack(g:replay())
      for k = 1, 4 do assert.same(called[k]:totable(), replayed[k]:totable()) end
    end
  end)

  local refused = ": not while a graph is captured: it waits, or copies from or to the host"
  local no_part = ": not while a graph is captured: streams and events are no part of it"
  local x

  for what, case in pairs {
    ["reading a value"] = {"item" .. refused, function() return x[1]:item() end},
    totable = {"totable" .. refused, function() return x:totable() end},
    ["data from Lua"] = {"tensor" .. refused, function() return lt.tensor({1, 2}, device) end},
    ["a copy to the CPU"] = {"to" .. refused, function() return x:to "cpu" end},
    ["a copy from the CPU"] = {"copy_" .. refused, function() return x:copy_(lt.ones(3, {device = "cpu"})) end},
    waiting = {"synchronize" .. refused, function() lt.synchronize(gpu.kind) end},
    ["a stream"] = {"stream" .. no_part, function() lt.stream(gpu.kind) end},
    ["another stream"] = {"with_stream" .. no_part, function() lt.with_stream(lt.current_stream(gpu.kind), print) end},
    ["an event"] = {"event" .. no_part, function() lt.event(device):record() end},
    ["reopening the device"] = {"reopen" .. refused, function() gpu.api.reopen(gpu.kind) end},
    ["a capture"] = {"graph: another graph is being captured", function() lt.graph(function() end) end},
    ["a replay"] = {"replay: not while a graph is captured", function() x.graph:replay() end},
    seeding = {"manual_seed: not while a graph is captured", function() lt.manual_seed(1) end},
    ["an error of its own"] = {"something else", function() error("something else", 0) end},
    ["too large a tensor"] = {"^out of memory on " .. gpu.kind .. ":0: asked for 4.0 TiB; ", function() lt.zeros(2^20, 2^20, device) end},
    ["a result elsewhere"] = {"graph: result 1 is on cpu; a graph of " .. gpu.kind .. ":0 computes there only",
                              function() return lt.zeros(2, {device = "cpu"}) end},
  } do
    it(what .. " inside is an error, and the device goes on", function()
      x = lt.tensor({1, 2, 3}, {device = gpu.kind, dtype = "float32"})
      local graph = lt.graph(function() return x + 1 end)
      local act = case[2]
      if what == "a replay" then act = function() graph:replay() end end
      if what == "an event" then
        local e = lt.event(device)
        case[1] = "record" .. no_part
        act = function() e:record() end
      end
      if what == "another stream" then
        local s = lt.stream(gpu.kind)
        act = function() lt.with_stream(s, print) end
      end
      local got = when_captured(act)
      if case[1]:sub(1, 1) == "^" then assert.truthy(got:find(case[1])) else assert.equal(case[1], got) end
      assert.same({2, 3, 4}, graph:replay():totable())
      assert.same({4, 5, 6}, lt.graph(function() return x + 3 end):replay():totable())
      lt.synchronize(gpu.kind)
    end)
  end

  it("work on another GPU inside is an error, and both go on", function()
    if not pcall(lt.zeros, 1, {device = gpu.kind .. ":1"}) then return pending("needs two GPUs") end
    local pair = {gpu.kind .. ":0", gpu.kind .. ":1"}
    for k, captured in ipairs(pair) do
      local other = pair[3 - k]
      local a, b = lt.ones(3, {device = captured}), lt.tensor({1, 2, 3}, {device = other, dtype = "float32"})
      local refusal = (": not while a graph of %s is captured: it uses %s"):format(captured, other)
      for name, act in pairs {
        add_ = function() b:add_(1) end,
        to = function() return b:to(captured) end,
        copy_ = function() b:copy_(a) end,
        zeros = function() return lt.zeros(2, {device = other}) end,
      } do
        b:copy_(lt.tensor {1, 2, 3})
        local calls = 0
        fails(name .. refusal, lt.graph, function()
          calls = calls + 1
          if calls == 2 then return act() end
        end, {device = captured})
        assert.same({1, 2, 3}, b:totable())
        assert.same({2, 2, 2}, lt.graph(function() return a + 1 end, {device = captured}):replay():totable())
      end
    end
  end)

  it("tensors of another GPU may die inside", function()
    if not pcall(lt.zeros, 1, {device = gpu.kind .. ":1"}) then return pending("needs two GPUs") end
    collectgarbage()
    local before = lt.memory(gpu.kind .. ":1").live
    local b = {lt.ones(1000, {device = gpu.kind .. ":1"}), lt.ones(1000, {device = gpu.kind .. ":1"})}
    lt.graph(function() table.remove(b):free() end)
    assert.equal(before, lt.memory(gpu.kind .. ":1").live)
    b = {lt.ones(1000, {device = gpu.kind .. ":1"}), lt.ones(1000, {device = gpu.kind .. ":1"})}
    assert.is_false(pcall(lt.graph, function()
      table.remove(b):free()
      if #b == 0 then error "after the other GPU was entered" end
    end))
    assert.equal(5, lt.graph(function() return lt.ones(5, device):sum() end):replay():item())
  end)

  gpu.it_emulated("whatever the driver refuses is an error, and the device goes on", function()
    x = lt.tensor({1, 2, 3}, device)
    local graph = lt.graph(function() return x + 1 end)
    gpu.emulator.configure "fail_graph=1"
    assert.raises("^replay: launch of a graph: ", function() graph:replay() end)
    assert.same({2, 3, 4}, graph:replay():totable())
    for n = 1, 4 do
      gpu.emulator.configure("fail_alloc=" .. n)
      local ok, g = pcall(lt.graph, function() return lt.zeros(300, 300 * n, device) + lt.ones(1, device) end)
      if ok then assert.equal(90000 * n, g:replay():sum():item()) end
    end
    gpu.emulator.configure "fail_alloc=0"
    assert.same({2, 3, 4}, graph:replay():totable())
  end)

  gpu.it_emulated("a device that fails for good meanwhile can be reopened", function()
    local calls = 0
    x = lt.ones(3, device)
    local message = message_of(lt.graph, function()
      calls = calls + 1
      local y = x + 1
      if calls == 1 then return end
      gpu.emulator.configure "sticky,fail_launch=1"
      lt.with_stream(lt.current_stream(gpu.kind), print)
      return y
    end)
    assert.truthy(message)
    gpu.emulator.configure "sticky=0,fail_launch=0"
    gpu.api.reopen(gpu.kind)
    assert.equal(4, lt.graph(function() return lt.ones(4, device):sum() end):replay():item())
  end)

  it("is lost with its device", function()
    local g = lt.graph(function() return lt.zeros(3, device) end)
    local r = g:replay()
    gpu.api.reopen(gpu.kind)
    fails("replay: this graph was lost when " .. gpu.kind .. ":0 was reopened", g.replay, g)
    fails("totable: argument 1: this tensor was lost when " .. gpu.kind .. ":0 was reopened", r.totable, r)
    g:free()
    assert.equal(1, lt.graph(function() return lt.ones(1, device) end):replay():item())
  end)
end)
