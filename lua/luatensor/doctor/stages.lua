--- The stages of `luatensor doctor`, in their order.

--- Rows {name, title, weight, module, run (a function of the module), logs}. The weight is the stage's share of the
-- time, relative to the other weights. The module of luatensor.doctor is loaded only in the child process, because it
-- may use the device. logs: true if the child reads the list of loaded kernels.
local rows = {
  {name = "versions", title = "versions and pairings", weight = 2, module = "software", run = "versions"},
  {name = "kernels", title = "a kernel of each family", weight = 14, module = "families", run = "kernels",
    logs = true},
  {name = "families", title = "families beside the CPU", weight = 20, module = "families", run = "against_cpu"},
  {name = "products", title = "IEEE products", weight = 4, module = "families", run = "products"},
  {name = "errors", title = "late errors", weight = 3, module = "queues", run = "late_errors"},
  {name = "transfers", title = "transfers", weight = 6, module = "memory", run = "transfers"},
  {name = "graphs", title = "graphs", weight = 6, module = "queues", run = "graphs"},
  {name = "races", title = "races", weight = 12, module = "queues", run = "races"},
  {name = "full", title = "a full card", weight = 9, module = "memory", run = "full_card"},
  {name = "speed", title = "speeds and the notebook's loops", weight = 20, module = "speed", run = "all"},
}

local stages = {list = rows}

--- Returns the names of all stages.
function stages.names()
  local names = {}
  for i, row in ipairs(rows) do names[i] = row.name end
  return names
end

--- Returns the rows with these names, in the order of the list; all rows if `names` is empty.
function stages.select(names)
  local wanted, selected = {}, {}
  for _, name in ipairs(names) do wanted[name] = true end
  for _, row in ipairs(rows) do
    if #names == 0 or wanted[row.name] then selected[#selected + 1] = row end
  end
  return selected
end

return stages
