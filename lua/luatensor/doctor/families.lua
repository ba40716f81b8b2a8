--- Stages of `luatensor doctor` that test each family of kernels.

local core = require "luatensor.core"
local lt = require "luatensor"
local cases = require "luatensor.doctor.cases"
local compare = require "luatensor.doctor.compare"
local nn = require "luatensor.nn"

local families = {}

-- ---- one kernel of each family ----

-- Returns the kernels that this process has loaded, from the file LUATENSOR_KERNELS_LOADED. On devices that load no
-- kernels the list is empty.
local function loaded_kernels()
  local list, path = {}, os.getenv "LUATENSOR_KERNELS_LOADED"
  local file <close> = path and io.open(path)
  for line in file and file:lines() or function() end do
    local name, registers, bytes, shared, threads = line:match "^(.-)\t(%d+)\t(%d+)\t(%d+)\t(%d+)$"
    if not name then error("a line of LUATENSOR_KERNELS_LOADED: " .. line, 0) end
    list[#list + 1] = {name = name, registers = tonumber(registers), ["local"] = tonumber(bytes),
      shared = tonumber(shared), threads = tonumber(threads)}
  end
  return list
end

-- Returns true if the attributes of all kernels are plausible. A warp of 32 threads is the smallest block, and 512
-- registers are the most of any GPU.
local function are_plausible(kernels)
  for _, k in ipairs(kernels) do
    if k.threads < 32 or k.registers < 1 or k.registers > 512 then
      return ("%s: %d registers, at most %d threads in a block"):format(k.name, k.registers, k.threads)
    end
  end
  return #kernels > 0 or "no kernel was loaded"
end

local function count_kernels(r, kernels)
  local most, with_local = 0, 0
  for _, k in ipairs(kernels) do
    most = math.max(most, k.registers)
    with_local = with_local + (k["local"] > 0 and 1 or 0)
  end
  r:figure{name = "kernels loaded", value = #kernels, unit = "count"}
  r:figure{name = "kernels with local memory", value = with_local, unit = "count"}
  r:figure{name = "most registers of a thread", value = most, unit = "count"}
end

--- Makes one call of each family, for which its kernel is compiled and loaded, and compares the result with the known
-- answer. Then checks the attributes of the loaded kernels.
function families.kernels(r)
  for _, row in ipairs(cases.of(r.device)) do
    r:check(("%s (%s)"):format(row.family, row.name), function() return cases.knows(row, r.device) end)
  end
  if r.info.kind ~= "gpu" then return end
  local kernels = loaded_kernels()
  r:check("attributes", function() return are_plausible(kernels) end)
  count_kernels(r, kernels)
  r:send{kernels = kernels}
end

-- ---- all sizes ----

local SIZES <const> = {0, 1, 31, 33, 1023, 4097, (1 << 20) + 7}
local OFFSETS <const> = {0, 1, 3}

local function fits(row, n) return n >= (row.least or 0) and n <= (row.most or math.huge) end

-- Compares a row's results at size n with the CPU's, at an offset of the inputs.
local function compare_size(r, row, n, offset)
  local inputs = cases.inputs(row, n)
  local wanted = compare.on_one_thread(function() return cases.bind(row, inputs, n, core.host_device, 0)() end)
  return compare.results(cases.bind(row, inputs, n, r.device, offset)(), wanted, row.bound and row.bound(n))
end

local MOST <const> = 0.25        -- of the time that is left: the predicted time of a call that is made
local CONSTANT <const> = 100     -- elements up to which the time of a call hardly depends on the size

--- Compares the results of each family with the results of one thread of the CPU, at each size. The time of a size is
-- predicted from the previous size.
function families.against_cpu(r)
  local took, size = {}, {}
  for _, n in ipairs(SIZES) do
    for _, row in ipairs(cases.of(r.device)) do
      local predicted = (took[row] or 0) * math.max(1, n / math.max(CONSTANT, size[row] or 0))
      if fits(row, n) and predicted > MOST * r:left() then
        r:leave_out(("%s of %d elements"):format(row.name, n))
      elseif fits(row, n) then
        local start = lt.clock()
        for _, offset in ipairs(OFFSETS) do
          local name = ("%s, %d elements, offset %d"):format(row.name, n, offset)
          r:check(name, function() return compare_size(r, row, n, offset) end)
        end
        took[row], size[row] = lt.clock() - start, n
      end
    end
  end
end

-- ---- exact products ----

-- 1 + 2^-12 rounds to 1 in TF32, which has 10 bits of mantissa. Its square is then 1 instead of 1 + 2^-11 + 2^-24.
local FACTOR <const> = 1 + 2.0 ^ -12
local BOUND <const> = 2.0 ^ -15          -- of a sum of 64 IEEE products; the error of TF32 is 2^-11

local function filled(device, ...) return lt.full({...}, FACTOR, {dtype = "float32", device = device}) end

-- Returns true if all elements are sums of `terms` squares of FACTOR.
local function are_squares(x, terms)
  local wanted = terms * FACTOR * FACTOR
  local error = (x:to(core.host_device, "float64") - wanted):abs():max():item() / wanted
  return error <= BOUND or ("relative error %.2g: the factors were rounded"):format(error)
end

local products = {
  {"8 × 8", function(device) return filled(device, 8, 8):matmul(filled(device, 8, 8)), 8 end},
  {"256 × 64 × 256", function(device) return filled(device, 256, 64):matmul(filled(device, 256, 64).T), 64 end},
  {"1024 × 64 × 1024", function(device) return filled(device, 1024, 64):matmul(filled(device, 64, 1024)), 64 end},
  {"matrix and vector", function(device) return filled(device, 500, 64):matmul(filled(device, 64)), 64 end},
  {"batch of 5", function(device) return filled(device, 5, 33, 64):matmul(filled(device, 5, 64, 31)), 64 end},
  {"linear layer", function(device)
    return nn.functional.linear(filled(device, 100, 64), filled(device, 50, 64)), 64
  end},
  {"convolution", function(device)
    return nn.functional.conv2d(filled(device, 4, 8, 12, 12), filled(device, 16, 8, 2, 2)), 32
  end},
}

--- Proves that products of float32 do not round their factors to fewer bits.
function families.products(r)
  for _, product in ipairs(products) do
    r:check("product, " .. product[1], function() return are_squares(product[2](r.device)) end)
  end
end

return families
