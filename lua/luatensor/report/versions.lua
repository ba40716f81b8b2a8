--- Lists the versions of the software with which a report was made.

local document = require "luatensor.page.document"
local format = require "luatensor.page.format"

-- Returns rows {name, text} for the parts of lt.config() about kernels, threads and the BLAS library. Parts about
-- GPUs, such as "cuda: …", are left out, because each GPU has its own row.
local function computes_with(config)
  local rows, names = {}, {"kernels", "BLAS"}
  for part in ((config or "") .. "; "):gmatch("(.-); ") do
    if part ~= "" and not part:find("^%a+: ") then rows[#rows + 1] = {names[#rows + 1] or "computes with", part} end
  end
  return rows
end

--- Makes a table of the versions.
-- @tab report has the fields machine (the identity from luatensor.bench.machine) and without (the reason why there is
--   no GPU)
-- @treturn table block
return function(report)
  local machine = report.machine
  local rows = {{"luatensor", machine.luatensor or false}, {"Lua", machine.lua or false},
    {"operating system", machine.system or false}}
  local function add(part, version) rows[#rows + 1] = {part, version} end
  for _, row in ipairs(computes_with(machine.config)) do add(row[1], row[2]) end
  for _, device in ipairs(machine.devices) do
    if device.software then add(format.device(device) .. ": driver and libraries", device.software) end
  end
  if report.without then add("GPU driver and libraries", report.without) end
  return document.table{title = "Versions",
    columns = {{name = "part", unit = "text"}, {name = "version", unit = "text"}}, rows = rows}
end
