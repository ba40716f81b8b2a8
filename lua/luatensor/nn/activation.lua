--- Activations as layers of lt.nn. The functions, with formulas, are in functional/activation.lua.

local clocale = require "luatensor.base.clocale"
local args = require "luatensor.base.args"
local lt = require "luatensor"
local blame = require "luatensor.base.blame"
local functional = require "luatensor.nn.functional"
local layer = require "luatensor.nn.layer"
local Module = require "luatensor.nn.module"
local pointwise = require "luatensor.nn.functional.pointwise"

local classes = {}

-- ---- without options ----

--- A layer that computes max(x, 0) for each element x.
-- @function nn.ReLU
-- @treturn Module

--- A layer that computes min(max(x, 0), 6) for each element x.
-- @function nn.ReLU6
-- @treturn Module

--- A layer that computes functional.selu(x).
-- @function nn.SELU
-- @treturn Module

--- A layer that computes x · sigmoid(x) for each element x.
-- @function nn.SiLU
-- @treturn Module

--- A layer that computes x · tanh(softplus(x)) for each element x.
-- @function nn.Mish
-- @treturn Module

--- A layer that computes 1 / (1 + exp(-x)) for each element x.
-- @function nn.Sigmoid
-- @treturn Module

--- A layer that computes the hyperbolic tangent of each element.
-- @function nn.Tanh
-- @treturn Module

--- A layer that computes relu6(x + 3) / 6 for each element x.
-- @function nn.Hardsigmoid
-- @treturn Module

--- A layer that computes x · hardsigmoid(x) for each element x.
-- @function nn.Hardswish
-- @treturn Module

--- A layer that computes x / (1 + |x|) for each element x.
-- @function nn.Softsign
-- @treturn Module

--- A layer that computes log(sigmoid(x)) for each element x.
-- @function nn.LogSigmoid
-- @treturn Module
local plain = {ReLU = "relu", ReLU6 = "relu6", SELU = "selu", SiLU = "silu", Mish = "mish", Sigmoid = "sigmoid",
               Tanh = "tanh", Hardsigmoid = "hardsigmoid", Hardswish = "hardswish", Softsign = "softsign",
               LogSigmoid = "logsigmoid"}

-- The parentheses around f(x) prevent a tail call, so that method `forward` stays on the stack, where blame.lua finds
-- the layer for messages.
for name, fn in pairs(plain) do
  local class, f = Module:extend(name), functional[fn]
  function class:init() end                                             -- luacheck: ignore 212
  function class.forward(_, x) return (f(x)) end
  classes[name] = class
end

-- ---- with options that are numbers ----

--- A layer that computes x for elements of at least 0, and negative_slope · x for negative elements.
-- @function nn.LeakyReLU
-- @tparam[opt] table options `negative_slope` (0.01)
-- @treturn Module

--- A layer that limits each element to at least min_val and at most max_val.
-- @function nn.Hardtanh
-- @tparam[opt] table options `min_val` (-1), `max_val` (1)
-- @treturn Module

--- A layer that computes x for elements of at least 0, and alpha (exp(x) - 1) for negative elements.
-- @function nn.ELU
-- @tparam[opt] table options `alpha` (1)
-- @treturn Module

--- A layer that computes x for elements of at least 0, and alpha (exp(x / alpha) - 1) for negative elements.
-- @function nn.CELU
-- @tparam[opt] table options `alpha` (1)
-- @treturn Module

--- A layer that computes log(1 + exp(beta x)) / beta for each element x.
-- @function nn.Softplus
-- @tparam[opt] table options `beta` (1), `threshold` (20): the result is x if beta x is greater than this number
-- @treturn Module
local with_numbers = {LeakyReLU = "leaky_relu", Hardtanh = "hardtanh", ELU = "elu", CELU = "celu",
                      Softplus = "softplus"}

