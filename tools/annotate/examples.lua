-- Examples of the public names, docs/examples/*.lua: help and editors show them, and
-- spec/docs/examples_of_names_spec.lua runs them.
--
--   --- mean, sum                            the names that the example is of
--   lt.tensor{{1, 2}, {3, 5}}:mean(1)        --> [2.0, 3.5]
--
-- A line with an arrow has an expression and its printed value. A tensor prints as its elements only, with one space
-- between them.

local examples = {}

--- The examples in a text, as {names =, lines =}.
function examples.parse(text)
  local list = {}
  for line in text:gmatch "([^\n]*)\n" do
    local names = line:match "^%-%-%- (.+)$"
    if names then
      list[#list + 1] = {names = {}, lines = {}}
      for name in names:gmatch "[^, ]+" do table.insert(list[#list].names, name) end
    elseif line ~= "" and list[1] then
      table.insert(list[#list].lines, line)
    end
  end
  return list
end

local ROOMS <const> = {"creation", "elementwise", "reductions", "shapes", "linalg", "training", "functional", "devices",
                       "measuring"}

--- All examples, in order.
function examples.all()
  local all = {}
  for _, room in ipairs(ROOMS) do
    local file <close> = assert(io.open(("docs/examples/%s.lua"):format(room)))
    table.move(examples.parse(file:read "a"), 1, 1000, #all + 1, all)
  end
  return all
end

--- The example of each name, as a list of lines by name.
function examples.by_name()
  local by_name = {}
  for _, example in ipairs(examples.all()) do
    for _, name in ipairs(example.names) do
      assert(not by_name[name], name .. " has two examples")
      by_name[name] = example.lines
    end
  end
  return by_name
end

--- An example as a chunk of Lua that calls check(value, expected) for each result.
function examples.code(lines)
  local code = {}
  for i, line in ipairs(lines) do
    local expression, expected = line:match "^(.-)%s*%-%->%s*(.*)$"
    code[i] = expression and ("check(%s, %q)"):format(expression, expected) or line
  end
  return table.concat(code, "\n")
end

--- A value in the form that examples show.
function examples.show(value)
  local text = tostring(value):gsub("  %l+%d* ?%[?[%d, ]*%]? cpu$", ""):gsub("%s*\n%s*", " "):gsub("%s+$", "")
  return (text:gsub("%[ +", "["):gsub(", +", ", "))
end

return examples
