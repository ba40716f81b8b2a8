-- tags: kernels
-- Compares random chains of views, functions of the views, and assignments to them with the oracle. Every run has the
-- same chains; a failure names the number of its chain.
local lt = require "luatensor"
local cases = require "spec.support.cases"
local helpers = require "spec.support.helpers"
local reference = require "spec.support.reference"

local array, index, names = reference.array, reference.index, reference.dtype.names
local random = cases.random(20)

local function random_array(shape, dtype)
  return array.new(shape, dtype, cases.values(dtype, array.count(shape), random(1000)))
end

local function copy(list) return table.move(list, 1, #list, 1, {}) end

local function shuffled(n)
  local order = {}
  for i = 1, n do order[i] = i end
  for i = n, 2, -1 do
    local j = random(i) + 1
    order[i], order[j] = order[j], order[i]
  end
  return order
end

-- Returns a random entry of x[{…}] for a dim of length n.
local function random_entry(n)
  local kind = random(5)
  if kind == 0 or n == 0 then return {} end
  local first = random(n) + 1
  if kind == 1 then return first end
  if kind == 2 then return {first, first + random(n - first + 1)} end
  if kind == 3 then
    local last = first + random(n - first + 1)
    return {first, last, 1 + random(math.max(1, math.min(3, last - first + 1)))}
  end
  return {first, random(first) + 1, -(random(3) + 1)}
end

-- Each step takes a tensor and an array, and returns the same view of both.
local steps = {
  function(x, a)
    local order = shuffled(#a.shape)
    return x:permute_dims(table.unpack(order)), array.permute(a, order)
  end,
  function(x, a)
    local spec = {}
    for d, n in ipairs(a.shape) do spec[d] = random_entry(n) end
    return x[spec], array.slice(a, spec)
  end,
  function(x, a)
    local n = array.count(a.shape)
    return x:reshape(n), array.reshape(a, {n})
  end,
  function(x, a)
    if #a.shape > 5 then return x, a end
    local shape = copy(a.shape)
    table.insert(shape, 1, random(3) + 1)
    return x:broadcast_to(shape), array.broadcast_to(a, shape)
  end,
}

local function random_view()
  local dtype, shape = names[random(#names) + 1], {}
  for d = 1, random(4) + 1 do shape[d] = random(5) + 1 end
  local a = random_array(shape, dtype)
  local x = helpers.tensor(a)
  for _ = 1, random(4) do
    if #a.shape == 0 then break end
    x, a = steps[random(#steps) + 1](x, a)
  end
  return x, a
end

-- Makes 400 random views, and calls f(x, a, dim) for each view that has dims and elements. dim is random.
local function each_view(f)
  for k = 1, 400 do
    local x, a = random_view()
    local ok, problem = pcall(function()
      assert.agrees(a, x)
      if #a.shape > 0 and #a.data > 0 then f(x, a, random(#a.shape) + 1) end
    end)
    if not ok then error(("chain %d: %s of shape %s: %s"):format(k, a.dtype, x.shape, tostring(problem)), 0) end
  end
end

describe("a chain of views", function()
  it("is read by element-wise ops", function()
    each_view(function(x, a)
      if a.dtype == "bool" then return end
      assert.agrees(reference.elementwise("multiply", a, a), x * x)
      local y = x:clone()
      assert.agrees(reference.elementwise("multiply", a, a), y:multiply_(x))
    end)
  end)

  it("is read by functions that move elements", function()
    each_view(function(x, a, dim)
      local shift = random(7) - 3
      assert.agrees(index.flip(a, {dim}), x:flip(dim))
      assert.agrees(index.roll(a, shift, dim), x:roll(shift, dim))
      assert.agrees(index.repeat_elements(a, 2, dim), x["repeat"](x, 2, dim))
      assert.agrees(index.concat({a, a}, dim), lt.concat({x, x}, dim))
      if #a.shape >= 2 then
        assert.agrees(index.tril(a, shift), x:tril(shift))
        assert.agrees(index.triu(a, shift), x:triu(shift))
      end
    end)
  end)

  it("is read through indices and masks", function()
    each_view(function(x, a, dim)
      local n = a.shape[dim]
      local list = {random(n) + 1, -random(n) - 1, random(n) + 1}
      local spec = {}
      for d = 1, #a.shape do spec[d] = {} end
      spec[dim] = lt.tensor(list)
      assert.agrees(index.take(a, list, dim), x:take(lt.tensor(list), dim))
      assert.agrees(index.take(a, list, dim), x[spec])
      local places = array.build(a.shape, "int64", function() return random(n) + 1 end)
      assert.agrees(index.gather(a, dim, places), x:gather(dim, helpers.tensor(places)))
      local mask = array.build(a.shape, "bool", function() return random(3) == 0 end)
      assert.agrees(index.masked_select(a, mask), x[helpers.tensor(mask)])
      local got = {lt.nonzero(helpers.tensor(mask))}
      for d, positions in ipairs(index.nonzero(mask)) do assert.agrees(positions, got[d]) end
    end)
  end)

  it("is written through views, indices and masks", function()
    each_view(function(x, a, dim)
      local n = a.shape[dim]
      local y, b = x:clone(), array.new(a.shape, a.dtype, copy(a.data))
      local mask = array.build(a.shape, "bool", function() return random(3) == 0 end)
      local value = random_array({1}, a.dtype).data[1]
      for i, chosen in ipairs(mask.data) do if chosen then b.data[i] = value end end
      y[helpers.tensor(mask)] = value
      assert.agrees(b, y)

      local order = shuffled(#a.shape)
      local z, c = x:clone():permute_dims(table.unpack(order)), array.permute(a, order)
      c = array.new(c.shape, c.dtype, copy(c.data))
      local row, size = random(c.shape[1]) + 1, #c.data // c.shape[1]
      local source = random_array({table.unpack(c.shape, 2)}, a.dtype)
      table.move(source.data, 1, size, (row - 1) * size + 1, c.data)
      z[row] = helpers.tensor(source)
      assert.agrees(c, z)

      if n > 1 then                                      -- the target overlaps the source
        local moved, from, to = x:clone(), {}, {}
        for d = 1, #a.shape do from[d], to[d] = {}, {} end
        from[dim], to[dim] = {1, n - 1}, {2, n}
        moved[to] = moved[from]
        assert.agrees(index.concat({index.take(a, {1}, dim), array.slice(a, from)}, dim), moved)
      end
    end)
  end)
end)
