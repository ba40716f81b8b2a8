-- tags: uncollected kernels
--- Compares updates of parameters (the rows of src/update.def) with the same formulas in plain Lua: dtypes, layouts,
-- sizes.

local lt = require "luatensor"
local core = require "luatensor.core"
local helpers = require "spec.support.helpers"
local reference = require "spec.support.reference"

local info = reference.dtype.info
local on_cpu = helpers.device == "cpu"

-- Rows of src/update.def. states: names in order; numbers: n[1] is the sign of the gradient, n[2] the weight decay,
-- then the row's own numbers. step(n, p, g, a, b, c) returns the new values of one element of the parameter p and of
-- its states a, b, c, for the gradient g.
local rows = {}

local function row(name, states, numbers, step) rows[name] = {states = states, numbers = numbers, step = step} end

local function gradient(n, p, g) return n[1] * g + n[2] * p end

row("sgd", {}, {1, 0.1, 0.3}, function(n, p, g) return p - n[3] * gradient(n, p, g) end)
row("sgd_momentum", {"momentum_buffer"}, {-1, 0.1, 0.3, 0.9, 0.7}, function(n, p, g, a)
  a = n[4] * a + n[5] * gradient(n, p, g)
  return p - n[3] * a, a
end)
row("sgd_nesterov", {"momentum_buffer"}, {1, 0.1, 0.3, 0.9, 0.7}, function(n, p, g, a)
  g = gradient(n, p, g)
  a = n[4] * a + n[5] * g
  return p - n[3] * (g + n[4] * a), a
end)

local adam_numbers = {-1, 0.1, 0.95, 0.2, 0.75, 0.25, 0.3, 1.5, 0.01, 0.05}

local function moments(n, p, g, m, v)
  g = gradient(n, p, g)
  return p * n[3], g, (1 - n[4]) * m + n[4] * g, n[5] * v + n[6] * g * g
