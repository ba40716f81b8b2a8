-- tags: unplugged
-- Compiled functions with bad input: freed tensors, failing allocations, errors in the middle, arguments that share memory.
-- Each call gives the result of the function or a clear error, nothing is leaked, and the next call is right.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local N = 1 << 14
local there = {device = helpers.device}
local modes = {deferred = {}, replayed = {replay = true}, checked = {replay = true, check = true}}

local function bits(x) return helpers.bits(x:to("cpu")) end

for mode, options in pairs(modes) do
  describe(mode .. " calls of compiled functions", function()
    local weight = lt.linspace(-1, 1, N, there)
    local function chain(x)
      local y = lt.exp(x) * weight
      local z = lt.softmax(y:reshape(-1, 128), 2)
      return z:sum(2), (y - z:reshape(-1)):cumsum(1)
    end

    it("are right or raise an error if an allocation fails, and then lose nothing", function()
      local x = lt.linspace(0, 1, N, there)
      local a, b = chain(x)
      local expected, errors = bits(a) .. bits(b), 0
      a, b = nil, nil                                                              -- luacheck: ignore
      local live = helpers.live(helpers.device)
      for n = 1, 24 do
        for call = 1, 5 do                           -- the call that fails: with replays, the third call is captured
          local f = lt.compile(chain, options)
          for i = 1, 5 do
            lt._fail_after(i == call and n or 0, 9)
            local got = table.pack(pcall(f, x))
            lt._fail_after(0)
            if got[1] then
              assert.equal(expected, bits(got[2]) .. bits(got[3]))
            else
              errors = errors + 1
              assert.equal(call, i)
              assert.truthy(tostring(got[2]):find "memory", got[2])
            end
          end
        end
      end
      assert.truthy(errors > 20, errors)
      assert.equal(live, helpers.live(helpers.device))
    end)

    it("name freed arguments, and take other ones afterwards", function()
      local f = lt.compile(function(x) return x + weight end, options)
      local x = lt.ones(N, there)
      for _ = 1, 4 do f(x) end
      x:free()
      local message = helpers.message_of(f, x)
      assert.truthy(message:find "argument 1: this tensor was freed", message)
      for _ = 1, 4 do
        local y = lt.full({N}, 2.0, there)
        assert.equal(bits(y + weight), bits(f(y)))
      end
    end)

    it("go on after an error in the middle, also while they are captured", function()
      for failing = 1, 5 do
        local total, broken, calls = lt.zeros(3, there), false, 0
        local f = lt.compile(function(x)
          calls = calls + 1
          if broken then error "broken" end
          total:add_(x)
          return total * 2
        end, options)
        local x, added = lt.ones(3, there), 0
        for i = 1, 8 do
          broken = i == failing
          local before = calls
          local ok, result = pcall(f, x)
          if ok then
            added = added + 1
            assert.equal(2 * added, result[1]:item())
          else
            assert.truthy(tostring(result):find "broken")
            assert.equal(before + 1, calls)
          end
        end
        assert.truthy(added >= 7)
        assert.equal(added, total[3]:item())
      end
    end)

    it("allow arguments that share memory with each other and with results", function()
      local f = lt.compile(function(x, y)
        y:copy_(x * 2 + 1)
        return y, x
      end, options)
      local base, want = lt.zeros(8, there), lt.zeros(8, there)
      for _ = 1, 6 do
        for _, t in ipairs {base, want} do t:copy_(lt.arange(8, there):to "float32") end
        want[{{3, 6}}]:copy_(want[{{1, 4}}] * 2 + 1)
        local x, y = base[{{1, 4}}], base[{{3, 6}}]
        local first, second = f(x, y)
        assert.is_true(rawequal(first, y) and rawequal(second, x))
        assert.equal(bits(want), bits(base))
      end
    end)

    it("refuse to yield, and go on", function()
      local f = lt.compile(function(x, yields)
        if yields then coroutine.yield(x) end
        return x * 2
      end, options)
      local x = lt.ones(3, there)
      for _ = 1, 5 do
        local _, ok, message = coroutine.resume(coroutine.create(function() return pcall(f, x, true) end))
        assert.is_false(ok)
        assert.truthy(tostring(message):find "yield")
        assert.equal(2, f(x)[1]:item())
      end
    end)
  end)
end
