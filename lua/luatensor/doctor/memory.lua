--- Stages of `luatensor doctor` that test memory: transfers, and a card whose memory is in use.

local core = require "luatensor.core"
local lt = require "luatensor"
local cases = require "luatensor.doctor.cases"
local interrupt = require "luatensor.bench.interrupt"
local meters = require "luatensor.bench.machine.meters"
local projected = require "luatensor.doctor.projected"

local memory = {}

-- ---- transfers ----

local SIZES <const> = {1, 31, 33, 1023, 4097, (1 << 20) + 7}

-- Sends x to the device and back, each way into a view with an odd offset.
local function there_and_back(r, x)
  local there = cases.place(x, r.device, 3)
  local back = cases.place(there, core.host_device, 1)
  return back:to_bytes() == x:to_bytes() or "other bytes come back"
end

local function bandwidths(r)
  for _, pinned in ipairs{false, true} do
    for _, out in ipairs{false, true} do
      local words = ("%s memory, to the %s"):format(pinned and "page-locked" or "ordinary", out and "CPU" or "device")
      r:check("speed of " .. words, function()
        local row = meters.transfer(r.device, pinned, out, math.min(0.25, r.seconds / 20))
        r:figure{name = words, value = row.bandwidth, unit = "B/s",
          projected = pinned and projected.link(r.info) or nil}
        return true
      end)
    end
  end
end

--- Sends data of several sizes to the device and back, and measures the speed of large transfers.
function memory.transfers(r)
  for _, n in ipairs(SIZES) do
    local x = lt.rand(n, {device = core.host_device})
    r:check(("%d elements"):format(n), function() return there_and_back(r, x) end)
    r:check(("%d elements of int8"):format(n), function() return there_and_back(r, (x * 100):to "int8") end)
    if r.device ~= core.host_device then
      r:check(("%d elements, page-locked"):format(n), function() return there_and_back(r, x:pin_memory()) end)
    end
  end
  if r.device == core.host_device then return r:leave_out "speeds of transfers: the CPU needs none" end
  bandwidths(r)
end

-- ---- a full card ----

local LEAST <const> = 4096           -- bytes of the smallest tensor that fills the card
local KEPT <const> = 1 << 20         -- bytes that may stay in use: constants that libraries and the module keep

-- Libraries of NVIDIA and AMD report a lack of memory as a failed allocation.
local function is_about_memory(problem)
  local words = tostring(problem):lower()
  return words:find "memory" ~= nil or words:find "alloc" ~= nil
end

-- Makes tensors until no more fit. Returns the list of the tensors, and what is wrong, or nil.
local function fill(r)
  local held, taken = {}, 0
  local chunk = math.max(LEAST, (core.available_memory(r.device) or r.info.memory) // 8)
  while chunk >= LEAST and taken < (r.info.memory or math.huge) do
    local ok, x = pcall(lt.empty, {chunk}, {dtype = "uint8", device = r.device})
    if ok then
      held[#held + 1], taken = x, taken + chunk
    elseif interrupt.is(x) then
      error(x, 0)
    elseif not is_about_memory(x) then
      return held, x
    else
      chunk = chunk // 2
    end
  end
  return held
end

-- Makes the small call of a row, whose result must be right, or whose error must be about memory.
local function right_or_refused(row, device)
  local ok, found = pcall(cases.knows, row, device)
  if interrupt.is(found) then error(found, 0) end
  if ok then return found end
  return is_about_memory(found) or found
end

local function with_all_in_use(r)
  local held, problem
  r:check("taking all memory", function()
    held, problem = fill(r)
    if problem then return problem end
    local taken = 0
    for _, x in ipairs(held) do taken = taken + x.size end
    r:figure{name = "taken", value = taken, unit = "B"}
    return taken > 0 or "no tensor was made"
  end)
  for _, row in ipairs(cases.of(r.device)) do
    r:check(row.name .. ", all memory in use", function() return right_or_refused(row, r.device) end)
  end
  for _, x in ipairs(held or {}) do x:free() end
end

--- Takes all memory of a GPU, calls each family, frees the memory, and calls each family again.
function memory.full_card(r)
  if r.info.kind ~= "gpu" then return r:skip "the memory of the machine is not filled" end
  lt.synchronize(r.device)
  collectgarbage()
  local before = lt.memory(r.device).live
  with_all_in_use(r)
  lt.empty_cache(r.device)
  for _, row in ipairs(cases.of(r.device)) do
    r:check(row.name .. ", afterwards", function() return cases.knows(row, r.device) end)
  end
  r:check("live bytes", function()
    collectgarbage()
    collectgarbage()
    local after = lt.memory(r.device).live
    return after <= before + KEPT or ("%d before, %d afterwards"):format(before, after)
  end)
end

return memory