for name, fn in pairs(with_numbers) do
  local class, entry = Module:extend(name), pointwise.with_options[fn]
  local keys, f = entry.keys, entry.f
  local known = {}
  for _, key in ipairs(keys) do known[key[1]] = true end
  local first, second = keys[1][1], keys[2] and keys[2][1]

  function class:init(options)
    options = args.options(name, options, known)
    for _, key in ipairs(keys) do self[key[1]] = layer.number(name, key[1], options[key[1]], key[2]) end
    entry.check(name, self[first], self[second])
  end

  function class:forward(x) return (f(x, self[first], second and self[second])) end

  function class:extra()
    local words = {}
    for i, key in ipairs(keys) do words[i] = clocale.format("%s = %.14g", key[1], self[key[1]]) end
    return table.concat(words, ", ")
  end

  classes[name] = class
end

-- ---- along a dim ----

--- A layer that computes softmax, exp(x) / Σ exp(x), along a dim.
-- @function nn.Softmax
-- @tparam[opt=-1] int|table dim also option `dim`
-- @treturn Module

--- A layer that computes log(softmax(x)) along a dim.
-- @function nn.LogSoftmax
-- @tparam[opt=-1] int|table dim also option `dim`
-- @treturn Module

--- A layer that computes softmax(-x) along a dim.
-- @function nn.Softmin
-- @tparam[opt=-1] int|table dim also option `dim`
-- @treturn Module

--- A layer that computes a · sigmoid(b), where a and b are the two halves of x along a dim.
-- @function nn.GLU
-- @tparam[opt=-1] int|table dim also option `dim`
-- @treturn Module
local along_dim = {Softmax = "softmax", LogSoftmax = "log_softmax", Softmin = "softmin", GLU = "glu"}

for name, fn in pairs(along_dim) do
  local class, f = Module:extend(name), functional[fn]

  function class:init(dim)
    if type(dim) == "table" then dim = args.options(name, dim, {dim = true}).dim end
    if dim == nil then dim = -1 end
    self.dim = args.integer(name, "dim", dim)
  end

  function class:forward(x) return (f(x, self.dim)) end

  function class:extra() return ("dim = %d"):format(self.dim or -1) end

  classes[name] = class
end

-- ---- other activations ----

--- A layer that computes x Φ(x) for each element x, where Φ is the cumulative normal distribution.
-- @function nn.GELU
-- @tparam[opt] table options `approximate` ("none", "tanh")
-- @treturn Module
local GELU = Module:extend "GELU"

function GELU:init(options)
  options = args.options("GELU", options, {approximate = true})
  self.approximate = options.approximate or "none"
  if self.approximate ~= "none" and self.approximate ~= "tanh" then
    blame.fail("GELU", "approximate: \"none\" or \"tanh\" expected, got %q", tostring(self.approximate))
  end
  self.options = self.approximate == "tanh" and {approximate = "tanh"} or nil
end

function GELU:forward(x) return (functional.gelu(x, self.options)) end
function GELU:extra() return self.approximate == "tanh" and "tanh" or "" end

--- A layer that keeps elements above a limit, and replaces all other elements by a value.
-- @function nn.Threshold
-- @number limit elements above this number are kept
-- @number value the result for all other elements
-- @treturn Module
local Threshold = Module:extend "Threshold"

function Threshold:init(limit, value)
  self.limit = layer.number("Threshold", "limit", limit)
  self.value = layer.number("Threshold", "value", value)
end

function Threshold:forward(x) return (functional.threshold(x, self.limit, self.value)) end
function Threshold:extra() return clocale.format("%.14g, %.14g", self.limit, self.value) end

--- A layer that computes x for elements of at least 0, and weight · x for negative elements, with learned weights.
-- Weight [num_parameters] is initialised to `init`.
-- @function nn.PReLU
-- @tparam[opt] table options `num_parameters` (1: one weight for all channels; else one for each channel, dim 2),
--   `init` (0.25), `dtype`, `device`
-- @treturn Module
local PReLU = Module:extend "PReLU"

function PReLU:init(options)
  options = layer.made_options("PReLU", options, {num_parameters = true, init = true})
  local count = options.num_parameters or 1
  self.count = layer.count("PReLU", "num_parameters", count)
  local made = layer.made(options)
  self.weight = lt.full({self.count}, layer.number("PReLU", "init", options.init, 0.25), made):requires_grad_()
end

function PReLU:forward(x) return (functional.prelu(x, self.weight)) end
function PReLU:extra() return ("%d"):format(self.count) end

classes.GELU, classes.Threshold, classes.PReLU = GELU, Threshold, PReLU

return classes
