--- Computes rates as shares of a device's measured limits.

local document = require "luatensor.page.document"

local share = {}

--- If a rate exceeds this share of a limit, something other than the measured limit bounds the rate.
share.OVER = 1.05
local CACHED <const> = 1.5       -- a working set that is read this many times as fast as memory is in a cache

--- For complex dtypes, the dtype of the real and imaginary parts, in which complex numbers are computed.
local parts <const> = {complex64 = "float32", complex128 = "float64"}

--- Returns the row of a dtype in a device's `arithmetic` or `products`, or nil if it was not measured.
function share.row_of(rows, dtype)
  for _, row in ipairs(rows) do
    if row.dtype == dtype then return row end
  end
end

local row_of <const> = share.row_of

-- Compares two measured rates: multiply-adds and matrix products. Returns the larger rate and its name, or nil and the
-- reason if neither rate was measured.
local function flops_limit(entry, dtype)
  dtype = parts[dtype] or dtype or "float32"
  local plain, product = row_of(entry.arithmetic, dtype), row_of(entry.products, dtype)
  if entry.kind == "cpu" and not plain and (dtype == "float16" or dtype == "bfloat16") then
    plain = row_of(entry.arithmetic, "float32")       -- half floats are computed in float32
  end
  if product and product.flops > (plain and plain.flops or 0) then
    return product.flops, "products of " .. dtype
  end
  if plain then return plain.flops, "arithmetic of " .. plain.dtype end
  return nil, "arithmetic of " .. dtype .. " was not measured"
end

--- Returns the measured point for a working set: the smallest point that is at least as large.
-- @tab entry of a device
-- @int bytes of all threads together
-- @treturn ?table nil if the set is larger than all points
function share.point(entry, bytes)
  local each = bytes / (entry.threads or 1)
  for _, point in ipairs(entry.levels) do
    if point.bytes >= each then return point end
  end
end

-- True if the working set, in bytes, is more than twice as large as all caches that the system reports. The factor of
-- 2 allows for virtual machines, which may report only a part of a cache. False if the system reports no L3 cache,
-- because there may be an L3 cache of unknown size.
local function exceeds_caches(entry, bytes)
  local all, last = 0, ""
  for _, cache in ipairs(entry.caches or {}) do
    all, last = all + cache.bytes * math.max(1, (entry.cores or 1) // cache.shared), cache.name
  end
  return last >= "L3" and bytes > 2 * all
end

--- True if a working set fits into a cache. A working set larger than all caches does not, even if noise makes its time
-- look like a cache's.
-- @treturn boolean
-- @treturn ?table the measured point
function share.in_cache(entry, bytes)
  local point = bytes and share.point(entry, bytes)
  local fast = point ~= nil and entry.read ~= nil and point.read > CACHED * entry.read
  return fast and not exceeds_caches(entry, bytes), point
end

local function bytes_limit(entry, kind, working_set)
  local cached, point = share.in_cache(entry, working_set)
  if cached and kind == "read" then return point.read, "reading a working set of this size" end
  if cached then return nil, "in cache" end
  if not entry[kind] then return nil, "memory was not measured" end
  return entry[kind], kind == "read" and "reading memory" or "copying memory"
end

local function transfer_limit(entry, out)
  for _, row in ipairs(entry.transfers) do
    if row.out == out and not row.pinned then return row.bandwidth end
  end
end

--- Implements luatensor.bench.machine.limit for the entry of a device.
function share.of_row(entry, row)
  if row.part == "to_device" or row.part == "to_host" then
    local rate = transfer_limit(entry, row.part == "to_host")
    return rate, rate and "bytes"
  elseif row.flops > 0 then
    local rate = flops_limit(entry, row.dtype)
    return rate, rate and "flops"
  elseif row.bytes > 0 and row.calls > 0 then
    local rate = bytes_limit(entry, "copy", row.bytes / row.calls)
    return rate, rate and "bytes"
  end
end

--- Implements luatensor.bench.machine.share for the entry of a device.
function share.of(entry, rate, kind, dtype, working_set)
  local limit, name
  if kind == "flops" then
    limit, name = flops_limit(entry, dtype)
  elseif kind == "read" or kind == "copy" then
    limit, name = bytes_limit(entry, kind, working_set)
  else
    error(("share: unknown kind %q"):format(tostring(kind)), 2)
  end
  if not limit then return nil, name end
  local value, note = rate / limit, nil
  if value > share.OVER then
    note = document.note("{share} of what was measured for {name}, which is no limit then: part of the data was in a "
      .. "cache, or the machine was busy when its limits were measured.",
      {share = {value, "share"}, name = {name, "text"}})
  end
  return value, name, note
end

return share
