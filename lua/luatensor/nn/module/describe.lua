--- Returns the text of a module for tostring and print.

local args = require "luatensor.base.args"
local fields = require "luatensor.nn.module.fields"

local describe = {}

--- Returns a number with commas: "12,345".
function describe.count(n)
  local text = ("%d"):format(n):reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", "")
  return text
end

local function parameters_text(n) return ("%s parameter%s"):format(describe.count(n), n == 1 and "" or "s") end

local MOST_SHAPES <const> = 4         -- the largest number of shapes on one line

--- Returns the error in the module's fields, or nil. Printing shows this error instead of raising it.
function describe.problem(self)
  local ok, why = pcall(self._check, self)
  if ok then return nil end
  return (tostring(why):gsub("^[^\n]-:%d+: ", ""):gsub("^" .. self.class_name .. ": ", ""))
end

-- Returns the text of a module's own parameters: "weight [128, 64], bias [128]: 8,320 parameters". Adds the
-- parameters to the set `all`.
local function shapes_text(self, all)
  local problem = describe.problem(self)
  if problem then return "  " .. problem end
  local parts, count = {}, 0
  for _, name in ipairs(self._names) do
    local x = rawget(self, name)
    if fields.is_parameter(self, name, x) then
      parts[#parts + 1] = name .. " " .. args.shape_text(x.shape)
      count = count + x.size
      all[x] = true
    end
  end
  if count == 0 then return "" end
  if #parts > MOST_SHAPES then
    parts = table.move(parts, 1, MOST_SHAPES, 1, {[MOST_SHAPES + 1] = ("%d more"):format(#parts - MOST_SHAPES)})
  end
  return ("  %s: %s"):format(table.concat(parts, ", "), parameters_text(count))
end

local function add_lines(self, indent, lines, label, above, all)
  local extra = self:extra()
  local own = ("%s%s%s"):format(indent, label, self.class_name)
  if above[self] then
    lines[#lines + 1] = ("%s(%s): the one above"):format(own, extra)
    return
  end
  above[self] = true
  local children = {}
  for name, child in self:named_children() do children[#children + 1] = {name, child} end
  local shapes = shapes_text(self, all)
  if #children == 0 or extra ~= "" or shapes ~= "" then own = ("%s(%s)%s"):format(own, extra, shapes) end
  lines[#lines + 1] = own .. (#children == 0 and "" or own:find(")", #indent + #label + 1, true) and " (" or "(")
  for _, child in ipairs(children) do
    add_lines(child[2], indent .. "  ", lines, ("(%s): "):format(child[1]), above, all)
  end
  above[self] = nil
  if #children > 0 then lines[#lines + 1] = indent .. ")" end
end

--- Returns the network as text: each module with the shapes and the number of elements of its parameters, then the
-- total.
function describe.text(self)
  local lines, count, trained = {}, 0, 0
  local all = {}
  add_lines(self, "", lines, "", {}, all)
  for x in pairs(all) do
    count = count + x.size
    if x.requires_grad then trained = trained + x.size end
  end
  local frozen = trained < count and (", %s of them trained"):format(describe.count(trained)) or ""
  if #lines > 1 then lines[#lines + 1] = parameters_text(count) .. frozen end
  return table.concat(lines, "\n")
end

return describe
