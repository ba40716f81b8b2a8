-- tags: process
-- Fourier transforms on a device of a plugin of PJRT, which LUATENSOR_PJRT_XLA names. The results of the CPU are the oracle.

local beside = require "spec.pjrt.beside"
local lt = require "luatensor"

if not beside.plugin "transforms on a device of PJRT" then return end

-- Returns a random tensor.
local function draw(dtype, shape)
  if dtype:find "^complex" then return lt.complex(lt.randn(shape, {dtype = "float64"}), lt.randn(shape, {dtype = "float64"})):to(dtype) end
  return lt.randn(shape, {dtype = "float64"}):to(dtype)
end

-- Transforms by n elements and in float32 or float64 have errors of a few roundings of the largest result.
local function agrees(got, want)
  if want:numel() == 0 then return true end
  local single = want.dtype == "float32" or want.dtype == "complex64"
  return (got - want):abs():max():item() <= (single and 1e-5 or 1e-13) * want:abs():max():item()
end

local function compare(what, x, f)
  beside.queue(what, f(x), f(x:to "xla"))
end

local INPUT <const> = {fft = "complex64", ifft = "complex128", rfft = "float32", irfft = "complex64", hfft = "complex128", ihfft = "float64",
  fft2 = "complex128", ifft2 = "complex64", rfft2 = "float64", irfft2 = "complex128", fftn = "complex64", ifftn = "complex128",
  rfftn = "float32", irfftn = "complex64"}

describe("transforms on a device of PJRT", function()
  before_each(function() lt.manual_seed(7) end)

  for name, dtype in pairs(INPUT) do
    it("are the CPU's: " .. name, function()
      local transform, single = lt.fft[name], not name:find "[2n]$"
      for _, norm in ipairs {"backward", "ortho", "forward"} do
        compare(norm, draw(dtype, {3, 6, 5}), function(x) return transform(x, {norm = norm}) end)
      end
      for _, n in ipairs {1, 2, 4, 9, 13} do                   -- shorter and longer than the input
        compare("n = " .. n, draw(dtype, {2, 9, 4}), function(x)
          if single then return transform(x, {n = n, dim = 2}) end
          return transform(x, {s = {n, 3}, dim = {2, 3}})
        end)
      end
      compare("a transposed input", draw(dtype, {5, 4, 6}), function(x) return transform(x:permute(3, 1, 2)) end)
      compare("a sliced input", draw(dtype, {5, 8, 6}), function(x) return transform(x[{{}, {2, 8, 3}}]) end)
      compare("a repeated input", draw(dtype, {4, 1, 6}), function(x) return transform(x:expand(4, 3, 6)) end)
      compare("no lines", draw(dtype, {0, 3, 6}), function(x) return single and transform(x) or x end)
      beside.check(agrees, "fft")
    end)
  end
  it("transform four dims, in any order", function()
    for _, name in ipairs {"fftn", "rfftn", "irfftn"} do
      compare(name, draw(INPUT[name], {3, 4, 2, 5}), lt.fft[name])
      compare(name .. " of dims 4, 1, 3", draw(INPUT[name], {3, 4, 2, 5}), function(x) return lt.fft[name](x, {dim = {4, 1, 3}}) end)
    end
    beside.check(agrees, "fft")
  end)
  it("convert other dtypes, and have gradients", function()
    for _, dtype in ipairs {"int32", "uint8"} do
      compare(dtype, draw("float32", {4, 7}):to(dtype), function(x) return lt.fft.rfft(x) end)
    end
    compare("a gradient", draw("float32", {4, 7}), function(x)
      local leaf = x:clone():requires_grad_()
      lt.fft.rfft(leaf):abs():square():sum():backward()
      return leaf.grad
    end)
    beside.check(agrees, "fft")
  end)
end)
