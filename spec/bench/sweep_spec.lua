-- tags: host
-- Tests bench/sweep: the cells, the file of measured cells, and the heat map. PyTorch is not needed.
package.path = "./?.lua;" .. package.path
local lt = require "luatensor"
local cells = require "bench.sweep.cells"
local page = require "bench.sweep.page"
local record = require "bench.sweep.record"

-- Makes the inputs of a cell by its own description, without bench/contender.lua. Returns a table of tensors by name.
local function inputs_of(cell)
  local space = {t = lt, math = math}
  for name, dtype, dims in cell[2]:gmatch("(%w+) (%w+)([ %d]*)") do
    local shape = {}
    for dim in dims:gmatch("%d+") do shape[#shape + 1] = math.tointeger(dim) end
    space[name] = lt.full(shape, 1, {dtype = dtype})
  end
  assert(load(cell.setup[1], "setup", "t", space))()
  return space
end

describe("bench/sweep", function()
  it("lays out the inputs of each cell as the cell says", function()
    local seen = {}
    for _, cell in ipairs(cells.all{1}) do
      if cell.size == 1000 and cell.op == "add" and cell.dtype == "float32" then
        local x = inputs_of(cell).x
        assert.same({20, 50}, {x.shape[1], x.shape[2]})
        local strides = x.strides
        seen[cell.layout] = {strides[1], strides[2]}
      end
    end
    assert.same({contiguous = {50, 1}, transposed = {1, 20}, sliced = {100, 2}, broadcast = {0, 1}}, seen)
  end)

  it("has a call for float32 or int64 in every op that luatensor can run", function()
    local works = {}
    for _, cell in ipairs(cells.all{1}) do
      if cell.size == 10 and cell.layout ~= "contiguous" then
        local ok = pcall(assert(load("return " .. cell[3], cell[1], "t", inputs_of(cell))))
        works[cell.op] = works[cell.op] or ok
      end
    end
    local missing = {}
    for op in pairs(works) do
      if not works[op] then missing[#missing + 1] = op end
    end
    assert.same({}, missing)
  end)

  it("draws the same cells for the same seed, each at most once", function()
    local all = cells.all{1, 2}
    local a, b, c = cells.sample(all, 500, 7), cells.sample(all, 500, 7), cells.sample(all, 500, 8)
    local seen, same = {}, 0
    for i = 1, 500 do
      assert.equal(a[i], b[i])
      assert.is_nil(seen[a[i]])
      seen[a[i]] = true
      if a[i] == c[i] then same = same + 1 end
    end
    assert.is_true(same < 50)
    assert.equal(all, cells.sample(all, nil, 7))
  end)

  describe("the file of measured cells", function()
    local path
    before_each(function() path = os.tmpname() end)
    after_each(function() os.remove(path) end)

    it("keeps the last line of each cell, and ignores a line that was not written completely", function()
      record.append(path, {cell = "a", ours = 2.0, torch = 1.0})
      record.append(path, {cell = "b", problem = "torch: has no\nsuch function"})
      record.append(path, {cell = "a", ours = 1.0, torch = 3.0, again = true})
      local file = assert(io.open(path, "a"))
      file:write('{"cell": "c", "ou')
      file:close()
      local known = record.read(path)
      assert.equal(3, record.ratio(known.a))
      assert.equal("torch: has no\nsuch function", known.b.problem)
      assert.is_nil(record.ratio(known.b))
      assert.is_nil(known.c)
    end)

    it("is empty if it does not exist", function()
      os.remove(path)
      assert.same({}, record.read(path))
    end)
  end)

  it("sums up ratios, and draws them by colour", function()
    local list = {}
    for _, cell in ipairs(cells.all{1}) do
      if cell.op == "exp" and cell.dtype == "float32" and cell.size == 10 then list[#list + 1] = cell end
    end
    assert.equal(4, #list)
    local known = {
      [list[1][1]] = {cell = list[1][1], ours = 1.0, torch = 4.0},
      [list[2][1]] = {cell = list[2][1], ours = 2.0, torch = 1.0},
      [list[3][1]] = {cell = list[3][1], problem = "torch: <no> kernel"},
    }
    local summary = record.summary(list, known)
    assert.same({2, 0.5, 1, 1}, {summary.count, summary.share, summary.below, summary.without})
    assert.is_true(math.abs(summary.mean - 2 ^ 0.5) < 1e-12)
    local text = page.new(list, known, "a machine", "PyTorch 0")
    assert.is_truthy(text:find('<td class="cell c1" title="[^"]*">4.00</td>'))
    assert.is_truthy(text:find('<td class="cell c7" title="[^"]*">0.50</td>'))
    assert.is_truthy(text:find("torch: &lt;no&gt; kernel", 1, true))
  end)
end)
