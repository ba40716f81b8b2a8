--- The inspection functions and the constants of the Python array API standard (data-apis.org). The inspection
-- functions tell a program which dtypes, devices and features a library supports.

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local lt = require "luatensor.base.public"

--- The ratio of a circle's circumference to its diameter, 3.14159…
lt.pi = math.pi

--- Euler's number, 2.71828…
lt.e = math.exp(1)

--- Infinity.
lt.inf = math.huge

--- NaN, the result of 0 / 0. NaN equals nothing, not even NaN.
lt.nan = 0.0 / 0.0

--- Inspection functions of the array API standard (`__array_namespace_info__` in Python).
local info = {}
lt.info = info

--- Returns what the library supports, under the names of the Python array API standard.
-- @function info.capabilities
-- @treturn table {["boolean indexing"] =, ["data-dependent shapes"] =, ["max dimensions"] =}
function info.capabilities()
  return {["boolean indexing"] = true, ["data-dependent shapes"] = true, ["max dimensions"] = 16}
end

--- Returns the default device.
-- @function info.default_device
-- @treturn string the device of tensors that are made without option `device`
function info.default_device() return lt.get_default_device() end

--- Returns the names of the devices of this machine. lt.devices returns more details.
-- @function info.devices
-- @treturn {string,...}
function info.devices()
  local names = {}
  for i, device in ipairs(lt.devices()) do names[i] = device.device end
  return names
end

--- Returns the dtypes of tensors that are made without option `dtype`. They are the same on every device.
-- @function info.default_dtypes
-- @tparam[opt] table options `device`
-- @treturn table {["real floating"] =, ["complex floating"] =, integral =, indexing =}
function info.default_dtypes(options)
  local device = args.options("default_dtypes", options, {device = true}).device
  if device then lt.device(device) end
  local float = lt.get_default_dtype()
  return {
    ["real floating"] = float, ["complex floating"] = float == "float64" and "complex128" or "complex64",
    integral = "int64", indexing = "int64",
  }
end

--- Returns all dtypes, or the dtypes of a kind. They are the same on every device.
-- @function info.dtypes
-- @tparam[opt] table options `device`; `kind`: a kind or a list of kinds, as in isdtype
-- @treturn table that maps each dtype's name to the same name: {float32 = "float32", …}
function info.dtypes(options)
  options = args.options("dtypes", options, {device = true, kind = true})
  if options.device then lt.device(options.device) end
  local names = {}
  for _, name in ipairs(core.dtypes) do
    if options.kind == nil or lt.isdtype(name, options.kind) then names[name] = name end
  end
  return names
end
