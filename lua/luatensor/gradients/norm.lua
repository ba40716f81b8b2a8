--- Gradients of normalisation. The functions of src/lua/nn/norm.c compute the gradients. If gradients are recorded,
-- ops that can be differentiated compute them instead.

local core = require "luatensor.core"

local ag = core.autograd
local rules = {}

local keep = {keepdim = true}

--- Returns x normalised over dims, and the reciprocal standard deviation. All gradients are computed from these two
-- tensors. If mean or rstd is nil, the function computes it over dims; RMS normalisation (rms is true) uses the mean 0.
local function normalised(x, dims, eps, rms, mean, rstd)
  if not mean and not rms then mean = x:mean(dims, keep) end
  local d = mean and x - mean or x
  rstd = rstd or ((d * d):mean(dims, keep) + eps):rsqrt()
  return d * rstd, rstd
end

--- Returns the gradient of x. xh is the normalised x, g the gradient of xh, and rstd the reciprocal standard
-- deviation. rms is true for RMS normalisation. given is true if mean and variance are constants.
local function of_input(g, xh, rstd, dims, rms, given)
  if given then return g * rstd end
  local along = (g * xh):mean(dims, keep)
  return (rms and g - xh * along or g - g:mean(dims, keep) - xh * along) * rstd
end

--- Returns the gradients of x, weight and bias of row normalisation. To normalise, x is reshaped to [rows, length of
-- a row]. For products with weight and bias, g is reshaped to [rows / groups, parameters, elements for each
-- parameter].
local function rows_composed(g, x, weight, p)
  local shape, params, groups = x.shape, p[2] * p.dim // 1 | 0, p.dim
  local run = params > 0 and x.size > 0 and x.size // (p.rows // groups * params) or 1
  local view, flat = {p.rows // groups, params, run}, {p.rows, x.size // p.rows}
  local xh, rstd = normalised(x:reshape(flat), 2, p[1], p.flag)
  local gv, gw = g:reshape(view), g
  if weight then gw = (gv * weight:reshape(1, params, 1)):reshape(shape) end
  return {of_input(gw:reshape(flat), xh, rstd, 2, p.flag):reshape(shape),
          p.needs[2] and (gv * xh:reshape(view)):sum {1, 3} or nil, p.needs[3] and gv:sum {1, 3} or nil}
end

local function channels_composed(g, x, weight, stats, p)
  local shape, channels = x.shape, x.shape[2]
  local view = {shape[1], channels, x.size // (shape[1] * channels)}
  local mean, rstd
  if p.flag then
    stats = stats:detach():reshape(2, 1, channels, 1)
    mean, rstd = stats[1], stats[2]
  end
  local xh, by = normalised(x:reshape(view), {1, 3}, p[1], false, mean, rstd)
  local gv = g:reshape(view)
  local gw = weight and gv * weight:reshape(1, channels, 1) or gv
  return {of_input(gw, xh, by, {1, 3}, false, p.flag):reshape(shape),
          p.needs[2] and (gv * xh):sum {1, 3} or nil, p.needs[3] and gv:sum {1, 3} or nil}
end

--- Gives the gradients of weight and bias the shapes of these arguments.
local function shaped(list, p)
  for k = 2, 3 do
    if list[k] and #p.shapes[k] ~= 1 then list[k] = list[k]:reshape(p.shapes[k]) end
  end
  return list
end

--- Frees up to three tensors that a rule made, because otherwise their memory stays in use until the next garbage
-- collection.
local function drop(...)
  for i = 1, 3 do
    local x = select(i, ...)
    if x then x:free() end
  end
end

local function rule(channels)
  return {all = {"xy2p", function(g, x, weight, stats, p)
    g = g[1]
    p.dim = p.dim or 1
    if ag.mode() and x.size > 0 then
      p.rows = p.flag and stats.size or stats.size // 2
      return shaped(channels and channels_composed(g, x, weight, stats, p) or rows_composed(g, x, weight, p), p)
    end
    local needs = p.needs
    local dx, dw, db = core.norm_back(g, x, weight, stats, channels, p.flag, p[2] // 1 | 0, p.dim, needs[1], needs[2],
                                      needs[3])
    if not ag.mode() then drop(x, weight, stats) end
    return shaped({dx, dw, db}, p)
  end}}
end

rules.norm_rows = rule(false)
rules.norm_channels = rule(true)

return rules
