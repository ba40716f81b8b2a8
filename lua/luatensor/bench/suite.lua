--- Several results as one: what a run of the command measured.

local document = require "luatensor.bench.document"
local result = require "luatensor.bench.result"

local suite = {}

local function append(blocks, more)
  for _, block in ipairs(more) do blocks[#blocks + 1] = block end
end

-- Fields: name, results (a list), problems (texts of what failed), incomplete.
local class = result.class("suite", {
  blocks = function(self)
    local blocks = {}
    for _, each in ipairs(self.results) do append(blocks, each:blocks()) end
    for _, problem in ipairs(self.problems) do blocks[#blocks + 1] = document.note("{it}", {it = {problem, "text"}}) end
    if self.incomplete then blocks[#blocks + 1] = document.note("{it}", {it = {self.incomplete, "text"}}) end
    return blocks
  end,
  timings = function(self)
    local list = {}
    for _, each in ipairs(self.results) do
      if each.timings then append(list, each:timings()) end
    end
    return list
  end,
})

--- Several results as one.
-- @string name of the whole
-- @tab results
-- @tab[opt] problems texts: what failed
-- @string[opt] incomplete how far it got
-- @treturn table a result of kind "suite"
function suite.new(name, results, problems, incomplete)
  local emulated
  for _, each in ipairs(results) do emulated = emulated or each.emulated end
  return result.new(class, {
    name = name, results = results, problems = problems or {}, incomplete = incomplete, emulated = emulated,
  })
end

return suite
