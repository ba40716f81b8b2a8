--- Dropout as functions of lt.nn.functional: random elements, or whole channels, become 0.

local args = require "luatensor.base.args"
local lt = require "luatensor"
local core = require "luatensor.core"
local blame = require "luatensor.base.blame"
local pointwise = require "luatensor.nn.functional.pointwise"

local ag = core.autograd
local where = core.where
local functional = {}

-- ---- scaling of kept elements, replacement of dropped elements ----

local by_dtype = {}

local function compile(dtype)
  local wide = dtype == "float64" and "float64" or "float32"
  return {
    lt.elementwise(("bool m, %s x, %s a, %s b, %s c"):format(dtype, wide, wide, wide), "m ? x * a + b : c", dtype),
    lt.elementwise(("bool m, %s g, %s a"):format(dtype, wide), "m ? g * a : 0", dtype),
  }
end

local function compiled(dtype)
  by_dtype[dtype] = by_dtype[dtype] or compile(dtype)
  return by_dtype[dtype]
end

local rule = ag.new_rule {name = "dropout", {"yz", function(g, mask, scale)
  if ag.mode() then return where(mask, g * scale, 0) end
  return compiled(g.dtype)[2](mask, g, scale)
end}, false}

--- Returns x * scale + shift where the mask is true, and `other` elsewhere. The backward pass needs only the mask and
-- the scale. The function frees the tensor `mask`. If gradients are recorded, the graph keeps the memory of the mask.
local function keep(x, mask, scale, shift, other)
  local y = compiled(x.dtype)[1](mask, x:detach(), scale, shift, other)
  if x.requires_grad and ag.mode() then ag.new_node("dropout", rule, {x, mask, scale}, {y}) end
  mask:free()
  return y
end

local known = {p = true, training = "boolean", generator = "generator"}

--- Returns p and the options. p is nil if x must stay unchanged, because option training is false or p is 0.
local function checked(name, x, options)
  pointwise.check(name, x)
  options = args.options(name, options, known)
  local p = options.p == nil and 0.5 or options.p
  if type(p) ~= "number" or not (p >= 0 and p <= 1) then
    blame.fail(name, "p: a number from 0 to 1 expected, got %s", p)
  end
  if options.training == false or p == 0 then return nil, options end
  return p, options
end

local function drawn(shape, p, x, options)
  local u = lt.rand(shape, {device = x.device, dtype = "float32", generator = options.generator})
  local mask = u:greater_equal(p)
  u:free()
  return mask
end

local function scale_of(p) return p < 1 and 1 / (1 - p) or 0 end

--- Sets each element to 0 with probability p, and divides the other elements by 1 - p (Srivastava et al.).
-- @function nn.functional.dropout
-- @tparam tensor x
-- @tparam[opt] table options `p` (0.5), `training` (true; else x itself is returned), `generator`
-- @treturn tensor
function functional.dropout(x, options)
  local p
  p, options = checked("dropout", x, options)
  if not p then return x end
  return keep(x, drawn(x.shape, p, x, options), scale_of(p), 0, 0)
end

local ALPHA = -1.7580993408473766      -- selu's limit as x approaches minus infinity

--- Dropout that preserves the mean and the variance of selu's results. Dropped elements become -1.758…, then all
-- elements are scaled and shifted (Klambauer et al.).
-- @function nn.functional.alpha_dropout
-- @tparam tensor x
-- @tparam[opt] table options `p` (0.5), `training` (true; else x itself is returned), `generator`
-- @treturn tensor
function functional.alpha_dropout(x, options)
  local p
  p, options = checked("alpha_dropout", x, options)
  if not p then return x end
  local a = p < 1 and 1 / math.sqrt((1 - p) * (1 + p * ALPHA * ALPHA)) or 0
  local shift = -a * p * ALPHA
  return keep(x, drawn(x.shape, p, x, options), a, shift, a * ALPHA + shift)
end

for dims = 1, 3 do
  local name = ("dropout%dd"):format(dims)
  functional[name] = function(x, options)
    local p
    p, options = checked(name, x, options)
    if x.ndim ~= dims + 1 and x.ndim ~= dims + 2 then
      blame.fail(name, "%d or %d dims expected, the shape is %s", dims + 1, dims + 2, args.shape_text(x.shape))
    end
    if not p then return x end
    local shape = {}
    for d = 1, x.ndim do shape[d] = d <= x.ndim - dims and x.shape[d] or 1 end
    return keep(x, drawn(shape, p, x, options), scale_of(p), 0, 0)
  end
end

--- Sets whole channels of signals to 0 with probability p, and divides the other channels by 1 - p (Tompson et al.).
-- @function nn.functional.dropout1d
-- @tparam tensor x [rows, channels, length] or [channels, length]
-- @tparam[opt] table options `p` (0.5), `training` (true; else x itself is returned), `generator`
-- @treturn tensor

--- Sets whole channels of images to 0 with probability p, and divides the other channels by 1 - p.
-- @function nn.functional.dropout2d
-- @tparam tensor x [rows, channels, height, width] or [channels, height, width]
-- @tparam[opt] table options `p` (0.5), `training` (true; else x itself is returned), `generator`
-- @treturn tensor

--- Sets whole channels of volumes to 0 with probability p, and divides the other channels by 1 - p.
-- @function nn.functional.dropout3d
-- @tparam tensor x [rows, channels, depth, height, width] or [channels, depth, height, width]
-- @tparam[opt] table options `p` (0.5), `training` (true; else x itself is returned), `generator`
-- @treturn tensor

return functional
