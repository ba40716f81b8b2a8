local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local la = lt.linalg

-- The largest difference of two tensors' elements, as a number.
local function distance(x, y) return x.size == 0 and 0 or (x - y):abs():max():item() end

describe("linalg", function()
  it("factors, solves and inverts", function()
    for _, name in ipairs {"float32", "float64"} do
      local x = lt.randn(3, 5, 5, {dtype = name})
      local bound = name == "float32" and 1e-3 or 1e-9
      local spd, one = x:matmul(x.mT) + lt.eye(5, {dtype = name}), lt.eye(5, {dtype = name})
      local l = la.cholesky(spd)
      assert.is_true(distance(l:matmul(l.mT), spd) < bound)
      assert.is_true(distance(la.inv(spd):matmul(spd), one) < bound)
      local q, r = la.qr(x)
      assert.is_true(distance(q:matmul(r), x) < bound)
      local w, v = la.eigh(spd)
      assert.is_true(distance(spd:matmul(v), v:multiply(w:expand_dims(2))) < bound)
    end
  end)

  it("says what does not fit", function()
    helpers.fails("inv: matrix is singular", la.inv, lt.ones(3, 3))
    helpers.fails("inv: matrix 1 of 5 is singular", la.inv, lt.ones(5, 3, 3))
  end)
end)
