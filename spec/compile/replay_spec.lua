-- tags: unplugged
-- Tests lt.compile(f, {replay = true}): from the third call on, f does not run any more, and the results are those of f.
local core = require "luatensor.core"
local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local nn, optim = require "luatensor.nn", require "luatensor.optim"

local fails = helpers.fails
local there = {device = helpers.device}

local function bits(x) return helpers.bits(x:to("cpu")) end

-- Returns the compiled function of f with replays, and a function that returns how often f ran.
local function counted(f, options)
  local runs = 0
  local compiled = lt.compile(function(...)
    runs = runs + 1
    return f(...)
  end, options or {replay = true})
  return compiled, function() return runs end
end

-- Calls results(wrap) twice: with a function wrap(f) that returns f, and with one that returns the compiled function of f with
-- replays. Both calls must return equal lists. Returns how often the compiled f ran.
local function runs_alike(results)
  local runs
  local expected = results(function(f) return f end)
  assert.same(expected, results(function(f)
    local compiled
    compiled, runs = counted(f)
    return compiled
  end))
  return runs()
end

describe("replays of compiled functions", function()
  it("compute f of new arguments without running f", function()
    local f, runs = counted(function(x, y) return lt.tanh(x * 2) + y, x:sum(2) end)
    for i = 1, 6 do
      local x, y = lt.rand(3, 4, there), lt.rand(4, there)
      local a, b = f(x, y)
      assert.equal(bits(lt.tanh(x * 2) + y), bits(a))
      assert.equal(bits(x:sum(2)), bits(b))
      assert.equal(math.min(i, 3), runs())
    end
    assert.truthy(tostring(f):find "; 4 of 6 calls replayed$")
  end)

  it("return tensors of their own", function()
    local f = lt.compile(function(x) return x + 1 end, {replay = true})
    local results = {}
    for i = 1, 6 do results[i] = f(lt.full({2}, i, there)) end
    for i = 1, 6 do assert.same({i + 1, i + 1}, results[i]:totable()) end
  end)

  it("return one tensor for results that are one tensor", function()
    local f = lt.compile(function(x)
      local y = x * 2
      return y, x + 1, y
    end, {replay = true})
    for i = 1, 5 do
      local a, b, c = f(lt.full({2}, i, there))
      assert.is_true(rawequal(a, c))
      assert.same({2 * i, 2 * i}, a:totable())
      assert.same({i + 1, i + 1}, b:totable())
    end
  end)

  it("update results that f stores, also as a view", function()
    local stored, view = nil, nil
    local f = lt.compile(function(x)
      local y, z = x * 2, x * 3
      stored, view = y, z:reshape(2, 1)
      return y, z
    end, {replay = true})
    for i = 1, 6 do
      local y, z = f(lt.full({2}, i, there))
      assert.same({2 * i, 2 * i}, stored:totable())
      assert.same({{3 * i}, {3 * i}}, view:totable())
      assert.same({2 * i, 2 * i}, y:totable())
      assert.same({3 * i, 3 * i}, z:totable())
    end
  end)

  it("write results of the CPU without copies", function()
    local x = lt.rand(1000, {device = "cpu"})
    local f = lt.compile(function(y) return lt.exp(y) * y + 1, y:sum() end, {replay = true})
    for _ = 1, 3 do f(x) end
    core.profile_start "counting"
    f(x)
    local rows = core.profile_stop().rows
    assert.equal(1, #rows)
    assert.equal("graph", rows[1].family)
  end)

  it("copy results whose memory had another use in the captured call", function()
    local x, w = lt.rand(64, 64, {device = "cpu"}), lt.rand(64, 8, {device = "cpu"})
    local function f(y)
      local large = y:matmul(y)
      local column = large:sum(1, {keepdim = true}):clone()
      large:free()
      return column:matmul(w)
    end
    local replayed, expected = lt.compile(f, {replay = true}), bits(f(x))
    for _ = 1, 5 do assert.equal(expected, bits(replayed(x))) end
    core.profile_start "counting"
    replayed(x)
    assert.equal(2, #core.profile_stop().rows)
  end)

  it("compute with any number of threads, and when the capture wants other results than the calls before", function()
    local threads, kept = lt.get_num_threads(), nil
    for _, shape in ipairs {{100000}, {2, 100000}, {100000, 3}} do
      for _, numbers in ipairs {{1, 4, 2}, {4, 1, 4}} do
        local x, runs = lt.rand(shape, there), 0
        local expected = bits((lt.exp(x) * x + 1):sum(#shape))
        local f = lt.compile(function(y)
          runs = runs + 1
          local further = y * 3
          if runs == 3 then kept = further end
          return (lt.exp(y) * y + 1):sum(#shape)
        end, {replay = true})
        for i = 1, 6 do
          lt.set_num_threads(numbers[1 + i % #numbers])
          assert.equal(expected, bits(f(x)))
        end
      end
    end
    lt.set_num_threads(threads)
    assert.truthy(kept)
  end)

  it("run f for arguments that are not contiguous, also after a capture", function()
    local f, runs = counted(function(x) return lt.softmax(x, 2), x:is_contiguous() end)
    for _ = 1, 4 do f(lt.rand(300, 300, there)) end
    assert.equal(3, runs())
    for _, x in ipairs {lt.rand(300, 300, there).mT, lt.rand(300, 300, there):flip(1), lt.rand(300, 1, there):expand(300, 300)} do
      local y, contiguous = f(x)
      assert.equal(bits(lt.softmax(x, 2)), bits(y))
      assert.is_false(contiguous)
    end
    assert.equal(6, runs())
    f(lt.rand(300, 300, there))
    assert.equal(6, runs())
  end)

  it("run f for arguments of other kinds", function()
    local f, runs = counted(function(x, k) return x * k end)
    for _, k in ipairs {2, 3} do
      for _ = 1, 4 do assert.same({k, k}, f(lt.ones(2, there), k):totable()) end
    end
    assert.equal(6, runs())
    assert.same({2.0}, f(lt.ones(1, there), 2):totable())
    assert.equal("float64", f(lt.ones(2, there):to("float64"), 2).dtype)
    assert.equal(8, runs())
    for k = 10, 30 do assert.equal(k, f(lt.ones(1, there), k)[1]:item()) end       -- more than there is room for
  end)

  it("tell numbers apart that are equal, but of other kinds", function()
    local f = lt.compile(function(x, k) return x * k end, {replay = true})
    local x = lt.ones(1, {dtype = "int64", device = helpers.device})
    for _ = 1, 4 do
      assert.equal("int64", f(x, 2).dtype)
      assert.equal("float32", f(x, 2.0).dtype)
    end
    local g = lt.compile(function(y, k) return y / k end, {replay = true})
    for _ = 1, 4 do
      assert.equal(math.huge, g(lt.ones(1, there), 0.0):item())
      assert.equal(-math.huge, g(lt.ones(1, there), -0.0):item())
    end
  end)

  it("run f as long as its operations change", function()
    local n = 0
    local f, runs = counted(function(x)
      n = n + 1
      for _ = 1, math.min(n, 4) do x = x + 1 end
      return x
    end)
    for i = 1, 8 do assert.equal(math.min(i, 4), f(lt.zeros(1, there))[1]:item()) end
    assert.equal(6, runs())                    -- calls 4 and 5 are alike, and call 6 is captured
  end)

  it("write to arguments and to tensors of f", function()
    local total = lt.zeros(2, there)
    local f = lt.compile(function(x)
      x:add_(1)
      total:add_(x)
      return x, total
    end, {replay = true})
    for i = 1, 5 do
      local x = lt.full({2}, i * 1.0, there)
      local same, sum = f(x)
      assert.is_true(rawequal(same, x))
      assert.is_true(rawequal(sum, total))
      assert.same({i + 1, i + 1}, x:totable())
    end
    assert.same({20.0, 20.0}, total:totable())
  end)

  it("draw new random numbers", function()
    local f, runs = counted(function() return lt.rand(3, there) end, {replay = true, device = helpers.device})
    local function draws()
      lt.manual_seed(7)
      local all = {}
      for i = 1, 6 do all[i] = bits(f()) end
      return all
    end
    lt.manual_seed(7)
    local expected = {}
    for i = 1, 6 do expected[i] = bits(lt.rand(3, there)) end
    assert.same(expected, draws())
    assert.same(expected, draws())
    assert.equal(3, runs())
  end)

  it("train as f does, with the optimiser's current rate", function()
    local function losses(wrap)
      lt.manual_seed(3)
      local model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.2), nn.Linear(8, 3)):to(helpers.device)
      local opt = optim.Adam(model:parameters(), {lr = 0.05})
      local step = wrap(function(x, y)
        opt:zero_grad()
        local loss = nn.functional.cross_entropy(model(x), y)
        loss:backward()
        opt:step()
        return loss
      end)
      local list = {}
      for i = 1, 10 do
        if i == 7 then opt.param_groups[1].lr = 0.5 end
        list[i] = bits(step(lt.randn(16, 4, there), lt.randint(1, 3, 16, there)))
      end
      return list
    end
    assert.equal(4, runs_alike(losses))                    -- the first call also makes the optimiser's state
  end)

  it("run f if a GradScaler decides about steps, and say why", function()
    local step
    local function losses(wrap)
      lt.manual_seed(3)
      local model = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 2)):to(helpers.device)
      local opt = optim.SGD(model:parameters(), {lr = 0.1, momentum = 0.9})
      local scaler = optim.GradScaler {init_scale = 2 ^ 15, growth_interval = 2}
      step = wrap(function(x, factor)
        opt:zero_grad()
        local loss = (nn.autocast(function() return model(x) end, {dtype = "float16"}):to "float32" * factor):square():mean()
        scaler:scale(loss):backward()
        scaler:step(opt)
        scaler:update()
        return loss
      end)
      local list = {}
      for i = 1, 8 do
        local factor = lt.full({}, i == 6 and 1e18 or 1, there)
        list[#list + 1] = bits(step(lt.randn(5, 4, there), factor))
        list[#list + 1] = scaler:get_scale()
      end
      assert.truthy(list[12] < list[10] and list[14] >= list[12] and list[16] > list[12])      -- skipped, and grown again
      return list
    end
    assert.equal(8, runs_alike(losses))
    local text = step:explain(lt.randn(5, 4, there), lt.full({}, 1, there))
    assert.truthy(text:find("\n  not replayed: GradScaler:step reads whether the gradients are finite", 1, true), text)
  end)

  it("do not repeat the start of a state that the captured call made", function()
    for _, row in ipairs {{"SGD", "momentum", 0.9, captured = 3}, {"AdamW", "amsgrad", true, captured = 4}} do
      local name, option, value = table.unpack(row)
      local errors = 0
      local function values(wrap)
        local w = lt.ones(3, {requires_grad = true, device = helpers.device})
        local opt = optim[name]({w}, {lr = 0.1})
        local f, list = wrap(function(x)
          opt:zero_grad()
          local loss = (w * x):square():sum()
          loss:backward()
          opt:step()
          return loss
        end), {}
        for i = 1, 8 do
          if i == row.captured then opt.param_groups[1][option] = value end
          local ok, loss = pcall(f, lt.full({3}, i % 3, there))
          if not ok then                                 -- the captured call: the next one runs f
            errors = errors + 1
            assert.truthy(tostring(loss):find "make a step before the one that is captured", loss)
            loss = f(lt.full({3}, i % 3, there))
          end
          list[i] = bits(loss) .. bits(w)
        end
        return list
      end
      runs_alike(values)
      assert.equal(1, errors)
    end
  end)

  it("set and add up gradients that are reset, used and read outside", function()
    local function values(wrap)
      local w = lt.ones(3, {requires_grad = true, device = helpers.device})
      local opt = optim.SGD({w}, {lr = 0.1, momentum = 0.5})
      local f = wrap(function(x)
        local loss = (w * x):square():sum()
        loss:backward()
        return loss
      end)
      local all = {}
      for i = 1, 18 do
        local x = lt.full({3}, i % 4, there)
        if i % 5 == 0 then w.grad = nil end
        if i < 9 then opt:zero_grad() end
        f(x)
        if i > 12 then f(x) end                -- adds to the gradient
        if i < 9 or i % 3 == 0 then opt:step() end
        all[i] = bits(w) .. bits(w.grad)
      end
      return all
    end
    local runs = runs_alike(values)
    assert.truthy(runs > 3 and runs < 24, runs)
  end)

  it("are part of an outer compiled function and of an outer graph", function()
    local inner, runs = counted(function(x) return x * 2 + 1 end)
    local x = lt.ones(2, there)
    local outer = lt.compile(function() return inner(x) * 3 end)
    for _ = 1, 5 do assert.same({9.0, 9.0}, outer():totable()) end
    assert.equal(5, runs())
  end)

  it("start again after reset", function()
    local weight = {lt.ones(2, there)}
    local f, runs = counted(function(x) return x * weight[1] end)
    for _ = 1, 4 do f(lt.ones(2, there)) end
    weight[1] = lt.full({2}, 5, there)
    assert.same({1.0, 1.0}, f(lt.ones(2, there)):totable())      -- a replay does not see the change
    f:reset()
    for _ = 1, 4 do assert.same({5.0, 5.0}, f(lt.ones(2, there)):totable()) end
    assert.equal(6, runs())
  end)

  it("run f where arguments cannot be copied", function()
    local f, runs = counted(function(x, y) return x:add_(y) end)
    for _ = 1, 5 do
      local x = lt.ones(2, there)
      assert.same({2.0, 2.0}, f(x, x):totable())
    end
    assert.equal(5, runs())
    local g, ran = counted(function(x) return x:sum(1) end)
    for _ = 1, 5 do assert.same({2.0, 4.0}, g(lt.tensor({{1, 1}, {2, 2}}, there).T):totable()) end
    assert.equal(5, ran())
  end)

  it("run f if arguments share memory that did not share it when the graph was captured", function()
    local f, runs = counted(function(x, y)
      x:add_(1)
      return y * 2
    end)
    for _ = 1, 4 do assert.same({2.0, 2.0}, f(lt.zeros(2, there), lt.ones(2, there)):totable()) end
    assert.equal(3, runs())
    local x = lt.ones(2, there)
    assert.same({4.0, 4.0}, f(x, x):totable())
    assert.same({2.0, 2.0}, f(lt.zeros(2, there), lt.ones(2, there)):totable())
    assert.equal(4, runs())
  end)

  it("distinguish integers from floats, zeros by their sign, and strings from all other arguments", function()
    local f = lt.compile(function(x, k) return x * k end, {replay = true})
    local x = lt.ones(2, there):to("int64")
    for _ = 1, 4 do assert.equal("int64", f(x, 2).dtype) end
    for _ = 1, 4 do assert.equal("float32", f(x, 2.0).dtype) end
    local g = lt.compile(function(y, k) return y / k end, {replay = true})
    for _ = 1, 4 do assert.same({math.huge}, g(lt.ones(1, there), 0.0):totable()) end
    for _ = 1, 4 do assert.same({-math.huge}, g(lt.ones(1, there), -0.0):totable()) end
    local h = lt.compile(function(y) return y == "float32 1 " .. helpers.device .. " false" end, {replay = true})
    for _ = 1, 4 do assert.is_false(h(lt.ones(1, there))) end
    assert.is_true(h("float32 1 " .. helpers.device .. " false"))
  end)

  it("treat complex numbers as numbers", function()
    local f = lt.compile(function(x, k) return x * k, x * (lt.complex(0, 1) * 2) end, {replay = true})
    for k = 1, 2 do
      for _ = 1, 4 do
        local a, b = f(lt.ones(1, there), lt.complex(0, k))
        assert.equal("complex64", a.dtype)
        assert.equal(k, a:imag():item())
        assert.equal(2, b:imag():item())
      end
    end
  end)

  it("return copies of views of arguments that they copy", function()
    local f, results = lt.compile(function(x) return x[1] end, {replay = true}), {}
    for i = 1, 6 do results[i] = f(lt.full({2, 1}, i, there)) end
    for i = 1, 6 do assert.same({i}, results[i]:totable()) end
  end)

  it("keep the tensors of f that the script frees", function()
    local weight = lt.full({1000}, 3, there)
    local f = lt.compile(function(x) return x * weight end, {replay = true})
    for _ = 1, 3 do f(lt.ones(1000, there)) end
    weight:free()
    local others = {}
    for i = 1, 20 do others[i] = lt.zeros(1000, there) end
    assert.equal(3000, f(lt.ones(1000, there)):sum():item())
  end)

  it("are made of functions that make leaves of gradients", function()
    local f, runs = counted(function(x)
      local leaf = (x * 2):detach():requires_grad_();
      (leaf ^ 3):sum():backward()
      return leaf.grad * 1
    end)
    for i = 1, 8 do assert.same({12.0 * i * i}, f(lt.full({1}, i * 1.0, there)):totable()) end
    assert.equal(3, runs())
  end)

  it("do what precedes an error in the captured call", function()
    local w, total, calls = lt.ones(2, there):requires_grad_(), lt.zeros(2, there), 0
    local f = counted(function(x)
      calls = calls + 1
      total:add_(x)
      x:multiply_(10)
      w.grad = nil;
      (w * x):sum():backward()
      if calls == 3 then error {} end
    end)
    for i = 1, 6 do
      local x = lt.full({2}, i * 1.0, there)
      assert.equal(i ~= 3, (pcall(f, x)))
      assert.same({10.0 * i, 10.0 * i}, x:totable())
      assert.same({10.0 * i, 10.0 * i}, w.grad:totable())
      assert.equal(i * (i + 1) // 2, total[1]:item())
    end
  end)

  -- GPUs find such a class later, when the host waits.
  local it_on_cpu = helpers.device == "cpu" and it or pending
  it_on_cpu("raise errors for classes out of range, and go on", function()
    local weight = lt.ones(3)
    local f, runs = counted(function(x, classes) return nn.functional.cross_entropy(x, classes, {weight = weight}) end)
    local x = lt.zeros(2, 3)
    for i = 1, 6 do
      local classes = lt.tensor {1, i == 4 and 9 or 2}
      if i == 4 then fails("take: index 9 in dim 1: out of range for length 3", f, x, classes)
      else assert.near(math.log(3), f(x, classes):item(), 1e-6) end
    end
    assert.equal(3, runs())
  end)

  it_on_cpu("raise errors at the line of the script that calls them", function()
    local x, line = lt.zeros(3), nil
    for _, options in ipairs {{replay = true}, {replay = true, check = true}} do
      for _, changes in ipairs {false, true} do                -- the argument is copied if it is another tensor
        local f, position = lt.compile(function(i) return x[i] end, options), lt.tensor {1}
        local function call(i)
          line = debug.getinfo(1, "l").currentline + 1
          local y = f(i)
          return y
        end
        for _ = 1, 4 do call(changes and lt.tensor {1} or position) end
        local ok, message = pcall(call, position:fill_(7))
        assert.falsy(ok)
        assert.truthy(message:find(("replay_spec.lua:%d: index 7 in dim 1"):format(line), 1, true), message)
      end
    end
  end)

  it("raise errors for what they cannot repeat", function()
    local function call_thrice(f) for _ = 1, 3 do f(lt.ones(2, there)) end end
    local function run(f) call_thrice(lt.compile(f, {replay = true})) end
    fails("item: not while a graph is captured: it waits, or copies from or to the host", run,
          function(x) return x:sum():item() end)
    fails("compile: replay: result 1 is a table; return tensors and numbers", run, function(x) return {x} end)
    local w = lt.ones(2, there):requires_grad_()
    fails("compile: replay: result 1 needs the graph of gradients; call backward inside of the function, or return x:detach()",
          run, function(x) return x * w end)
    fails("compile: option replay: boolean expected, got number", lt.compile, print, {replay = 1})
    fails('compile: unknown option "fast"; known: check, device, replay', lt.compile, print, {fast = true})
    local f = lt.compile(function(x)
      if x.size > 2 then error "too long" end
      return x
    end, {replay = true})
    fails("too long", f, lt.ones(3, there))
    for _ = 1, 4 do assert.same({1.0, 1.0}, f(lt.ones(2, there)):totable()) end
  end)
end)
