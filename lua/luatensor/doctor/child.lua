--- The child process of `luatensor doctor`, which runs one stage.

local report = require "luatensor.doctor.report"
local stages = require "luatensor.doctor.stages"

--- Runs a stage, and writes its messages to the standard output.
-- @string name of the stage
-- @number seconds that the stage may take
-- @string device to test; "" for the stage that chooses the device
return function(name, seconds, device)
  local row = stages.select{name}[1]
  local info
  if device ~= "" then info = require("luatensor.doctor.software").info_of(device) end
  local r = report.new{device = device ~= "" and device or nil, info = info, seconds = seconds, out = io.stdout}
  local ok, problem = pcall(require("luatensor.doctor." .. row.module)[row.run], r)
  if not ok then r:send{problem = report.plain(problem)} end
  r:send{done = true}
end
