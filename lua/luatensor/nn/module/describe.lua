--- Modules as text.

local args = require "luatensor.args"
local fields = require "luatensor.nn.module.fields"

local describe = {}

local function count_text(n)
  local text = ("%d"):format(n):reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", "")
  return text
end

-- weight [128, 64], bias [128]
local function shapes_text(self)
  local parts, count = {}, 0
  for _, name in ipairs(self._names) do
    local x = rawget(self, name)
    if fields.is_parameter(self, name, x) then
      parts[#parts + 1] = name .. " " .. args.shape_text(x.shape)
      count = count + x.size
    end
  end
  if count == 0 then return "" end
  return ("  %s: %s parameters"):format(table.concat(parts, ", "), count_text(count))
end

local function add_lines(self, indent, lines, label, above)
  local own = ("%s%s%s(%s"):format(indent, label, self.class_name, self:extra())
  if above[self] then
    lines[#lines + 1] = own .. "): the one above"
    return
  end
  above[self] = true
  local children = {}
  for name, child in self:named_children() do children[#children + 1] = {name, child} end
  lines[#lines + 1] = own .. (#children == 0 and ")" or "") .. shapes_text(self)
  for _, child in ipairs(children) do add_lines(child[2], indent .. "  ", lines, ("(%s): "):format(child[1]), above) end
  above[self] = nil
  if #children > 0 then lines[#lines + 1] = indent .. ")" end
end

--- The network as text: each module with its parameters' shapes, and how many numbers they are.
function describe.text(self)
  local lines, count, trained = {}, 0, 0
  add_lines(self, "", lines, "", {})
  for _, x in ipairs(self:parameters()) do
    count = count + x.size
    if x.requires_grad then trained = trained + x.size end
  end
  local frozen = trained < count and (", %s of them trained"):format(count_text(trained)) or ""
  if #lines > 1 then lines[#lines + 1] = ("%s parameters%s"):format(count_text(count), frozen) end
  return table.concat(lines, "\n")
end

return describe
