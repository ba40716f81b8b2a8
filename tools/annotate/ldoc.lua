-- Writes docs as the input of LDoc.

local read = require "tools.annotate.read"

local ldoc = {}

local function add(out, format, ...) out[#out + 1] = format:format(...) end

-- A section per source file, the op table's kinds last.
local titles = {
  unary = "Element-wise, one operand", binary = "Element-wise, two operands", ternary = "Element-wise, three operands",
  quaternary = "Element-wise, four operands", reduction = "Reductions of the op table",
  alias = "Names from other libraries", limits = "Measured limits",
}

local function add_ldoc(out, doc)
  add(out, "--- %s", doc.text[1] or "")
  for i = 2, #doc.text do add(out, "-- %s", doc.text[i]) end
  add(out, "-- @function %s", doc.name)
  for _, param in ipairs(doc.params) do
    local kind = param.type:gsub("luatensor%.", "")
    add(out, "-- @tparam%s %s %s %s", param.optional and "[opt]" or "", kind, param.name, param.text)
  end
  for _, result in ipairs(doc.returns) do
    local kind = result.type:gsub("luatensor%.", "")
    add(out, "-- @treturn %s %s", kind, result.text)
  end
  add(out, "")
end

--- Input for ldoc: one module with all functions.
function ldoc.text()
  local out, section = {"--- Tensors for Lua.", "-- Functions whose first argument is a tensor are methods, too.",
    "-- @module luatensor", ""}, nil
  for _, doc in ipairs((read.collect())) do
    if doc.section ~= section then
      section = doc.section
      add(out, "--- %s", titles[section] or section:sub(1, 1):upper() .. section:sub(2))
      add(out, "-- @section %s\n", section)
    end
    add_ldoc(out, doc)
  end
  return table.concat(out, "\n") .. "\n"
end

return ldoc
