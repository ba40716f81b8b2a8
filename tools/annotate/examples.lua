-- Reads the examples of the public names, docs/examples/*.lua. Help and editors show the examples, and
-- spec/docs/examples_of_names_spec.lua runs them.
--
--   --- mean, sum                            the names to which the example belongs
--   lt.tensor{{1, 2}, {3, 5}}:mean(1)        --> [2.0, 3.5]
--
-- A line with an arrow has an expression and its printed value. A tensor prints as its elements only, with one space
-- between them.

local examples = {}

--- Returns the examples in a text, as {names =, lines =}.
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
                       "distributed", "measuring", "plotting"}

--- Returns all examples, in the order of the files.
function examples.all()
  local all = {}
  for _, room in ipairs(ROOMS) do
    local file <close> = assert(io.open(("docs/examples/%s.lua"):format(room)))
    table.move(examples.parse(file:read "a"), 1, 1000, #all + 1, all)
  end
  return all
end

--- Returns the example of each name, as a list of lines by name.
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

--- Converts an example to Lua code that calls check(value, expected) for each result.
function examples.code(lines)
  local code = {}
  for i, line in ipairs(lines) do
    local expression, expected = line:match "^(.-)%s*%-%->%s*(.*)$"
    code[i] = expression and ("check(%s, %q)"):format(expression, expected) or line
  end
  return table.concat(code, "\n")
end

--- Formats a value as examples show it.
function examples.show(value)
  local text = tostring(value):gsub("  %l+%d* ?%[?[%d, ]*%]? cpu$", ""):gsub("%s*\n%s*", " "):gsub("%s+$", "")
  return (text:gsub("%[ +", "["):gsub(", +", ", "))
end

return examples
