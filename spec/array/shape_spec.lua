-- tags: smoke
-- Tests shapes as scripts see them: broadcasting, strides, reshaping, views that share memory.
local lt = require "luatensor"
local cases = require "spec.support.cases"
local helpers = require "spec.support.helpers"
local reference = require "spec.support.reference"

local array = reference.array

local function shape_of(t)
  local shape = {}
  for d = 1, t.ndim do shape[d] = t.shape[d] end
  return shape
end

local function strides_of(t)
  local strides = {}
  for d = 1, t.ndim do strides[d] = t.strides[d] end
  return strides
end

local function counting(shape)
  local data = {}
  for i = 1, array.count(shape) do data[i] = i end
  local a = array.new(shape, "int64", data)
  return helpers.tensor(a), a
end

describe("a shape", function()
  it("is given by numbers or one table", function()
    assert.same({2, 3}, shape_of(lt.zeros(2, 3)))
    assert.same({2, 3}, shape_of(lt.zeros{2, 3}))
    assert.same({}, shape_of(lt.zeros()))
    assert.same({}, shape_of(lt.zeros{}))
    assert.same({0}, shape_of(lt.zeros(0)))
    assert.same({4}, shape_of(lt.zeros(4.0)))
  end)

  it("can be indexed, compared and printed", function()
    local x, y = lt.zeros(2, 3), lt.zeros(2, 3)
    assert.equal(3, x.shape[2])
    assert.equal(2, #x.shape)
    assert.is_true(x.shape == y.shape)
    assert.is_false(x.shape == y.T.shape)
    assert.equal("[2, 3]", tostring(x.shape))
    assert.equal("[]", tostring(lt.zeros().shape))
  end)

  it("knows ndim, size and length", function()
    local x = lt.zeros(2, 3, 4)
    assert.equal(3, x.ndim)
    assert.equal(24, x.size)
    assert.equal(2, #x)
    assert.equal(0, lt.zeros(2, 0).size)
    assert.equal(1, lt.zeros().size)
  end)

  it("has up to 16 dims", function()
    local ones = {}
    for d = 1, 16 do ones[d] = 1 end
    assert.equal(16, lt.zeros(ones).ndim)
    ones[17] = 1
    assert.raises("zeros: more than 16 dims", lt.zeros, ones)
  end)
end)

describe("strides", function()
  it("of fresh tensors are row-major", function()
    assert.same({12, 4, 1}, strides_of(lt.zeros(2, 3, 4)))
  end)

  it("of views tell how they walk", function()
    local x = lt.zeros(6, 4)
    assert.same({1, 4}, strides_of(x.T))
    assert.same({8, 1}, strides_of(x[{{1, 6, 2}, {}}]))
    assert.same({0, 1}, strides_of(lt.zeros(1, 4):broadcast_to(3, 4)))
  end)

  it("decide what is contiguous", function()
    local x = lt.zeros(6, 4)
    assert.is_true(x:is_contiguous())
    assert.is_false(x.T:is_contiguous())
    assert.is_true(x[{{2, 3}, {}}]:is_contiguous())
    assert.is_false(x[{{}, {2, 3}}]:is_contiguous())
    assert.is_true(x.T:contiguous():is_contiguous())
    assert.is_true(lt.zeros(3, 0).T:is_contiguous())
    assert.is_true(lt.zeros(1, 5).T:is_contiguous())
  end)
end)

describe("broadcasting", function()
  local shapes = {{}, {1}, {3}, {1, 1}, {1, 3}, {2, 1}, {2, 3}, {4, 1, 3}, {4, 2, 1}, {1, 2, 3}, {0}, {2, 0}, {1, 0, 1}}

  it("of every two shapes is the standard's", function()
    for _, s in ipairs(shapes) do
      for _, t in ipairs(shapes) do
        local x, a = counting(s)
        local y, b = counting(t)
        local shape = array.broadcast_shapes(s, t)
        if shape then
          assert.agrees(reference.elementwise("add", a, b), x + y)
          assert.same(shape, shape_of(lt.broadcast_arrays(x, y)))
        else
          assert.raises("^add: shapes %[.*%] and %[.*%] do not broadcast %(dim %d: %d against %d%)",
            function() return x + y end)
          assert.has_error(function() lt.broadcast_arrays(x, y) end)
        end
      end
    end
  end)

  it("to a shape is a view", function()
    local x, a = counting{3, 1}
    assert.agrees(array.broadcast_to(a, {2, 3, 4}), x:broadcast_to(2, 3, 4))
    assert.agrees(array.broadcast_to(a, {2, 3, 4}), x:broadcast_to{2, 3, 4})
    assert.equal(x:data_ptr(), x:broadcast_to(2, 3, 4):data_ptr())
    assert.raises("^broadcast_to: ", function() x:broadcast_to(2, 2) end)
    assert.raises("^broadcast_to: ", function() x:broadcast_to(3) end)
  end)

  it("views are not to be written", function()
    local x = lt.zeros(3, 1)
    local wide = x:broadcast_to(3, 4)
    assert.raises("^add_: the target is a broadcast view", function() wide:add_(1) end)
    assert.raises("^.*broadcast view", function() wide[{1, 1}] = 5 end)
    assert.raises("^add: the target is a broadcast view", function() lt.add(wide, 1, {out = wide}) end)
    assert.same({{0.0}, {0.0}, {0.0}}, x:totable())
  end)
end)

describe("reshape", function()
  local targets = {{24}, {2, 12}, {4, 6}, {2, 3, 4}, {1, 24, 1}, {3, 2, 2, 2}, {8, 3}}
  local layouts = {
    {"contiguous", function(x) return x end, function(a) return a end},
    {"permuted", function(x) return x:permute_dims(2, 1, 3) end, function(a) return array.permute(a, {2, 1, 3}) end},
    {"reversed", function(x) return x[{{-1, 1, -1}}] end, function(a) return array.slice(a, {{-1, 1, -1}}) end},
  }

  for _, l in ipairs(layouts) do
    it("of a " .. l[1] .. " tensor keeps the row-major order", function()
      for _, target in ipairs(targets) do
        local x, a = counting{2, 3, 4}
        assert.agrees(array.reshape(l[3](a), target), l[2](x):reshape(target))
        assert.agrees(array.reshape(l[3](a), target), l[2](x):reshape(table.unpack(target)))
      end
    end)
  end

  it("shares memory where strides allow, copies elsewhere", function()
    local x = counting{2, 3, 4}
    assert.equal(x:data_ptr(), x:reshape(6, 4):data_ptr())
    assert.not_equal(x:data_ptr(), x:permute_dims(3, 2, 1):reshape(24):data_ptr())
    local rows = x[{{}, {1, 2}, {}}]
    assert.equal(rows:data_ptr(), rows:reshape(2, 8):data_ptr())
    x:reshape(24)[5] = 100
    assert.equal(100, x[{1, 2, 1}]:item())
  end)

  it("finds one dim by itself", function()
    local x = counting{2, 3, 4}
    assert.same({6, 4}, shape_of(x:reshape(6, -1)))
    assert.same({24}, shape_of(x:reshape(-1)))
    assert.raises("^reshape: ", function() x:reshape(5, -1) end)
    assert.raises("^reshape: ", function() x:reshape(-1, -1) end)
    assert.raises("^reshape: ", function() lt.zeros(0, 3):reshape(0, -1) end)
  end)

  it("refuses another number of elements", function()
    assert.raises("^reshape: ", function() lt.zeros(2, 3):reshape(7) end)
    assert.raises("^reshape: ", function() lt.zeros(2, 3):reshape(0) end)
    assert.raises("^reshape: ", function() lt.zeros(2, 3):reshape(1 << 32, 1 << 32) end)
  end)

  it("works on empty and 0-d tensors", function()
    assert.same({0, 5}, shape_of(lt.zeros(3, 0):reshape(0, 5)))
    assert.same({}, shape_of(lt.zeros(1, 1):reshape{}))
    assert.same({1, 1}, shape_of(lt.zeros():reshape(1, 1)))
  end)
end)

describe("a view", function()
  it("shares memory, a clone does not", function()
    local x = counting{2, 3}
    local t, c = x.T, x:clone()
    x[{1, 2}] = 50
    assert.equal(50, t[{2, 1}]:item())
    assert.equal(2, c[{1, 2}]:item())
    t[{3, 2}] = 60
    assert.equal(60, x[{2, 3}]:item())
  end)

  it("lives on after its base is freed", function()
    local x = counting{2, 3}
    local row = x[2]
    x:free()
    assert.same({4, 5, 6}, row:totable())
    collectgarbage()
    assert.same({4, 5, 6}, row:totable())
  end)

  it("has the right elements in every layout", function()
    for _, l in ipairs(cases.layouts) do
      for _, dtype in ipairs {"int8", "float16", "float32", "int64"} do
        local x, a = helpers.laid_out(l, dtype, 9)
        assert.agrees(a, x)
        assert.agrees(a, x:clone())
        assert.agrees(a, x:contiguous())
      end
    end
  end)
end)
