-- tags: kernels smoke late sanitize-emulated
-- Tests copies (to, astype, clone, contiguous, copy_, fill_, zero_), and views that share elements.
local lt = require "luatensor"
local device = require("spec.support.helpers").device

local function numbers(n) return lt.arange(0, n) end

describe("to and astype", function()
  it("give x itself where nothing changes, or a copy on request", function()
    local x = lt.ones(2)
    assert.equal(x, x:to "float32")
    assert.equal(x, x:to(device))
    assert.equal(x, x:to(device, "float32"))
    assert.is_true(x:to("float32", {copy = true}) ~= x)
    assert.is_true(x:astype "float32" ~= x)
    assert.equal(x, x:astype("float32", {copy = false}))
    assert.equal("int8", x:to{dtype = "int8"}.dtype)
    assert.equal("int8", x:to("int8", device).dtype)
  end)

  it("convert every layout", function()
    local x = numbers(6):reshape(2, 3)
    assert.same({{0.0, 3.0}, {1.0, 4.0}, {2.0, 5.0}}, x.T:to("float16"):totable())
    assert.same({{2, 1, 0}, {5, 4, 3}}, x[{ {}, {-1, 1, -1} }]:to("uint8"):totable())
    assert.same({{0, 0}, {1, 1}}, x[{ {}, 1 }]:to("bool"):to("int8"):reshape(2, 1):broadcast_to(2, 2):clone():totable())
  end)

  it("name what they do not know", function()
    local x = lt.ones(1)
    assert.raises("^to: unknown dtype or device \"float31\"; dtypes: bool .*; devices: cpu, ", x.to, x, "float31")
    assert.raises("to: name of a dtype or device expected, got number", x.to, x, 3)
    if not lt.cuda.is_available() then assert.raises("^GPU not found: ", x.to, x, "cuda") end
    assert.raises("astype: a tensor and a dtype expected", x.astype, x)
  end)
end)

describe("a large transposed copy", function()
  for _, dtype in ipairs {"uint8", "int16", "float32", "float64"} do
    it("of " .. dtype .. " has each element in its place", function()
      local rows, cols = 301, 517
      local x = numbers(rows * cols):remainder(251):to(dtype):reshape(rows, cols)
      local y = x.T:clone()
      assert.is_true(y:is_contiguous())
      local from, to = x:totable(), y:totable()
      for i = 1, rows do
        for j = 1, cols do
          if from[i][j] ~= to[j][i] then error(("element %d, %d"):format(i, j)) end
        end
      end
    end)
  end
end)

describe("copies of many small matrices", function()
  it("have each element in its place, in every order of the dims", function()
    local shape = {7, 150, 3, 2}
    local x = numbers(7 * 150 * 3 * 2):to("int32"):reshape(shape)
    local step = {900, 6, 2, 1}
    for _, order in ipairs {{1, 2, 4, 3}, {2, 1, 4, 3}, {4, 3, 2, 1}, {1, 4, 3, 2}, {3, 4, 1, 2}, {2, 4, 1, 3}} do
      local view = x:permute_dims(order)
      local to, converted, n = view:clone():reshape(-1):totable(), view:to("float64"):reshape(-1):totable(), 0
      for a = 0, shape[order[1]] - 1 do
        for b = 0, shape[order[2]] - 1 do
          for c = 0, shape[order[3]] - 1 do
            for d = 0, shape[order[4]] - 1 do
              n = n + 1
              local want = a * step[order[1]] + b * step[order[2]] + c * step[order[3]] + d * step[order[4]]
              if to[n] ~= want or converted[n] ~= want then error(("order %s: element %d"):format(table.concat(order), n)) end
            end
          end
        end
      end
      local back = lt.zeros(shape, {dtype = "int32"})
      back:permute_dims(order):copy_(view:clone())
      assert.is_true(back:equal(x):all():item())
    end
  end)
end)

