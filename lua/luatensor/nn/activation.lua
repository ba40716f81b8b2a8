--- Activations as layers. functional/activation.lua has their functions, with formulas.

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

--- max(x, 0).
-- @function nn.ReLU
-- @treturn Module

--- min(max(x, 0), 6).
-- @function nn.ReLU6
-- @treturn Module

--- The function functional.selu as a layer.
-- @function nn.SELU
-- @treturn Module

--- x · sigmoid(x).
-- @function nn.SiLU
-- @treturn Module

--- x · tanh(softplus(x)).
-- @function nn.Mish
-- @treturn Module

--- 1 / (1 + exp(-x)).
-- @function nn.Sigmoid
-- @treturn Module

--- The hyperbolic tangent.
-- @function nn.Tanh
-- @treturn Module

--- relu6(x + 3) / 6.
-- @function nn.Hardsigmoid
-- @treturn Module

--- x · hardsigmoid(x).
-- @function nn.Hardswish
-- @treturn Module

--- x / (1 + |x|).
-- @function nn.Softsign
-- @treturn Module

--- log(sigmoid(x)).
-- @function nn.LogSigmoid
-- @treturn Module
local plain = {ReLU = "relu", ReLU6 = "relu6", SELU = "selu", SiLU = "silu", Mish = "mish", Sigmoid = "sigmoid",
               Tanh = "tanh", Hardsigmoid = "hardsigmoid", Hardswish = "hardswish", Softsign = "softsign",
               LogSigmoid = "logsigmoid"}

-- The parentheses prevent a tail call, so that method `forward` stays on the stack, where errors find the layer
-- (blame.lua).
for name, fn in pairs(plain) do
  local class, f = Module:extend(name), functional[fn]
  function class:init() end                                             -- luacheck: ignore 212
  function class.forward(_, x) return (f(x)) end
  classes[name] = class
end

-- ---- with options that are numbers ----

--- x, or slope · x if x < 0.
-- @function nn.LeakyReLU
-- @tparam[opt] table options `negative_slope` (0.01)
-- @treturn Module

--- x between two limits.
-- @function nn.Hardtanh
-- @tparam[opt] table options `min_val` (-1), `max_val` (1)
-- @treturn Module

--- x, or alpha (exp(x) - 1) if x < 0.
-- @function nn.ELU
-- @tparam[opt] table options `alpha` (1)
-- @treturn Module

--- x, or alpha (exp(x / alpha) - 1) if x < 0.
-- @function nn.CELU
-- @tparam[opt] table options `alpha` (1)
-- @treturn Module

--- log(1 + exp(beta x)) / beta.
-- @function nn.Softplus
-- @tparam[opt] table options `beta` (1), `threshold` (20)
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

--- exp(x) / Σ exp(x) along a dim.
-- @function nn.Softmax
-- @tparam[opt=-1] int|table dim also option `dim`
-- @treturn Module

--- log(softmax(x)).
-- @function nn.LogSoftmax
-- @tparam[opt=-1] int|table dim also option `dim`
-- @treturn Module

--- softmax(-x).
-- @function nn.Softmin
-- @tparam[opt=-1] int|table dim also option `dim`
-- @treturn Module

--- a · sigmoid(b), where a and b are the two halves of x along a dim.
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

-- ---- others ----

--- x Φ(x), where Φ is the cumulative normal distribution.
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

--- x if x is above a limit, else a value.
-- @function nn.Threshold
-- @number limit
-- @number value
-- @treturn Module
local Threshold = Module:extend "Threshold"

function Threshold:init(limit, value)
  self.limit = layer.number("Threshold", "limit", limit)
  self.value = layer.number("Threshold", "value", value)
end

function Threshold:forward(x) return (functional.threshold(x, self.limit, self.value)) end
function Threshold:extra() return clocale.format("%.14g, %.14g", self.limit, self.value) end

--- x, or weight · x if x < 0, with learned weights. Weight [count], initialised to `init`.
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
