local lt = require "luatensor"
local helpers = require "spec.support.helpers"

local fails = helpers.fails

describe("a tensor", function()
  local x = lt.zeros(2, 3, {dtype = "int16"})
  it("has properties", function()
    assert.same({2, 3}, {table.unpack(x.shape)})
    assert.same({3, 1}, x.strides)
    assert.equal(2, x.ndim)
    assert.equal(6, x.size)
    assert.equal("int16", x.dtype)
    assert.equal(lt.get_default_device(), x.device)
    assert.is_nil(x.grad)
  end)
  it("has properties that are read-only", function()
    fails('cannot set "dtype": the properties of a tensor are read-only, but for grad and requires_grad',
          function() x.dtype = "int8" end)
    fails('tensor has no "foo"', function() x.foo = 1 end)
    fails('tensor has no "shap"; did you mean "shape"?', function() x.shap = {2} end)
  end)
  it("helps with misspelt names", function()
    fails('tensor has no "mutliply"; did you mean "multiply"?', function() return x.mutliply end)
    fails('tensor has no "dtyp"; did you mean "dtype"?', function() return x.dtyp end)
    fails('tensor has no "qqqqqqq"', function() return x.qqqqqqq end)
    fails('tensor has no "' .. ("x"):rep(500) .. '"', function() return x[("x"):rep(500)] end)
  end)
  it("has a length", function()
    assert.equal(2, #x)
    fails("#: a 0-d tensor has no length", function() return #lt.zeros() end)
  end)
  it("is equal to itself only", function()
    assert.is_true(x == x)
    assert.is_false(x == lt.zeros(2, 3, {dtype = "int16"}))
    assert.is_false(x == 0)
  end)
  it("is not ordered, nor text", function()
    local order = "tensors are not ordered; use x:less(y), x:less_equal(y), x:greater(y), x:greater_equal(y)"
    fails(order, function() return x < x end)
    fails(order, function() return x >= 1 end)
    local text = "..: tensors do not join; use lt.concat{x, y}, or tostring(x) for text"
    fails(text, function() return x .. x end)
    fails(text, function() return "x: " .. x end)
  end)
  it("is told from everything else", function()
    assert.is_true(lt.is_tensor(x))
    for _, v in ipairs{1, "x", {}, print, io.stdout, true} do assert.is_false(lt.is_tensor(v)) end
    assert.is_false(lt.is_tensor(nil))
    fails("sum: argument 1: tensor expected, got FILE*", lt.sum, io.stdout)
    fails("item: argument 1: tensor expected, got table", lt.item, {})
  end)
  it("hides its metatable", function() assert.is_false(getmetatable(x)) end)
end)

describe("a freed tensor", function()
  it("may be freed again", function()
    local x = lt.zeros(2)
    x:free()
    x:free()
    lt.free(x)
    fails("free: tensor expected, got number; is there a colon? x:free(…)", lt.free, 1)
  end)
  it("leaves its views alone", function()
    local x = lt.tensor{1, 2, 3}
    local y = x:narrow(1, 2, 2)
    x:free()
    assert.same({2, 3}, y:totable())
  end)
  it("ends with its scope", function()
    local outside
    do
      local x <close> = lt.zeros(2)
      outside = x
    end
    fails("item: argument 1: this tensor was freed", outside.item, outside)
  end)
  it("is an error for every property, operator and method", function()
    local x = lt.zeros(2)
    local names = {}
    for name in pairs(lt) do names[#names + 1] = name end
    x:free()
    for _, name in ipairs{"shape", "strides", "ndim", "size", "dtype", "device", "T", "mT", "grad"} do
      fails(name .. ": argument 1: this tensor was freed", function() return x[name] end)
    end
    for _, f in ipairs{function() return x + 1 end, function() return -x end, function() return #x end,
                       function() return x[1] end, function() x[1] = 1 end, function() return lt.zeros(2) * x end,
                       function() pairs(x) end} do
      local ok, text = pcall(f)
      assert.is_false(ok)
      assert.truthy(text:find("this tensor was freed", 1, true), text)
    end
    for _, name in ipairs(names) do
      local found, method = pcall(function() return x[name] end)
      if found and type(method) == "function" and name ~= "free" then
        for _, argument in ipairs{false, x, 1, {}} do
          local ok = pcall(method, x, argument or nil)
          assert.is_false(ok, name)
        end
      end
    end
  end)
end)

describe("the module", function()
  it("has a version", function() assert.equal("string", type(lt._VERSION)) end)
  it("helps with misspelt names", function()
    fails('luatensor has no "zeross"; did you mean "zeros"?', function() return lt.zeross end)
    fails('luatensor has no "fft.iffft"; did you mean "fft.ifft"?', function() return lt.fft.iffft end)
    fails('luatensor has no "1"', function() return lt[1] end)
    fails('luatensor has no "qqqqqqqq"', function() return lt.qqqqqqqq end)
  end)
  it("keeps its own tools to itself", function()
    for _, name in ipairs{"metatable", "methods", "properties", "excerpt", "gone", "nearest"} do
      assert.is_nil(rawget(lt, name))
    end
  end)
end)

describe("a dim", function()
  local x = lt.arange(6):reshape(2, 3)

  it("may be named in every function that takes one", function()
    local rows, at = lt.tensor{2, 1}, lt.ones(2, 1, {dtype = "int64"})
    for name, call in pairs {
      concat = function(d) return lt.concat({x, x}, d) end,
      stack = function(d) return lt.stack({x, x}, d) end,
      take = function(d) return x:take(rows, d) end,
      take_along_axis = function(d) return x:take_along_axis(at, d) end,
      unstack = function(d) return x:unstack(d)[2] end,
      split = function(d) return x:split(1, d)[2] end,
      chunk = function(d) return x:chunk(2, d)[2] end,
      roll = function(d) return x:roll(1, d) end,
      flip = function(d) return x:flip(d) end,
      squeeze = function(d) return lt.zeros(2, 1, 3):squeeze(d) end,
      expand_dims = function(d) return x:expand_dims(d) end,
      repeat_interleave = function(d) return x:repeat_interleave(2, d) end,
    } do
      assert.same(call(2):totable(), call({dim = 2}):totable(), name)
      assert.has_error(function() call({dmi = 2}) end)
    end
    assert.has_error(function() lt.concat({x, x}, 1, {dim = 2}) end)
  end)
end)

describe("x:size(1)", function()
  local x = lt.ones(2, 3)
  local says = "size: x.size is the number of elements; the length of dim i is x.shape[i]"

  it("is told what to write, also where the call is the last", function()
    fails(says, function() local n = x:size(1) return n + 1 end)
    fails(says, function() return x:size(1) end)
    fails(says, function() local p = lt.nn.Linear(2, 3) local n = p.weight:size() return n + 1 end)
    fails("ndim: x.ndim is a number, not a method; leave out the parentheses", function() local n = x:ndim() return n + 1 end)
    assert.equal(6, x.size)
  end)

  it("leaves Lua's words to all other calls of numbers", function()
    local n, t = 5, {a = 1}
    fails("attempt to call a number value (upvalue 'n')", function() local _ = n() end)
    fails("attempt to call a number value (upvalue 'n')", function() local _ = n(x) end)
    fails("attempt to call a number value (field 'a')", function() local _ = t.a(1) end)
    fails("attempt to call a number value (method 'a')", function() local _ = t:a() end)
    assert.falsy(getmetatable(1))
    assert.falsy(pcall(function() return (1).x end))
    fails("no_grad: function expected, got number", lt.no_grad, 5)
  end)
end)