describe("contiguous", function()
  it("copies only what has gaps or another order", function()
    local x = numbers(6):reshape(2, 3)
    assert.is_true(x:is_contiguous())
    assert.equal(x, x:contiguous())
    assert.is_false(x.T:is_contiguous())
    assert.same(x.T:totable(), x.T:contiguous():totable())
    assert.is_true(x[{ {1, 1}, {} }]:is_contiguous())
    assert.is_false(x[{ {}, {1, 2} }]:is_contiguous())
  end)
end)

describe("copy_, fill_ and zero_", function()
  it("overwrite any view, converting", function()
    local x = lt.zeros(2, 3, {dtype = "int8"})
    assert.equal(x, x:copy_(lt.tensor{1.9, -1.9, 200.0}))
    assert.same({{1, -1, 127}, {1, -1, 127}}, x:totable())
    x.T[1]:fill_(7)
    assert.same({{7, -1, 127}, {7, -1, 127}}, x:totable())
    x:zero_()
    assert.same({{0, 0, 0}, {0, 0, 0}}, x:totable())
    x:fill_(3.0):copy_(4)
    assert.same({{4, 4, 4}, {4, 4, 4}}, x:totable())
  end)

  it("refuse what does not fit", function()
    local x = lt.zeros(2, {dtype = "uint8"})
    assert.raises("fill_: 300 does not fit uint8", x.fill_, x, 300)
    assert.raises("fill_: 0.5 does not fit uint8", x.fill_, x, 0.5)
    assert.raises("fill_: one value expected, the tensor has 2; use copy_", x.fill_, x, lt.ones(2))
    assert.raises("copy_: shape [3] does not broadcast to [2]", x.copy_, x, lt.ones(3))
    assert.raises("^copy_: the target is a broadcast view", function() lt.ones(1):broadcast_to(3):copy_(lt.ones(3)) end)
    assert.same({0, 0}, x:totable())
  end)
end)

describe("views of one tensor", function()
  local function grid() return numbers(36):reshape(6, 6) end
  local disjoint = {
    ["two columns"] = {{ {}, 1 }, { {}, 2 }},
    ["even and odd columns"] = {{ {}, {1, -1, 2} }, { {}, {2, -1, 2} }},
    ["even and odd rows"] = {{ {1, -1, 2} }, { {2, -1, 2} }},
    ["two halves"] = {{ {}, {1, 3} }, { {}, {4, 6} }},
    ["two blocks"] = {{ {1, 3}, {1, 3} }, { {2, 4}, {4, 6} }},
    ["thirds"] = {{ {}, {1, -1, 3} }, { {}, {3, -1, 3} }},
  }
  for name, keys in pairs(disjoint) do
    it("that are disjoint may be written from each other: " .. name, function()
      local x = grid()
      local to, from = x[keys[1]], x[keys[2]]
      local expected = from:clone():totable()
      to:copy_(from)
      assert.same(expected, to:totable())
    end)
  end

  local sharing = {
    ["shifted rows"] = {{ {1, 5} }, { {2, 6} }},
    ["shifted columns"] = {{ {}, {1, 5} }, { {}, {2, 6} }},
    ["reversed"] = {{ 1 }, { 1, {-1, 1, -1} }},
    ["blocks that meet in one element"] = {{ {1, 3}, {1, 3} }, { {3, 5}, {3, 5} }},
    ["a column and a row"] = {{ {}, 2 }, { 3 }},
  }
  for name, keys in pairs(sharing) do
    it("that share elements may not: " .. name, function()
      local x = grid()
      local to, from = x[keys[1]], x[keys[2]]
      if to:data_ptr() == from:data_ptr() or name ~= "reversed" then
        assert.raises("^copy_: the target shares memory with an input", to.copy_, to, from)
        assert.same(grid():totable(), x:totable())
      end
    end)
  end

  it("and a transpose share, the same view does not hurt", function()
    local x = grid()
    assert.raises("^add_: the target shares memory", function() x:add_(x.T) end)
    assert.same((grid() * 2):totable(), x:add_(x[{ {}, {} }]):totable())
    local row = lt.ones(1, 3)
    assert.same({{2.0, 2.0, 2.0}}, row:add_(row[1]):totable())
  end)
end)
