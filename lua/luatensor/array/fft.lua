--- Helpers of Fourier transforms: the frequencies and shifts of lt.fft. The transforms are in src/lua/array/fft.c.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lt = require "luatensor.base.public"

local freq_options = {d = true, dtype = true, device = true}
local shift_options = {dim = true}

--- Checks the arguments of `fftfreq` or `rfftfreq`; `fn` is the function's name. Returns the number n of samples, the
-- distance d between two samples, the result's dtype, and the device (nil if it is not given).
local function read_freq(fn, n, ...)
  local given, options = args.split(fn, freq_options, ...)
  args.at_most(fn, 1, given)
  local d = given[1]
  if d ~= nil and options.d ~= nil then args.fail(fn, "d is given twice") end
  if d == nil then d = options.d end
  if d == nil then d = 1.0 end
  if type(d) ~= "number" then args.fail(fn, "d: number expected, got %s", core.type_name(d)) end
  if d == 0 or d ~= d then args.fail(fn, "d: a distance other than 0 expected, got %s", d) end
  local dtype = options.dtype or lt.get_default_dtype()
  if not lt.isdtype(dtype, "real floating") then args.fail(fn, "not for %s; a real float dtype expected", dtype) end
  return args.integer(fn, "n", n, 1), d, dtype, options.device
end

--- Returns the frequencies k / (n * d) as a tensor of `dtype`. The tensors in the list `parts` contain the integers k
-- in float64, in the result's order. n is the number of samples, d the distance between two samples.
local function frequencies(n, d, dtype, parts)
  return lt.concat(parts):divide(n * d):to(dtype)
end

--- Returns the frequencies of the n results of lt.fft.fft: [0, 1, …, (n - 1) // 2, -(n // 2), …, -1] / (n d).
-- @int n number of samples, 1 or more
-- @number[opt=1] d distance between two samples
-- @tab[opt] options `d`, `dtype` (a real float, the default float unless given), `device`
-- @treturn Tensor shape [n], cycles per unit of d
function lt.fft.fftfreq(n, ...)
  local count, d, dtype, device = read_freq("fftfreq", n, ...)
  local wide = {dtype = "float64", device = device}
  return frequencies(count, d, dtype, {lt.arange(0, (count + 1) // 2, 1, wide), lt.arange(-(count // 2), 0, 1, wide)})
end

--- Returns the frequencies of the n // 2 + 1 results of lt.fft.rfft: [0, 1, …, n // 2] / (n d).
-- @int n number of samples, 1 or more
-- @number[opt=1] d distance between two samples
-- @tab[opt] options `d`, `dtype` (a real float, the default float unless given), `device`
-- @treturn Tensor shape [n // 2 + 1], cycles per unit of d
function lt.fft.rfftfreq(n, ...)
  local count, d, dtype, device = read_freq("rfftfreq", n, ...)
  return frequencies(count, d, dtype, {lt.arange(0, count // 2 + 1, 1, {dtype = "float64", device = device})})
end

--- Rolls x by shift_of(n) elements along each of the given dims, where n is the dim's length. `dim` is nil (all
-- dims), a number, a list, or a table with option `dim`.
local function shifted(fn, x, dim, shift_of)
  args.tensor(fn, 1, x)
  if args.is_options(dim) then dim = args.options(fn, dim, shift_options).dim end
  if dim ~= nil and type(dim) ~= "number" and type(dim) ~= "table" then
    args.fail(fn, "dim: number or list expected, got %s", core.type_name(dim))
  end
  local dims, shifts, seen = {}, {}, {}
  if type(dim) == "number" then dim = {dim} end
  for i = 1, dim and #dim or x.ndim do
    local d = args.dim(fn, dim and dim[i] or i, x.ndim)
    if seen[d] then args.fail(fn, "dim %d is named twice", d) end
    dims[i], shifts[i], seen[d] = d, shift_of(x.shape[d]), true
  end
  return x:roll(shifts, dims)
end

--- Moves the frequency 0 from the front to the middle by rolling each dim by length // 2.
-- @tparam Tensor x any dtype and shape
-- @tparam[opt] int|{int,...} dim also option `dim`; by default all dims
-- @treturn Tensor
function lt.fft.fftshift(x, dim)
  return shifted("fftshift", x, dim, function(n) return n // 2 end)
end

--- Undoes fftshift by rolling each dim by -(length // 2).
-- @tparam Tensor x any dtype and shape
-- @tparam[opt] int|{int,...} dim also option `dim`; by default all dims
-- @treturn Tensor
function lt.fft.ifftshift(x, dim)
  return shifted("ifftshift", x, dim, function(n) return -(n // 2) end)
end
