-- tags: texts
-- Tests that the examples in docs/examples, which lt.help shows, run and print the given results.

local examples = require "tools.annotate.examples"
local lt = require "luatensor"
local topics = require "luatensor.help.topics"

local globals = {lt = lt, nn = lt.nn, optim = lt.optim, data = lt.data, train = lt.train, plot = lt.plot,
  distributed = lt.distributed}

describe("the example of", function()
  for _, example in ipairs(examples.all()) do
    local name = table.concat(example.names, ", ")
    it(name .. " gives what it says", function()
      local space = setmetatable({check = function(value, expected) assert.equal(expected, examples.show(value)) end},
                                 {__index = function(_, key) return globals[key] or _G[key] end})
      for key, value in pairs(globals) do space[key] = value end
      assert(load(examples.code(example.lines), name, "t", space))()
    end)

    it(name .. " uses it", function()
      local code = table.concat(example.lines, "\n")
      for _, each in ipairs(example.names) do
        local operator = ({subtract = "-", multiply = "*", divide = "/"})[each]
        assert.truthy(code:find(each:match "_*([^.:]+)$", 1, true) or operator and code:find(operator, 1, true), each)
        assert.is_true(#example.lines <= 6)
      end
    end)
  end
end)

describe("every public name", function()
  it("has an example", function()
    local without, unknown = {}, examples.by_name()
    for _, topic in ipairs(topics.index()) do
      local doc, same = topics.doc_of(topic)
      local is_own = doc and not same and doc.kind ~= "constant" and not (doc.text[1] or ""):find "^In place"
        and not (doc.text[1] or ""):find "^The same as"
      if is_own and not doc.example then without[#without + 1] = topic.name end
      unknown[(topic.name:gsub("^Tensor:", ""))] = nil
    end
    assert.same({}, unknown)
    assert.same({}, without)
  end)
end)
