--- Published figures of devices that may not be in this machine. Programs never quite reach the peak rates that the
-- makers publish, so these rates give lower bounds of times. A figure without a source is left out, and so are the
-- bounds that would follow from it.

local figures = {}

-- The bandwidth in bytes/s of PCI Express 4.0 and 5.0 with 16 lanes, in one direction (PCI Express Base
-- Specification): transfers/s × 16 lanes × 128/130 (encoding) / 8 bits.
local PCIE_4 <const> = 16e9 * 16 * 128 / 130 / 8
local PCIE_5 <const> = 32e9 * 16 * 128 / 130 / 8

local GB <const> = 2 ^ 30

--- A lower bound of fewer seconds than this is meaningless, because a launch on an accelerator takes longer.
figures.VISIBLE = 1e-6

-- The bytes of cache that a lower bound assumes if the maker publishes no size. 256 MiB, the cache of the
-- Threadripper, is the largest published size in this list.
local MOST_CACHE <const> = 256 * 2 ^ 20

-- The TPUs' figures are from Google's own pages; those of the other devices are from quotations of the makers'
-- documents.
-- reported: the name in drivers and systems, if it differs, in lower case.
-- peak: FLOP/s of dense matrix products by dtype.
-- bandwidth: bytes/s of the device's memory.
-- link: bytes/s to the host in one direction, or "shared" if the device uses the host's memory.
-- cache: bytes of the caches on the chip.
-- figures.devices lists the remaining fields.
local rows = {
  {
    id = "rtx-4090", name = "NVIDIA GeForce RTX 4090", kind = "gpu", year = 2022, cores = 16384,
    -- float16 and bfloat16: products with float32 accumulators, as in luatensor; float64: 1/64 of the rate of float32
    peak = {float64 = 82.6e12 / 64, float32 = 82.6e12, tf32 = 82.6e12, float16 = 165.2e12, bfloat16 = 165.2e12},
    memory = 24 * GB, bandwidth = 1008e9, cache = 72 * 2 ^ 20, link = PCIE_4,
    source = "NVIDIA Ada GPU Architecture, V2.01, 2023; PCI Express 4.0, 16 lanes",
  },
  {
    id = "h100-sxm", name = "NVIDIA H100 SXM", reported = "nvidia h100 80gb hbm3",
    kind = "gpu", year = 2022, cores = 16896,
    -- without sparsity: half of the data sheet's rates of tensor cores for 16-bit and TF32 products
    peak = {float64 = 67e12, float32 = 67e12, tf32 = 989e12 / 2, float16 = 1979e12 / 2, bfloat16 = 1979e12 / 2},
    memory = 80 * GB, bandwidth = 3.35e12, cache = 50 * 2 ^ 20, link = PCIE_5,
    source = "NVIDIA H100 Tensor Core GPU data sheet, 2023; PCI Express 5.0, 16 lanes",
  },
  {
    id = "m1-max", name = "Apple M1 Max, 32-core GPU", kind = "gpu", year = 2021, cores = 32,
    peak = {float32 = 10.4e12},
    memory = 64 * GB, bandwidth = 400e9, link = "shared",
    source = "Apple, \"Introducing M1 Pro and M1 Max\", 18 October 2021, and its presentation of that day",
  },
  {
    id = "tpu-v5e", name = "Google TPU v5e, one chip", kind = "tpu", year = 2023,
    peak = {bfloat16 = 197e12},
    memory = 16 * GB, bandwidth = 819e9,
    source = "Google Cloud documentation, \"TPU v5e\", read 2026",
  },
  {
    id = "tpu-v5p", name = "Google TPU v5p, one chip", kind = "tpu", year = 2023,
    peak = {bfloat16 = 459e12},
    memory = 95 * GB, bandwidth = 2765e9,
    source = "Google Cloud documentation, \"TPU v5p\", read 2026",
  },
  {
    -- We found no document of AMD that gives the clock rate or the memory bandwidth of this device. Without the clock
    -- rate, the peak is unknown. The device therefore has no bounds.
    id = "threadripper-5995wx", name = "AMD Ryzen Threadripper Pro 5995WX",
    reported = "amd ryzen threadripper pro 5995wx 64-cores", kind = "cpu", year = 2022, cores = 64,
    peak = {}, memory = 2048 * GB, cache = 256 * 2 ^ 20,
    source = "AMD, Ryzen Threadripper Pro 5000 WX-Series, March 2022: cores, cache, memory at most",
  },
}

--- Ids of the published devices that are shown beside the devices of this machine. GPU is shown if a single device
-- suffices; the notebook cites the core count of this GPU, but did not run on it. GPUS are shown if this machine has
-- only one device. FOR_TRAINING lists devices on which networks are trained, ordered by memory.
figures.GPU = "rtx-4090"
figures.GPUS = {figures.GPU, "h100-sxm"}
figures.FOR_TRAINING = {figures.GPU, "h100-sxm", "tpu-v5p"}

--- A note on the software for TPUs. The plugin libtpu makes them devices, but no specs have run on a TPU.
figures.TPU_NOTE = "TPUs are reached by JAX and PyTorch/XLA, the older ones by TensorFlow, too; "
  .. "luatensor reaches them by the plugin libtpu, but has not been run on one."

--- Returns all published devices. Unpublished fields are nil.
--
--     {id =, name =, reported =, kind = "cpu" | "gpu" | "tpu", year =, cores =, peak = {dtype = FLOP/s},
--      memory = bytes, bandwidth = bytes/s, link = bytes/s | "shared", cache = bytes, source =}
--
-- @treturn table
function figures.devices() return rows end

