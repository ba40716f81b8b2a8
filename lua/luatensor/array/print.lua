--- Implements tostring(x) for tensors: the elements in aligned columns, without the middle of large tensors, then
-- dtype, shape and device.
--
--     [[1.0, 2.5],
--      [3.0, 4.0]]  float32 [2, 2] cpu

local args = require "luatensor.base.args"
local core = require "luatensor.core"
local excerpt = require "luatensor.array.excerpt"
local lt = require "luatensor.base.public"

-- ---- layout ----

--- Returns the text of the row texts[first] … texts[first + n - 1], broken into lines of `linewidth` columns. "…" is
-- inserted before element `gap` (counted from 0; nil: no "…"). Elements have `width` columns, later lines begin with
-- `indent` spaces.
local function format_row(texts, first, n, gap, indent, width)
  local per_line = math.max(1, (excerpt.options.linewidth - indent) // (width + 2))
  local lines, line = {}, {}
  local function add(text)
    if #line == per_line then
      lines[#lines + 1] = table.concat(line, ", ")
      line = {}
    end
    line[#line + 1] = text
  end
  for i = 0, n - 1 do
    if i == gap then add("…") end
    add(texts[first + i])
  end
  lines[#lines + 1] = table.concat(line, ", ")
  return "[" .. table.concat(lines, ",\n" .. (" "):rep(indent)) .. "]"
end

--- Returns the text of one slice along the dims `dim`, `dim` + 1, … of a tensor, and the position after its elements.
-- t.texts is the list of the shown elements' texts in row-major order; the slice begins at t.texts[position].
local function format_block(t, dim, position)
  local length, edge = t.shape[dim], t.edge
  local gap = length > 2 * edge and edge or nil
  local n = gap and 2 * edge or length
  if dim == #t.shape then
    return format_row(t.texts, position, n, gap, dim, t.width), position + n
  end
  local parts = {}
  for i = 0, n - 1 do
    if i == gap then parts[#parts + 1] = "…" end
    parts[#parts + 1], position = format_block(t, dim + 1, position)
  end
  local separator = "," .. ("\n"):rep(#t.shape - dim) .. (" "):rep(dim)
  return "[" .. table.concat(parts, separator) .. "]", position
end

local function format_body(x)
  local shape, size = x.shape, x.size
  if size == 0 then return "[]" end
  local texts, edge = excerpt.of(x)
  if #shape == 0 then return texts[1] end
  local block = {shape = shape, edge = edge, texts = texts, width = excerpt.align(texts)}
  return (format_block(block, 1, 1))
end

-- ---- options ----

local function check_option(name, value)
  if name == "sci" then
    if value ~= "auto" and type(value) ~= "boolean" then
      args.fail("set_printoptions", "sci: true, false or \"auto\" expected, got %s", tostring(value))
    end
    return value
  end
  local least = (name == "precision" or name == "threshold") and 0 or 1
  local most = name == "precision" and 17 or 2 ^ 31
  return args.integer("set_printoptions", name, value, least, most)
end

function core.metatable.__tostring(x)
  local gone, word = core.gone(x)
  if gone then return ("tensor (%s)"):format(word) end
  return format_body(x) .. "  " .. excerpt.description(x)
end

--- Sets how tostring prints tensors. Options that are not given keep their values.
-- @tparam table options `precision` (4): the maximum number of digits after the point; `threshold` (1000): tensors with
--   more elements are shortened; `edgeitems` (3): elements that a shortened tensor shows at each end of a dim;
--   `linewidth` (80): columns after which a row continues in the next line; `sci` ("auto"): true prints all floats with
--   exponents, false prints no exponents, "auto" prints exponents where fixed notation would be long or hide digits
function lt.set_printoptions(new)
  local known = {precision = true, threshold = true, edgeitems = true, linewidth = true, sci = true}
  local checked = {}
  for name, value in pairs(args.options("set_printoptions", new, known)) do
    checked[name] = check_option(name, value)
  end
  for name, value in pairs(checked) do excerpt.options[name] = value end
end
