-- tags: host blas
local lt = require "luatensor"
require "spec.support.helpers"

describe("threads", function()
  local before = lt.get_num_threads()
  after_each(function() lt.set_num_threads(before) end)

  it("can be set and read", function()
    for _, n in ipairs {1, 2, 3.0, 8} do
      lt.set_num_threads(n)
      assert.equal(n, lt.get_num_threads())
    end
  end)

  it("must be a whole number from 1 on", function()
    local most = math.min(math.max(4 * require("luatensor.core").processors(), 64), 1024)
    assert.raises("set_num_threads: 0 is not from 1 to " .. most, lt.set_num_threads, 0)
    assert.raises("set_num_threads: -2 is not from 1 to " .. most, lt.set_num_threads, -2)
    assert.raises(("set_num_threads: %d is not from 1 to %d"):format(most + 1, most), lt.set_num_threads, most + 1)
    assert.raises("set_num_threads: number of threads: 1.5 is not an integer", lt.set_num_threads, 1.5)
    assert.raises("set_num_threads: number of threads: number expected, got string", lt.set_num_threads, "2")
    assert.raises("set_num_threads: number of threads: number expected, got nil", lt.set_num_threads, nil)
    assert.equal(before, lt.get_num_threads())
  end)

  it("do not change results", function()
    local x, i = lt.rand(200, 300), lt.randint(-99, 99, 200, 300)
    local results = {}
    for n = 1, 4 do
      lt.set_num_threads(n)
      results[n] = i:matmul(i.T):to_bytes() .. (x:to("float16"):matmul(x.T:to("float16"))):to_bytes() .. (x + 1):to_bytes()
    end
    for n = 2, 4 do assert.is_true(results[1] == results[n], n .. " threads") end
  end)

  it("are told by config, with the BLAS and the kernels", function()
    lt.set_num_threads(3)
    local text = lt.config()
    assert.truthy(text:find("3 threads", 1, true), text)
    assert.truthy(text:find("OpenBLAS", 1, true), text)
    assert.truthy(text:find("^%w+ kernels"), text)
  end)
end)
