-- tags: kernels smoke
local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local random = require "spec.support.reference.random"

local device = helpers.device

-- The states {seed, offset} of the generator at which all checks begin. The offset is in Philox counters.
local states = {{0, 0}, {1, 0}, {-1, 0}, {0x123456789abcdef, 7}, {42, 0xfffffff8}, {math.mininteger, -16}}

local function generator(state)
  return lt.generator {seed = 0}:set_state {seed = state[1], offset = state[2]}
end

describe("Philox 4×32-10, the oracle", function()
  -- Known results from the tests of the Random123 library.
  local answers = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  }
  it("gives the known answers", function()
    for _, a in ipairs(answers) do assert.same(a[3], random.philox(a[1], a[2])) end
  end)
end)

describe("rand", function()
  for _, name in ipairs {"float32", "float64", "float16", "bfloat16"} do
    it("is the oracle's, bit for bit: " .. name, function()
      for _, state in ipairs(states) do
        for _, n in ipairs {1, 16, 31, 64, 200, 2050} do
          local got = lt.rand(n, {dtype = name, device = device, generator = generator(state)}):totable()
          for i = 1, n, n > 300 and 37 or 1 do
            assert.equal(random.uniform(name, state[1], state[2], i - 1), got[i])
          end
        end
      end
    end)
  end

  it("begins with the known answer for seed 0", function()
    lt.manual_seed(0)
    assert.equal((0x6627e8d5 >> 8) / 2 ^ 24, lt.rand(1):item())
  end)

  it("goes on where it stopped, whatever was asked for", function()
    local g = generator {5, 0}
    lt.rand(3, {generator = g})
    assert.equal(16, g:state().offset)
    lt.rand(65, {generator = g})
    assert.equal(48, g:state().offset)
    lt.rand(33, {dtype = "float64", generator = g})
    assert.equal(80, g:state().offset)
    lt.rand(0, {generator = g})
    assert.equal(80, g:state().offset)
    assert.equal(random.uniform("float32", 5, 80, 0), lt.rand({}, {generator = g}):item())
  end)

  it("gives the same numbers with any number of threads", function()
    local before = lt.get_num_threads()
    local sums = {}
    for _, n in ipairs {1, 2, 3} do
      lt.set_num_threads(n)
      local g = generator {9, 3}
      sums[#sums + 1] = lt.rand(70001, {generator = g}):to_bytes() .. lt.randn(70001, {generator = g}):to_bytes()
    end
    lt.set_num_threads(before)
    assert.is_true(sums[1] == sums[2] and sums[1] == sums[3])
  end)

  it("is uniform: moments and chi-square", function()
    local n = 1 << 20
    local x = lt.rand(n, {generator = generator {2026, 0}, dtype = "float64"})
    assert.is_true(math.abs(x:mean():item() - 1 / 2) < 4 * math.sqrt(1 / 12 / n))
    assert.is_true(math.abs((x * x):mean():item() - 1 / 3) < 4 * math.sqrt(4 / 45 / n))
    assert.is_true(x:min():item() >= 0 and x:max():item() < 1)
    local chi = 0
    for bin = 0, 63 do
      local count = x:greater_equal(bin / 64):logical_and(x:less((bin + 1) / 64)):sum():item()
      chi = chi + (count - n / 64) ^ 2 / (n / 64)
    end
    assert.is_true(chi < 63 + 4 * math.sqrt(2 * 63), "chi-square " .. chi)
    local neighbours = (x[{{1, n - 1}}] - 0.5) * (x[{{2, n}}] - 0.5)
    assert.is_true(math.abs(neighbours:mean():item()) < 4 / 12 / math.sqrt(n))
  end)

  it("says what does not fit", function()
    assert.raises("rand: not for int64; randint is", lt.rand, 3, {dtype = "int64"})
    assert.raises("rand: size -1 is negative", lt.rand, -1)
    assert.raises('rand: unknown option "seed"; known: dtype, device, generator, requires_grad; did you mean "generator"?', lt.rand, 3, {seed = 1})
    assert.raises("rand: option generator: generator expected, got number", lt.rand, 3, {generator = 1})
  end)
end)

describe("uniform", function()
  it("stays in its range, rounding or not", function()
    for _, name in ipairs {"float32", "float64", "float16", "bfloat16"} do
      local x = lt.uniform(-3, 1, 5000, {dtype = name, generator = generator {3, 0}}):to("float64")
      assert.is_true(x:min():item() >= -3 and x:max():item() < 1, name)
      local tight = lt.uniform(1, 1 + lt.finfo(name).eps, 500, {dtype = name, generator = generator {3, 0}})
      assert.is_true(tight:equal(1):all():item(), name)
      assert.is_true(lt.uniform(2, 2, 5, {dtype = name}):equal(2):all():item())
      local small = lt.uniform(-2^-12, 0, 500, {dtype = name, generator = generator {3, 0}})
      assert.is_true(small:less(0):all():item() and lt.unique_values(small).size > 50)
    end
  end)
  it("takes a table as shape, too", function()
    assert.equal(lt.uniform(0, 1, {2, 3}).shape, lt.uniform(0, 1, 2, 3).shape)
  end)
  it("says what does not fit", function()
    assert.raises("uniform: 3 to 1 is no range", lt.uniform, 3, 1, 2)
    assert.raises("uniform: low and high expected", lt.uniform, 3)
    assert.raises("^uniform: high is ", lt.uniform, 0, 1 / 0, 2)
    assert.raises("uniform: low: number expected, got string", lt.uniform, "0", 1, 2)
  end)
end)

describe("randn", function()
  for name, tolerance in pairs {float32 = 4e-6, float64 = 1e-14, float16 = 3e-3, bfloat16 = 2e-2} do
    it("is the oracle's: " .. name, function()
      for _, state in ipairs(states) do
        local got = lt.randn(150, {dtype = name, generator = generator(state)}):totable()
        for i = 1, 150 do
          local want = random.normal(name == "float64" and name or "float32", state[1], state[2], i - 1)
          assert.is_true(math.abs(want - got[i]) <= tolerance * (1 + math.abs(want)), name .. " " .. want .. " " .. got[i])
        end
      end
    end)
  end

  it("is normal: moments and tails", function()
    local n = 1 << 20
    local x = lt.randn(n, {generator = generator {2027, 0}, dtype = "float64"})
    local function moment(k, want, spread)
      local got = (x ^ k):mean():item()
      assert.is_true(math.abs(got - want) < 4 * spread / math.sqrt(n), ("moment %d is %g"):format(k, got))
    end
    moment(1, 0, 1)
    moment(2, 1, math.sqrt(2))
    moment(3, 0, math.sqrt(15))
    moment(4, 3, math.sqrt(96))
    for bound, share in pairs {[1] = 0.317310508, [2] = 0.045500264, [3] = 0.002699796} do
      local got = x:abs():greater(bound):sum():item() / n
      assert.is_true(math.abs(got - share) < 4 * math.sqrt(share / n), ("beyond %d: %g"):format(bound, got))
    end
  end)

  it("has a mean and a standard deviation", function()
    local z = lt.randn(64, {generator = generator {1, 0}, dtype = "float64"})
    local x = lt.normal(10, 3, 64, {generator = generator {1, 0}, dtype = "float64"})
    assert.is_true((x - (z * 3 + 10)):abs():max():item() < 1e-13)
    assert.is_true(lt.normal(5, 0, 9):equal(5):all():item())
    assert.raises("^normal: standard deviation .* is negative", lt.normal, 0, -1, 3)
  end)
end)

describe("randint", function()
  it("is the oracle's, both ends included", function()
    for _, range in ipairs {{1, 6}, {-5, 5}, {0, 0}, {0, (1 << 40) - 1}, {math.mininteger, math.maxinteger}, {-1, 1 << 62}} do
      for _, state in ipairs(states) do
        local got = lt.randint(range[1], range[2], 70, {generator = generator(state)}):totable()
        for i = 1, 70 do
          assert.equal(random.integer(range[1], range[2], state[1], state[2], i - 1), got[i])
        end
      end
    end
  end)
  it("fills every dtype", function()
    for _, name in ipairs {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"} do
      local x = lt.randint(0, 3, 1000, {dtype = name})
      assert.equal(name, x.dtype)
      assert.same({0, 3}, {x:min():item(), x:max():item()})
    end
  end)
  it("is even: chi-square", function()
    local n = 600000
    local x = lt.randint(1, 6, n, {generator = generator {77, 0}})
    local chi = 0
    for face = 1, 6 do chi = chi + (x:equal(face):sum():item() - n / 6) ^ 2 / (n / 6) end
    assert.is_true(chi < 20.5, "chi-square " .. chi)     -- the 99.9 % quantile for 5 degrees of freedom
  end)
  it("says what does not fit", function()
    assert.raises("randint: 3 to 1 is no range", lt.randint, 3, 1, 2)
    assert.raises("randint: 300 does not fit uint8", lt.randint, 0, 300, 2, {dtype = "uint8"})
    assert.raises("randint: -1 does not fit uint8", lt.randint, -1, 3, 2, {dtype = "uint8"})
    assert.raises("randint: high: 1.5 is not an integer", lt.randint, 0, 1.5, 2)
    assert.raises("randint: low and high expected", lt.randint, 3)
  end)
end)

describe("in place", function()
  helpers.unplugged(it)("fills views and gives the same numbers as fresh tensors", function()
    local x = lt.zeros(6, 4)
    local view = x[{{}, {2, 3}}]
    assert.equal(view, view:uniform_(2, 3, {generator = generator {1, 0}}))
    assert.same(lt.uniform(2, 3, 6, 2, {generator = generator {1, 0}}):totable(), view:totable())
    assert.is_true(x[{{}, 1}]:equal(0):all():item() and x[{{}, 4}]:equal(0):all():item())
    assert.same(lt.normal(1, 2, 6, 2, {generator = generator {1, 0}}):totable(),
                view:normal_(1, 2, {generator = generator {1, 0}}):totable())
    assert.same(lt.randint(3, 9, 6, 2, {generator = generator {1, 0}, dtype = "float32"}):totable(),
                view:random_(3, 9, {generator = generator {1, 0}}):totable())
  end)
  it("has defaults", function()
    assert.is_true(lt.zeros(500, {dtype = "int8"}):random_():greater_equal(0):all():item())
    assert.is_true(lt.zeros(500, {dtype = "float16"}):random_():less_equal(2048):all():item())
    assert.same({0, 1}, {lt.zeros(99):bernoulli_():min():item(), lt.zeros(99):bernoulli_():max():item()})
  end)
  it("leaves what it cannot fill", function()
    local x = lt.ones(3, {dtype = "int64"})
    assert.raises("uniform_: not for int64; randint is", x.uniform_, x)
    assert.is_true(x:equal(1):all():item())
    assert.raises("^uniform_: the target is a broadcast view", lt.ones(1).uniform_, lt.ones(1):broadcast_to(3))
  end)
  it("knows the shapes of others", function()
    local x = lt.zeros(2, 3, {dtype = "float16"})
    assert.equal("float16", x:rand_like().dtype)
    assert.equal(x.shape, x:randn_like({dtype = "float64"}).shape)
  end)
end)

describe("bernoulli, multinomial, permutation, shuffle", function()
  it("bernoulli draws with a probability", function()
    local share = lt.bernoulli(0.3, 100000, {generator = generator {4, 0}}):mean():item()
    assert.is_true(math.abs(share - 0.3) < 4 * math.sqrt(0.21 / 100000))
    assert.same({0, 1, 1}, lt.bernoulli(lt.tensor {0.0, 1.0, 1.0}):totable())
    assert.equal("bool", lt.bernoulli(0.5, 3, {dtype = "bool"}).dtype)
    assert.raises("bernoulli: p: 2 is not from 0 to 1", lt.bernoulli, 2, 3)
  end)

  it("multinomial draws in proportion to weights", function()
    local w = lt.tensor {1.0, 0.0, 3.0}
    local x = lt.multinomial(w, 40000, {replacement = true, generator = generator {4, 0}})
    assert.equal(0, x:equal(2):sum():item())
    assert.is_true(math.abs(x:equal(3):sum():item() / 40000 - 0.75) < 0.01)
    local pair = lt.multinomial(w, 2, {generator = generator {4, 0}}):totable()
    table.sort(pair)
    assert.same({1, 3}, pair)
    local rows = lt.multinomial(lt.tensor {{0.0, 1.0}, {1.0, 0.0}}, 3, {replacement = true})
    assert.same({{2, 2, 2}, {1, 1, 1}}, rows:totable())
  end)

  it("multinomial draws the first of several in proportion, too", function()
    local w, first = lt.tensor {1.0, 2.0, 5.0}:broadcast_to(20000, 3), {}
    local x = lt.multinomial(w, 2, {generator = generator {8, 0}})
    for k = 1, 3 do first[k] = x[{{}, 1}]:equal(k):sum():item() / 20000 end
    assert.is_true(math.abs(first[1] - 0.125) < 0.01 and math.abs(first[2] - 0.25) < 0.0125)
    assert.equal(0, x[{{}, 1}]:equal(x[{{}, 2}]):sum():item())
  end)

  helpers.unplugged(it)("multinomial draws weights of the least size, and none of weight 0", function()
    local function drawn(w, n)
      local x = lt.multinomial(lt.tensor(w, {dtype = "float64"}), n):totable()
      table.sort(x)
      return x
    end
    assert.same({2, 3}, drawn({0, 1, 1e-310}, 2))
    assert.same({1, 2}, drawn({1, 1e-310}, 2))
    assert.same({1, 2, 4}, drawn({5e-324, 1e300, 0, 1e-320}, 3))
    local many = lt.multinomial(lt.rand(3, 1000) + 0.1, 1000):sort(-1)        -- draws each position of a row once
    assert.is_true(many:equal(lt.arange(1, 1001):expand(3, 1000)):all():item())
  end)
  it("multinomial says what does not fit", function()
    local w = lt.tensor {1.0, 0.0, 3.0}
    assert.raises("multinomial: 3 of 2 positions with a weight asked for; use replacement = true", lt.multinomial, w, 3)
    assert.raises("multinomial: weights must be finite, not negative, and not all 0", lt.multinomial, lt.tensor {-1.0, 3.0}, 1)
    local many = lt.ones(300)
    many[299] = 0.0 / 0.0
    assert.raises("multinomial: weights must be finite, not negative, and not all 0", lt.multinomial, many, 1)
    assert.raises("multinomial: weights must be finite, not negative, and not all 0", lt.multinomial, lt.zeros(3), 1)
    assert.raises("multinomial: n: 0 is out of range", lt.multinomial, w, 0)
  end)

  it("a permutation has every integer once, ordered by random keys", function()
    for _, n in ipairs {0, 1, 2, 5, 1000, 1537, 70000} do
      local p = lt.permutation(n, {generator = generator {6, 0}})
      local seen = {}
      for _, v in ipairs(p:totable()) do seen[v] = true end
      assert.equal(n, #seen)
      assert.equal(n, p.size)
    end
    for _, n in ipairs {50, 1024, 1025, 5000} do
      local keys, order = {}, {}
      for i = 1, n do keys[i], order[i] = random.draw64(6, 0, i - 1), i end
      table.sort(order, function(i, j) return math.ult(keys[i], keys[j]) end)
      assert.same(order, lt.permutation(n, {generator = generator {6, 0}}):totable())
    end
    assert.raises("permutation: size -1 is negative", lt.permutation, -1)
  end)

  it("shuffle moves rows", function()
    local x = lt.arange(30):reshape(10, 3)
    local s = x:shuffle({generator = generator {6, 0}})
    local p = lt.permutation(10, {generator = generator {6, 0}})
    assert.same(x[p]:totable(), s:totable())
    local y = x:clone()
    assert.equal(y, y:shuffle_({generator = generator {6, 0}}))
    assert.same(s:totable(), y:totable())
  end)
end)

describe("generators", function()
  it("start at their seed and go back to a state", function()
    local g = lt.generator {seed = 12}
    assert.equal(12, g:seed())
    local state = g:state()
    local x = lt.rand(5, {generator = g}):totable()
    local y = lt.rand(5, {generator = g}):totable()
    assert.not_same(x, y)
    assert.equal(g, g:set_state(state))
    assert.same(x, lt.rand(5, {generator = g}):totable())
    assert.same(x, lt.rand(5, {generator = g:manual_seed(12)}):totable())
    assert.equal("generator (seed 12, offset 16)", tostring(g))
  end)
  it("differ without a seed", function()
    assert.not_equal(lt.generator():seed(), lt.generator():seed())
  end)
  it("the default one starts anew", function()
    lt.manual_seed(7)
    local x = lt.rand(3, 5):totable()
    local g = lt.manual_seed(7)
    assert.same(x, lt.rand(3, 5):totable())
    assert.equal(7, g:seed())
  end)
  it("say what does not fit", function()
    assert.raises("manual_seed: seed: 1.5 is not an integer", lt.manual_seed, 1.5)
    assert.raises("generator: options expected, as in lt.generator{seed = 1}", lt.generator, 3)
    assert.raises('generator: unknown option "sed"; known: seed; did you mean "seed"?', lt.generator, {sed = 1})
    assert.raises("set_state: seed: number expected, got nil", lt.generator().set_state, lt.generator(), {})
    assert.raises("seed: argument 1: generator expected, got table; is there a colon, as in generator:seed(…)?", lt.generator().seed, {})
  end)
end)
