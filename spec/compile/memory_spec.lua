-- tags: host unsanitized uncollected
-- The memory of compiled functions: how much a training step needs, and that memory is reused inside of a list.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local steps = require "bench.steps"

-- Returns the most bytes that tensors take during a step of make(), with the network and its optimiser, and the step's
-- loss. Garbage is collected after each call, so that the collector's delays do not count.
local function peak_of(make)
  lt.manual_seed(1)
  collectgarbage()
  local before = lt.memory("cpu").state_live
  local step = make()
  for _ = 1, 2 do step() end
  collectgarbage()
  lt.reset_peak_memory "cpu"
  debug.sethook(function() collectgarbage() end, "r")
  local loss = step()
  debug.sethook()
  return lt.memory("cpu").state_peak - before, loss:item()
end

-- Like peak_of, for a step that is replayed. The memory of a graph is kept between replays, so it counts when they are over.
local function replay_of(make)
  lt.manual_seed(1)
  collectgarbage()
  local before = lt.memory("cpu").live
  local step, loss = lt.compile(make(), {replay = true}), nil
  for _ = 1, 5 do loss = step() end
  assert.truthy(tostring(step):find "; [23] of 5 calls replayed", tostring(step))
  collectgarbage()
  return lt.memory("cpu").live - before, loss:item()
end

local networks = {
  mlp = function() return steps.mlp(64, {784, 512, 10}) end, cnn = steps.cnn, lstm = steps.lstm, transformer = steps.transformer,
}

for name, make in pairs(networks) do
  describe("the training step of a network such as " .. name, function()
    local expected, loss = peak_of(make)

    it("needs no more memory if it is compiled", function()
      local peak, compiled_loss = peak_of(function() return lt.compile(make()) end)
      assert.equal(loss, compiled_loss)
      -- lists keep results of less than 4 KiB longer
      assert.truthy(peak <= 1.005 * expected + 4096, ("%.0f more than %.0f"):format(peak - expected, expected))
    end)

    it("needs hardly more memory if it is replayed", function()
      local bytes = replay_of(make)
      assert.truthy(bytes <= 1.04 * expected, ("%.3f"):format(bytes / expected))
    end)
  end)
end

describe("a list", function()
  local N = 1 << 16
  local x = lt.linspace(-2, 2, N)

  -- Makes a tensor at once, and calls f with it while only the list refers to it.
  local function with_temporary(f)
    return function()
      local y = lt.matmul(x:reshape(256, 256), x:reshape(256, 256))
      local results = table.pack(f(y))
      y:free()
      return table.unpack(results, 1, results.n)
    end
  end

  -- Calls the compiled function. Returns the bytes that tensors took at most during the call.
  local function most(compiled)
    collectgarbage()
    local before = lt.memory("cpu").state_live
    lt.reset_peak_memory "cpu"
    compiled()
    return lt.memory("cpu").state_peak - before
  end

  local function check(f, blocks)
    local plain = with_temporary(f)
    local compiled, expected = lt.compile(plain), table.pack(plain())
    for _ = 1, 3 do
      local results = table.pack(compiled())
      for i = 1, expected.n do assert.equal(helpers.bits(expected[i]), helpers.bits(results[i])) end
      results = nil                                        -- luacheck: ignore
      assert.equal(4 * N * blocks, most(compiled))
    end
    return compiled, expected
  end

  it("gives the memory of an input to one result if nobody else uses the input", function()
    check(function(y) return lt.exp(y) - y end, 1)
    check(function(y) return lt.exp(y) - y, y * 3 end, 2)
    check(function(y) return y:to "int32" end, 1 + 1)
    check(function(y) return y.mT + y end, 1 + 1)
  end)

  it("frees inputs before further results get their memory", function()
    check(function(y)
      local z = lt.concat({y:reshape(-1), y[{{1, 1}}]:reshape(-1)}, 1)
      return lt.softmax(z, 1):reshape(-1):max()
    end, 2 + 2 / 256)
  end)

  it("is described with the memory of its temporary results", function()
    local compiled = lt.compile(function() return lt.softmax(x:reshape(256, 256).mT * 2, 1):cumsum(1) end)
    compiled()
    local text = ", 0 of 1 schedule reused, 512.0 KiB for temporary results"          -- the products, and the softmax of them
    assert.truthy(tostring(compiled):find(text, 1, true), tostring(compiled))
    assert.truthy(compiled:explain():find(text:gsub("0 of", "1 of"), 1, true))
    assert.truthy(tostring(lt.compile(function() end)):find ", 0 of 0 schedules reused, 0 bytes for temporary results$")
  end)

  it("keeps an input that a failed call was to overwrite", function()
    local compiled, expected = check(function(y) return lt.exp(y) - y, y * 3, y / 3 end, 3)
    for n = 1, 6 do
      for times = 1, 3 do
        local live = helpers.live "cpu"
        lt._fail_after(n, times)
        local got = table.pack(pcall(compiled))
        lt._fail_after(0)
        if got[1] then
          for i = 1, 3 do assert.equal(helpers.bits(expected[i]), helpers.bits(got[i + 1])) end
        else
          assert.truthy(tostring(got[2]):find "memory", got[2])
        end
        got = nil                                          -- luacheck: ignore
        assert.equal(live, helpers.live "cpu")
      end
    end
  end)
end)
