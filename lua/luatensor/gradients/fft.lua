--- Gradients of Fourier transforms. A transform multiplies by a matrix F, so its gradient multiplies g by the
-- conjugate transpose of F, which is the transform in the opposite direction with the opposite norm. Elements of x
-- that the transform cut off get gradient 0, and the gradient of its padding is dropped.

local core = require "luatensor.core"
local help = require "luatensor.gradients.help"

local rules = {}

local norms = {"backward", "ortho", "forward"}                  -- norms[i + 1] has the number i in op_params
local function norm_of(p) return norms[p[1] + 1] end
local function other_norm(p) return norms[3 - p[1]] end

--- Returns the list of dims that a call transformed: the dims that the script gave. If the script gave none, these
-- are the last `count` dims, or all dims if count is nil.
local function dims_of(p, count)
  local ndim, dims = #p.shape, {}
  local given = p.args[2]
  if given == nil then
    for d = ndim - (count or ndim) + 1, ndim do dims[#dims + 1] = d end
    return dims
  end
  for i, d in ipairs(type(given) == "table" and given or {given}) do dims[i] = d < 0 and ndim + 1 + d or d end
  return dims
end

--- Returns x with the lengths of a shape: longer dims are cut off, shorter dims are padded with zeros at the end.
local function fit(x, shape)
  local key, longer = {}, false
  for d, n in ipairs(shape) do
    if x.shape[d] > n then x = x:narrow(d, 1, n) end
    longer = longer or x.shape[d] < n
    key[d] = {1, x.shape[d]}
  end
  return longer and help.embed_key(x, shape, key) or x
end

--- For a transform such as rfft, whose result is only the first half of the last dim in `dims`: appends zeros to g,
-- the gradient of the result, in place of the other half.
local function with_rest(g, p, dims)
  local d = dims[#dims]
  local lengths = p.args[1]
  local n = type(lengths) == "table" and lengths[#dims] or lengths
  local shape = {table.unpack(g.shape)}
  shape[d] = math.type(n) and n > 0 and n // 1 or p.shape[d]
  return fit(g, shape)
end

--- For a transform such as irfft, which reads only the first half of n elements in dim d: doubles the elements of x
-- that also represent their conjugates in the other half.
local function count_twice(x, d, n)
  local inner = (n - 1) // 2
  if inner == 0 then return x end
  local shape, last = {}, x.shape[d] - 1 - inner
  for k = 1, x.ndim do shape[k] = k == d and x.shape[d] or 1 end
  local options = {dtype = core.real(x).dtype, device = x.device}
  local weights = {core.ones({1}, options), core.full({inner}, 2, options), core.ones({last}, options)}
  return x * core.concat(weights):reshape(shape)
end

--- The key is the suffix of a function's name, as in fft, fft2 and fftn. The value is the number of trailing dims that
-- a call without dims transforms; false means all dims.
local counts = {[""] = 1, ["2"] = 2, n = false}

for suffix, count in pairs(counts) do
  local function add(name, gradient)
    rules[name .. suffix] = {{"p", function(g, p)
      local dims = dims_of(p, count or nil)
      return fit(gradient(g, p, dims), p.shape)
    end}}
  end
  add("fft", function(g, p, dims) return core.fft.ifftn(g, nil, dims, {norm = other_norm(p)}) end)
  add("ifft", function(g, p, dims) return core.fft.fftn(g, nil, dims, {norm = other_norm(p)}) end)
  add("rfft", function(g, p, dims)
    return core.fft.ifftn(with_rest(g, p, dims), nil, dims, {norm = other_norm(p)}):real()
  end)
  add("irfft", function(g, p, dims)
    local d = dims[#dims]
    return count_twice(core.fft.rfftn(g, nil, dims, {norm = other_norm(p)}), d, g.shape[d])
  end)
  if suffix == "" then
    add("hfft", function(g, p, dims)
      local d = dims[1]
      return count_twice(core.fft.rfft(g, nil, d, {norm = norm_of(p)}):conj(), d, g.shape[d])
    end)
    add("ihfft", function(g, p, dims)
      return core.fft.fft(with_rest(g, p, dims), nil, dims[1], {norm = other_norm(p)}):real()
    end)
  end
end

return rules
