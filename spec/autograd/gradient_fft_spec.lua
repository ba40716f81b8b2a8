-- tags: uncollected many-kernels
-- Compares gradients of Fourier transforms with central differences.
local lt = require "luatensor"
local gradient = require "spec.support.gradient"
local helpers = require "spec.support.helpers"

local it = helpers.drawn_it(it)

local make = gradient.tensor

local function check(name, arguments, inputs)
  local function fn(x) return lt.fft[name](x, table.unpack(arguments)) end
  it(name, function()
    gradient.check(name, fn, inputs)
    gradient.check(name, fn, inputs, {layout = gradient.layouts.transposed})
  end)
  it(name .. ", twice", function()
    gradient.check(name, gradient.of(function(x) return fn(x) * fn(x) end), inputs, {tolerance = 1e-5})
  end)
end

local complex, real = make({3, 4}, -2, 2, 1, true), make({3, 4}, -2, 2, 1)
local odd = make({2, 5}, -2, 2, 1, true)
local names = {fft = {complex, real}, ifft = {complex, real}, rfft = {real}, irfft = {complex, odd}, hfft = {complex, odd},
               ihfft = {real}}

describe("the gradient of", function()
  for name, inputs in pairs(names) do
    for _, x in ipairs(inputs) do
      for _, norm in ipairs {"backward", "ortho", "forward"} do
        describe(("%s of %s %s, %s"):format(x.dtype, x.shape[1], x.shape[2], norm), function()
          check(name, {{norm = norm}}, {x})
          check(name, {{norm = norm, dim = 1}}, {x})
        end)
      end
      for _, n in ipairs {1, 2, 3, 5, 6, 9} do
        describe("length " .. n, function() check(name, {n, -1, {norm = "ortho"}}, {x}) end)
      end
    end
  end

  local deep = {fft = make({2, 3, 4}, -2, 2, 1, true), rfft = make({2, 3, 4})}
  deep.ifft, deep.irfft = deep.fft, deep.fft
  for name, x in pairs(deep) do
    check(name .. "2", {}, {x})
    check(name .. "2", {{4, 3}, {3, 1}, {norm = "ortho"}}, {x})
    check(name .. "n", {}, {x})
    check(name .. "n", {{-1, 5}, {-1, 2}, {norm = "forward"}}, {x})
    check(name .. "n", {{3, 2, 5}, {1, 2, 3}}, {x})
    check(name .. "n", {{norm = "forward", dim = 2}}, {x})
  end
  describe("shifts:", function()
    check("fftshift", {}, {complex})
    check("ifftshift", {1}, {complex})
  end)
end)
