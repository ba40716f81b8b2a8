-- tags: kernels host
-- Element-wise functions and conversions have the same bits on all processors that have FMA: x86 with AVX2 or AVX-512,
-- and ARM64. spec/data/bits.txt has their checksums.

local bits = require "spec.support.bits"
local lt = require "luatensor"

local ACCEPT = "%s: %s: where that is meant: tools/lua spec/support/bits.lua > spec/data/bits.txt, on x86 with AVX2"

local expected, now = bits.expected(), bits.all()

local function fail_for(problem, names)
  table.sort(names)
  assert(#names == 0, ACCEPT:format(problem, table.concat(names, ", ")))
end

describe("the bits of every element-wise function and conversion", function()
  it("are those of every other processor", function()
    -- The kernels "baseline" run on x86 without FMA, and on ARM64, which has FMA. The checksum of exp tells the two apart.
    local plain = lt.devices()[1].isa == "baseline" and now["exp float32"] == expected["exp float32"].plain
    local others = {}
    for name, sum in pairs(now) do
      local want = expected[name]
      if want and sum ~= (plain and want.plain or want.fused) then others[#others + 1] = name end
    end
    fail_for("other bits", others)
  end)

  it("are all written down", function()
    local gone, new = {}, {}
    for name in pairs(expected) do if not now[name] then gone[#gone + 1] = name end end
    for name in pairs(now) do if not expected[name] then new[#new + 1] = name end end
    fail_for("gone", gone)
    fail_for("new", new)
  end)
end)

describe("a product of complex numbers", function()
  -- Compilers may fuse a product and a sum in full vectors only, and not in the elements that remain after the last
  -- vector.
  it("is the same at every position, and real for a number and its conjugate", function()
    for _, dtype in ipairs {"complex64", "complex128"} do
      local x, y = bits.input(dtype, 4)[{{1, 1027}}], bits.input(dtype, 5)[{{1, 1027}}]
      local whole = {multiply = x * y, divide = x / y, lerp = lt.lerp(x, y, y)}
      for i = 1, 1027, 13 do
        local a, b = x[{{i, i}}]:clone(), y[{{i, i}}]:clone()
        local one = {multiply = a * b, divide = a / b, lerp = lt.lerp(a, b, b)}
        for name, z in pairs(one) do
          local same = lt.isclose(z, whole[name][{{i, i}}], 0, 0, {equal_nan = true})
          assert.is_true(same:item(), ("%s %s, element %d: %s alone"):format(name, dtype, i, tostring(z)))
        end
      end
      local moderate = bits.input(dtype, 4)[{{1025, 2048}}]
      assert.is_true((moderate * moderate:conj()):imag():equal(0):all():item(), dtype)
    end
  end)
end)
