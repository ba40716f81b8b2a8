-- tags: host
-- Tests published figures, and conclusions from them that are worked out by hand.

local figures = require "luatensor.bench.public_figures"

local function near(expected, value) assert.near(expected, value, 1e-9 * math.abs(expected)) end

-- Returns a device with simple numbers: 100 FLOP/s, 10 bytes/s of memory, 2 bytes/s to the host.
local function slow(fields)
  local row = {name = "slow", peak = {float32 = 100}, memory = 1000, bandwidth = 10, cache = 0, link = 2}
  for name, value in pairs(fields or {}) do row[name] = value end
  return row
end

describe("public figures", function()
  it("have a name, a year, memory and a source each, and ids of their own", function()
    local ids = {}
    for _, row in ipairs(figures.devices()) do
      assert.is_string(row.name)
      assert.truthy(row.source:find("%u%a+.*%d%d%d%d"), row.id)     -- the source names the publisher and the year
      assert.truthy(row.year > 2007 and row.memory > 2 ^ 30, row.id)
      assert.falsy(ids[row.id])
      ids[row.id] = true
    end
    for _, id in ipairs{"rtx-4090", "h100-sxm", "m1-max", "tpu-v5e", "tpu-v5p", "threadripper-5995wx"} do
      assert.truthy(figures.find(id), id)
    end
    assert.is_nil(figures.find "abacus")
  end)

  it("have the notebook's core counts", function()
    assert.equal(16384, figures.find("rtx-4090").cores)
    assert.equal(24 * 2 ^ 30, figures.find("rtx-4090").memory)
    assert.equal(64, figures.find("threadripper-5995wx").cores)
  end)

  it("know the bandwidth of PCI Express: 31.5 and 63.0 GB/s one way", function()
    assert.near(31.5e9, figures.find("rtx-4090").link, 0.05e9)
    assert.near(63.0e9, figures.find("h100-sxm").link, 0.05e9)
  end)

  it("are here where a device has the whole name", function()
    local h100 = figures.find "h100-sxm"
    for name, here in pairs{["NVIDIA H100 80GB HBM3"] = true, ["NVIDIA H100 PCIe"] = false, ["NVIDIA H100 NVL"] = false} do
      assert.equal(here, figures.is_here(h100, {{device = "cuda:0", name = name}}), name)
    end
    assert.is_false(figures.is_here(h100, {{device = "cuda:0", name = "NVIDIA H100 80GB HBM3", emulated = true}}))
  end)

  it("that stand for what is not here are among them", function()
    for _, set in ipairs{{figures.GPU}, figures.GPUS, figures.FOR_TRAINING} do
      for _, id in ipairs(set) do assert.truthy(figures.find(id), id) end
    end
  end)

  it("needed: how many hold so many bytes", function()
    assert.equal(1, figures.needed(slow(), 1))
    assert.equal(1, figures.needed(slow(), 1000))
    assert.equal(2, figures.needed(slow(), 1001))
  end)

  it("are a table of blocks with every source", function()
    local block = figures.table()
    assert.equal(#figures.devices(), #block.rows)
    for i, row in ipairs(figures.devices()) do
      assert.same({row.name, row.source}, {block.rows[i][1], block.rows[i][#block.columns]})
    end
    assert.truthy(figures.TPU_NOTE:find("luatensor reaches them by the plugin libtpu", 1, true))
  end)
end)

describe("public figures, peak", function()
  it("is the dtype's own, or the next narrower one's, which it cannot exceed", function()
    local tpu = figures.find "tpu-v5e"
    assert.same({197e12, "bfloat16"}, {figures.peak(tpu, "float32")})
    assert.same({67e12, "float32"}, {figures.peak(figures.find "h100-sxm", "float32")})
    assert.same({67e12, "float64"}, {figures.peak(figures.find "h100-sxm", "float64")})
    assert.same({67e12, "float32"}, {figures.peak(figures.find "h100-sxm", "complex64")})
  end)

  it("of a wider dtype is none of a narrower one's", function()
    assert.is_nil(figures.peak(slow{peak = {float64 = 5}}, "float32"))
    assert.is_nil(figures.peak(slow(), "int8"))
    assert.is_nil(figures.peak(slow{peak = {}}, "float32"))
  end)

  it("of TF32 bounds float32 only where nothing is published of float32", function()
    assert.same({100, "float32"}, {figures.peak(slow{peak = {float32 = 100, tf32 = 800}}, "float32")})
    assert.same({800, "tf32"}, {figures.peak(slow{peak = {float32 = 100, tf32 = 800}}, "tf32")})
    assert.same({100, "float32"}, {figures.peak(slow{peak = {float32 = 100, tf32 = 800}}, "float64")})
    assert.same({800, "tf32"}, {figures.peak(slow{peak = {tf32 = 800}}, "float32")})
  end)
end)

describe("public figures, bound", function()
  local function work(flops, bytes, fields)
    local all = {rows = {{calls = 1, flops = flops, bytes = bytes, dtype = "float32"}}}
    for name, value in pairs(fields or {}) do all[name] = value end
    return all
  end

  it("is the products' time or the memory's, whichever is longer", function()
    assert.same({3, "products"}, {figures.bound(slow(), work(300, 20), "in_place")})
    assert.same({4, "memory"}, {figures.bound(slow(), work(300, 40), "in_place")})
  end)

  it("with transfers has them on top", function()
    assert.same({3 + 5, "transfers"}, {figures.bound(slow(), work(300, 20, {sent = 8, fetched = 2}), "with_transfers")})
    assert.same({3 + 0.5, "products"}, {figures.bound(slow(), work(300, 20, {sent = 1}), "with_transfers")})
  end)

  it("with transfers is the same where memory is shared, and none where the link is not published", function()
    assert.equal(3, (figures.bound(slow{link = "shared"}, work(300, 20, {sent = 8}), "with_transfers")))
    local unknown = slow()
    unknown.link = nil
    assert.is_nil(figures.bound(unknown, work(300, 20, {sent = 8}), "with_transfers"))
    assert.equal(3, (figures.bound(unknown, work(300, 20, {sent = 8}), "in_place")))
  end)

  it("counts only bytes that no cache can spare: a cache full a call less", function()
    local small = slow{cache = 15}
    assert.equal(4.5, (figures.bound(small, work(0, 60), "in_place")))
    -- The cache holds 15 bytes, so each call reads 15 bytes less. 2 calls with 20 bytes each read 40 - 2 · 15 = 10
    -- bytes; 4 calls with 10 bytes each read none.
    local rows = {rows = {{bytes = 40, calls = 2}, {bytes = 40, calls = 4}}}
    assert.equal(1, (figures.bound(small, rows, "in_place")))
  end)

  it("has a rate for each dtype; products of a dtype without one count nothing", function()
    local both = slow{peak = {float32 = 100, float64 = 10}}
    local rows = {rows = {{calls = 1, flops = 300, dtype = "float32"}, {calls = 1, flops = 300, dtype = "float64"}}}
    assert.equal(3 + 30, (figures.bound(both, rows, "in_place")))
    rows.rows[3] = {calls = 1, flops = 1e9, dtype = "int32"}
    assert.equal(3 + 30, (figures.bound(both, rows, "in_place")))
  end)

  it("is none without a rate", function()
    assert.is_nil(figures.bound(figures.find "threadripper-5995wx", work(1e9, 0), "in_place"))
  end)

  it("of the notebook's loop on an RTX 4090: 100 products of 7000 × 3000 by 3000 × 7000", function()
    local flops = 100 * 2 * 7000 * 7000 * 3000
    near(29.4e12 / 82.6e12, (figures.bound(figures.find "rtx-4090", work(flops, 0), "in_place")))
  end)
end)
