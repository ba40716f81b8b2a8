-- tags: host unsanitized uncollected
-- The memory of compiled functions: how much a training step needs, and that memory is reused inside of a list.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local steps = require "bench.steps"

-- Returns the most bytes that tensors take during a step, above the bytes before the step, and the step's loss. Garbage is
-- collected after each call, so that the collector's delays do not count.
local function peak_of(step)
  for _ = 1, 2 do step() end
  collectgarbage()
  local before = lt.memory("cpu").state_live
  lt.reset_peak_memory "cpu"
  debug.sethook(function() collectgarbage() end, "r")
  local loss = step()
  debug.sethook()
  return lt.memory("cpu").state_peak - before, loss:item()
end

describe("a compiled training step", function()
  local networks = {
    mlp = function() return steps.mlp(16, {64, 256, 10}) end, cnn = steps.cnn, lstm = steps.lstm, transformer = steps.transformer,
  }

  for name, make in pairs(networks) do
    it(("of a network such as %s needs no more memory than the function"):format(name), function()
      lt.manual_seed(1)
      local expected, loss = peak_of(make())
      lt.manual_seed(1)
      local peak, compiled_loss = peak_of(lt.compile(make()))
      assert.equal(loss, compiled_loss)
      assert.truthy(peak <= 1.005 * expected, ("%.3f"):format(peak / expected))       -- lists keep results of a few KiB longer
    end)
  end
end)

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
