--- The short answers at the top of a report: what a stranger wants to know first.

local summary = {}

--- The answers.
-- @tab report a result of kind "report" with its sections
-- @treturn {table,...} each {title =, blocks =}
function summary.of(report)
  local answers = {}
  if report.without then answers[1] = {title = "Is there a GPU?", blocks = {}} end
  return answers
end

return summary