--- Returns the device with this id, or nil.
function figures.find(id)
  for _, row in ipairs(rows) do
    if row.id == id then return row end
  end
end

--- True if exactly this model is among the devices. Whole names are compared: an "H100 PCIe" or a "4090 Laptop" is a
-- different model.
-- @tab figure
-- @tab devices {{name =, emulated =}, …}
function figures.is_here(figure, devices)
  for _, device in ipairs(devices) do
    local name = (device.name or ""):lower()
    if not device.emulated and (name == figure.name:lower() or name == figure.reported) then return true end
  end
  return false
end

-- The dtypes from wide to narrow. No device computes faster in a wider dtype, so the rate of a narrower dtype is a
-- bound, too.
local narrower = {"float64", "float32", "tf32", "bfloat16", "float16"}
local complex = {complex64 = "float32", complex128 = "float64"}

--- Returns the published rate of matrix products in a dtype. If this rate is unpublished, the rate of the next
-- narrower dtype is a bound, because a wider dtype is never faster.
-- @tab figure
-- @string dtype
-- @treturn[1] number FLOP/s
-- @treturn[1] string the dtype of this rate
-- @treturn[2] nil if no published figure gives a bound
function figures.peak(figure, dtype)
  dtype = complex[dtype] or dtype
  local reached = false
  for _, name in ipairs(narrower) do
    reached = reached or name == dtype
    -- TF32 products are less exact, and are made only if a script enables them, so their rate does not bound float32
    local usable = name ~= "tf32" or dtype == "tf32" or not figure.peak.float32
    if reached and usable and figure.peak[name] then return figure.peak[name], name end
  end
end

-- Returns the seconds of the matrix products at the peak rates of their dtypes. Products without a published rate add
-- nothing. Returns nil if no rate is published.
local function product_seconds(figure, work)
  local seconds, known = 0, false
  for _, row in ipairs(work.rows) do
    local rate = figures.peak(figure, row.dtype or "float32")
    known = known or rate ~= nil
    if rate then seconds = seconds + (row.flops or 0) / rate end
  end
  return known and seconds or nil
end

-- Returns a lower bound of the bytes that the work reads from and writes to the device's memory. The size of the
-- cache is subtracted for each call, because earlier calls may have left that many bytes in the cache.
local function least_traffic(figure, work)
  local cache, bytes = figure.cache or MOST_CACHE, 0
  for _, row in ipairs(work.rows) do bytes = bytes + math.max(0, (row.bytes or 0) - row.calls * cache) end
  return bytes
end

--- Returns a lower bound of the time that work takes, by the published peaks. The bound is the longer of two times:
-- all matrix products at their peak rates, and all memory traffic at full bandwidth. Launching, waiting and all other
-- costs of a real device are left out, so the bound is never too high.
-- @tab figure a row of figures.devices()
-- @tab work {rows = {{calls =, bytes =, flops = of products, dtype =}, …}, sent = bytes to the device; fetched =
--   bytes back}; a row has the number of calls of one kind of op, and the total work of these calls
-- @string mode "in_place", or "with_transfers", which adds sending and fetching
-- @treturn[1] number seconds
-- @treturn[1] string the part that takes longest: "products", "memory" or "transfers"
-- @treturn[2] nil if no bound follows from the published figures
function figures.bound(figure, work, mode)
  local products = product_seconds(figure, work)
  if not products or not figure.bandwidth then return nil end
  local memory = least_traffic(figure, work) / figure.bandwidth
  local seconds, what = math.max(products, memory), products >= memory and "products" or "memory"
  if mode ~= "with_transfers" or figure.link == "shared" then return seconds, what end
  if not figure.link then return nil end
  local transfers = ((work.sent or 0) + (work.fetched or 0)) / figure.link
  return seconds + transfers, transfers > seconds and "transfers" or what
end

--- Returns how many devices of this model are needed to have memory for `bytes` bytes.
-- @tab figure
-- @number bytes
-- @treturn int
function figures.needed(figure, bytes) return math.max(1, math.ceil(bytes / figure.memory)) end

-- ---- tables -------------------------------------------------------------------------------------

local function or_false(value) return type(value) == "number" and value or false end

--- Returns a lower bound in seconds as the value of a table cell, or false if the bound is missing or below VISIBLE.
function figures.visible(seconds) return seconds and seconds >= figures.VISIBLE and seconds or false end

--- Makes a table of the published figures with their sources.
-- @treturn table block
function figures.table()
  local document = require "luatensor.page.document"
  local lines = {}
  for i, row in ipairs(rows) do
    lines[i] = {
      row.name, or_false(row.cores), or_false(row.peak.float32), or_false(row.peak.bfloat16), row.memory,
      or_false(row.bandwidth), row.link == "shared" and "shared memory" or or_false(row.link), row.source,
    }
  end
  return document.table{
    title = "Published figures (peaks, not measured here)",
    columns = {
      {name = "device", unit = "text"}, {name = "cores", unit = "count"}, {name = "float32", unit = "FLOP/s"},
      {name = "bfloat16", unit = "FLOP/s"}, {name = "memory", unit = "B"}, {name = "its bandwidth", unit = "B/s"},
      {name = "link to the host", unit = "B/s"}, {name = "source", unit = "text"},
    },
    rows = lines,
  }
end

return figures
