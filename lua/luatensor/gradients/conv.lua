--- Gradients of convolutions and pooling, for luatensor/autograd. Each gradient of a convolution is itself a
-- convolution.

local core = require "luatensor.core"

local rules = {}

-- Returns the lengths of the spatial dims of a shape [batch, channels, ...], as several results.
local function lengths(shape) return table.unpack(shape, 3) end

--- Returns the gradient of a convolution's bias: the sum of g, the gradient of the result, over all dims except dim
-- 2, the channels.
local function of_bias(g)
  return g:sum(g.ndim == 3 and {1, 3} or {1, 3, 4})
end

rules.conv = {
  {"yp", function(g, w, p) return core.conv_input(g, w, p.args[1], lengths(p.shape)) end},
  {"xp", function(g, x, p) return core.conv_weight(g, x, p.args[1], lengths(p.shapes[2])) end},
  {"", of_bias},
}
--- Gradients of core.conv_input(gy, w), which computes the gradient of x in y = conv(x, w) from gy, the gradient of
-- y.
rules.conv_input = {
  {"yp", function(g, w, p) return core.conv(g, w, nil, p.args[1]) end},
  {"xp", function(g, y, p) return core.conv_weight(y, g, p.args[1], lengths(p.shapes[2])) end},
}
--- Gradients of core.conv_weight(gy, x), which computes the gradient of w in y = conv(x, w) from gy, the gradient of
-- y.
rules.conv_weight = {
  {"yp", function(g, x, p) return core.conv(x, g, nil, p.args[1]) end},
  {"xp", function(g, y, p) return core.conv_input(y, g, p.args[1], lengths(p.shapes[2])) end},
}

rules.max_pool = {{"2p", function(g, position, p)
  return core.max_pool_back(g[1], position, p.args[1], lengths(p.shape))
end}}
--- Gradient of core.max_pool_back, which itself computes the gradient of max_pool. The rule takes the elements of g at
-- the positions of the maxima. The positions are integers and have no gradient.
rules.max_pool_back = {{"yp", function(g, position, p)
  local shape = p.shape
  local rows = {shape[1], shape[2], -1}
  return g:reshape(rows):take_along_axis(position:reshape(rows):to("int64"), 3):reshape(shape)
end}, {"", function() end}}

rules.average_pool = {{"p", function(g, p) return core.average_pool_back(g, p.args[1], lengths(p.shape)) end}}
rules.average_pool_back = {{"p", function(g, p) return core.average_pool(g, p.args[1]) end}}

return rules