end
row("adam", {"exp_avg", "exp_avg_sq"}, adam_numbers, function(n, p, g, m, v)
  p, g, m, v = moments(n, p, g, m, v)
  return p - n[7] * m / (math.sqrt(v) * n[8] + n[9]), m, v
end)
row("adam_amsgrad", {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"}, adam_numbers, function(n, p, g, m, v, most)
  p, g, m, v = moments(n, p, g, m, v)
  most = math.max(most, v)
  return p - n[7] * m / (math.sqrt(most) * n[8] + n[9]), m, v, most
end)
row("nadam", {"exp_avg", "exp_avg_sq"}, adam_numbers, function(n, p, g, m, v)
  p, g, m, v = moments(n, p, g, m, v)
  local root = math.sqrt(v) * n[8] + n[9]
  return p - n[10] * g / root - n[7] * m / root, m, v
end)
row("radam", {"exp_avg", "exp_avg_sq"}, adam_numbers, function(n, p, g, m, v)
  p, g, m, v = moments(n, p, g, m, v)
  return p - n[7] * m / (math.sqrt(v) * n[8] + n[9]) - n[10] * m, m, v
end)
row("adamax", {"exp_avg", "exp_inf"}, {1, 0.1, 0.3, 0.2, 0.75, 0.01}, function(n, p, g, m, u)
  g = gradient(n, p, g)
  m, u = (1 - n[4]) * m + n[4] * g, math.max(n[5] * u, math.abs(g) + n[6])
  return p - n[3] * m / u, m, u
end)

local rms_numbers = {1, 0.1, 0.3, 0.75, 0.25, 0.125, 0.6}

local function root_of(n, v, mean) return math.sqrt(v - (mean or 0) ^ 2) + n[6] end

row("rmsprop", {"square_avg"}, rms_numbers, function(n, p, g, v)
  g = gradient(n, p, g)
  v = n[4] * v + n[5] * g * g
  return p - n[3] * g / root_of(n, v), v
end)
row("rmsprop_momentum", {"square_avg", "momentum_buffer"}, rms_numbers, function(n, p, g, v, b)
  g = gradient(n, p, g)
  v = n[4] * v + n[5] * g * g
  b = n[7] * b + g / root_of(n, v)
  return p - n[3] * b, v, b
end)
row("rmsprop_centered", {"square_avg", "grad_avg"}, rms_numbers, function(n, p, g, v, mean)
  g = gradient(n, p, g)
  v, mean = n[4] * v + n[5] * g * g, (1 - n[5]) * mean + n[5] * g
  return p - n[3] * g / root_of(n, v, mean), v, mean
end)
row("rmsprop_centered_momentum", {"square_avg", "grad_avg", "momentum_buffer"}, rms_numbers, function(n, p, g, v, mean, b)
  g = gradient(n, p, g)
  v, mean = n[4] * v + n[5] * g * g, (1 - n[5]) * mean + n[5] * g
  b = n[7] * b + g / root_of(n, v, mean)
  return p - n[3] * b, v, mean, b
end)
row("adagrad", {"sum"}, {1, 0.1, 0.3, 0.01}, function(n, p, g, s)
  g = gradient(n, p, g)
  s = s + g * g
  return p - n[3] * g / (math.sqrt(s) + n[4]), s
end)
row("adadelta", {"square_avg", "acc_delta"}, {1, 0.1, 0.3, 0.75, 0.25, 0.125}, function(n, p, g, v, u)
  g = gradient(n, p, g)
  v = n[4] * v + n[5] * g * g
  local d = math.sqrt(u + n[6]) / math.sqrt(v + n[6]) * g
  return p - n[3] * d, v, n[4] * u + n[5] * d * d
end)

-- Makes one update. Returns the problem, or nil.
local function update(name, p, state, ...)
  local batch = core.updates.new(nil, 1)
  core.updates.add(batch, 1, p, state, core.updates.rules[name], ...)
  return (core.updates.run(batch, 1, false))
end

-- ---- layouts of operands ----
-- The layout "each" uses these layouts by turns.

local layouts = {
  contiguous = function(x) return x:clone() end,
  transposed = function(x) return x.mT:clone().mT end,
  stepped = function(x)
    local wide = lt.zeros(x.shape[1], 2 * x.shape[2], {dtype = x.dtype})
    wide[{{}, {1, -1, 2}}] = x
    return wide[{{}, {1, -1, 2}}]
  end,
}
local turns = {"transposed", "contiguous", "stepped", "contiguous", "transposed"}

-- Returns random multiples of 1/16 from least / 16 to (most - 1) / 16, which half floats represent exactly. Parameters
-- are from -2 to 2, gradients and their averages from -0.5 to 0.5, other states from 1 to 2. So the centered variance
-- of rmsprop is not negative.
local function draw(shape, dtype, least, most) return (lt.randint(least, most, shape):to("float64") / 16):to(dtype) end

local tolerance = {float64 = 1e-14, float32 = 2e-6, float16 = 2e-3, bfloat16 = 2e-2}

local function flat(x)
  local list = {}
  for i, v in ipairs(x:to("float64"):reshape(-1):totable()) do list[i] = v end
  return list
end

local function same(want, got, dtype, what)
  for i, w in ipairs(want) do
    local off = math.abs(w - got[i])
    if not (off <= tolerance[dtype] * math.max(1, math.abs(w))) then                 -- luacheck: ignore 581
      error(("%s, element %d: %.17g, not %.17g"):format(what, i, got[i], w), 0)
    end
  end
end

local function check(name, dtype, shape, layout)
  local r = rows[name]
  local function placed(x, k) return (layouts[layout == "each" and turns[k] or layout])(x) end
  local p, g = placed(draw(shape, dtype, -32, 33), 1), placed(draw(shape, dtype, -8, 9), 2)
  local state, before = {}, {flat(p), flat(g)}
  for k, s in ipairs(r.states) do
    local is_mean = s == "grad_avg" or s == "exp_avg" or s == "momentum_buffer"
    state[s] = placed(draw(shape, dtype, is_mean and -8 or 16, is_mean and 8 or 33), 2 + k)
    before[2 + k] = flat(state[s])
  end
  p:requires_grad_()
  p.grad = g
  assert.is_nil(update(name, p, state, table.unpack(r.numbers)))
  local want = {{}, {}, {}, {}}
  for i = 1, #before[1] do
    local x = {}
    for k = 1, #before do x[k] = before[k][i] end
    local made = {r.step(r.numbers, table.unpack(x))}
    for k = 1, #made do want[k][i] = made[k] end
  end
  same(want[1], flat(p:detach()), dtype, "parameter")
  same(before[2], flat(g), dtype, "gradient")
  for k, s in ipairs(r.states) do same(want[1 + k], flat(state[s]), dtype, s) end
end

describe("updates of parameters", function()
  it("have an oracle each", function()
    for name in pairs(core.updates.rules) do assert.is_table(rows[name], name) end
  end)

  for name in pairs(on_cpu and rows or {adam = true, sgd_momentum = true}) do
    for _, dtype in ipairs(on_cpu and {"float64", "float32", "float16", "bfloat16"} or {"float32"}) do
      it(("%s in %s"):format(name, dtype), function()
        assert.is_truthy(info[dtype])
        for _, layout in ipairs {"contiguous", "transposed", "stepped", "each"} do check(name, dtype, {5, 7}, layout) end
        check(name, dtype, {33, 67}, "contiguous")
        check(name, dtype, {33, 67}, "each")
      end)
    end
  end

  it("of half floats on the device", function() check("adam", "bfloat16", {33, 67}, "contiguous") end)

  it("of tensors without dims, without elements, of one element", function()
    check("adam", "float32", {1, 1}, "contiguous")
    check("adam", "float32", {0, 3}, "contiguous")
    local p = lt.tensor(3, {dtype = "float32", requires_grad = true})
    p.grad = lt.tensor(2, {dtype = "float32"})
    assert.is_nil(update("sgd_momentum", p, {momentum_buffer = lt.zeros_like(p)}, 1, 0, 0.5, 0, 1))
    assert.equal(2, p:item())
  end)

  it("are those of one thread with two", function()
    local threads = lt.get_num_threads()
    local function run()
      local p = lt.arange(1, 100001, {dtype = "float32"}):requires_grad_()
      p.grad = lt.arange(1, 100001, {dtype = "float32"})
      update("sgd", p, {}, 1, 0.5, 0.25)
      return p:detach():to_bytes()
    end
    lt.set_num_threads(1)
    local one = run()
    lt.set_num_threads(2)
    local two = run()
    lt.set_num_threads(threads)
    assert.is_true(one == two)
  end)

  it("say in words what they cannot do", function()
    local p = lt.zeros(3, {dtype = "float32", requires_grad = true})
    local function sgd(...) return update("sgd", ...) end
    p.grad = lt.zeros(3, {dtype = "float32"})
    assert.equal("state", update("adam", p, {}, 1, 0, 1, 1, 1, 1, 1, 1, 1))
    local wide = lt.zeros(1, {dtype = "float32"}):broadcast_to(3):requires_grad_()
    wide.grad = lt.zeros(3, {dtype = "float32"})
    assert.matches("broadcast view", sgd(wide, {}, 1, 0, 0))
    p.grad:free()
    assert.matches("its gradient: .*freed", sgd(p, {}, 1, 0, 0))
    p:free()
    assert.matches("freed", sgd(p, {}, 1, 0, 0))
    assert.equal("tensor expected", sgd(3, {}, 1, 0, 0))
  end)

  it("raise the versions of what they change", function()
    local version = core.autograd.version
    local p = lt.zeros(3, {dtype = "float32", requires_grad = true})
    p.grad = lt.zeros(3, {dtype = "float32"})
    local state = {momentum_buffer = lt.zeros_like(p)}
    local before = version(p)
    update("sgd_momentum", p, state, 1, 0, 0, 0, 1)
    assert.equal(before + 1, version(p))
    assert.equal(1, version(state.momentum_buffer))
  end)
end)
