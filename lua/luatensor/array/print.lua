--- Implements tostring(x) for tensors: the elements in aligned columns, without the middle of large tensors, then
-- dtype, shape and device.
--
--     [[1.0, 2.5],
--      [3.0, 4.0]]  float32 [2, 2] cpu

local args = require "luatensor.base.args"
local clocale = require "luatensor.base.clocale"
local core = require "luatensor.core"
local lt = require "luatensor.base.public"

local options = {
  precision = 4,       -- maximum number of digits after the point
  threshold = 1000,    -- tensors with more elements are shortened
  edgeitems = 3,       -- elements that a shortened tensor shows at each end of a dim
  linewidth = 80,      -- columns after which a row continues in the next line
  -- Scientific notation: true, false, or "auto" (only if fixed notation would be too long or hide digits).
  sci = "auto",
}

-- ---- numbers ----

local function is_finite(v) return v - v == 0 end

--- True if floats are printed in scientific notation. With option `sci` = "auto", the result is true in two cases:
-- fixed notation would show more than 8 digits before the point, or only zeros for the smallest number.
local function needs_sci(values)
  if options.sci ~= "auto" then return options.sci end
  local largest, least = 0, math.huge
  for _, v in ipairs(values) do
    local m = math.abs(v)
    if is_finite(v) and m > 0 then
      largest, least = math.max(largest, m), math.min(least, m)
    end
  end
  return largest >= 1e8 or options.precision > 0 and least < 10 ^ -options.precision
end

--- Returns the mantissa of a number's text without the trailing zeros after the point; one digit after the point always
-- stays. The second result is the exponent, such as "e+05" or "".
local function trim(text)
  local mantissa, exponent = text:match("^([^e]*)(.*)$")
  local short = mantissa:gsub("0+$", "")
  if short:sub(-1) == "." then short = short .. "0" end
  return short, exponent
end

local function digits_after_point(text)
  local fraction = trim(text):match("%.(%d+)$")
  return fraction and #fraction or 0
end

local function special(v)
  if v ~= v then return "nan" end
  return v > 0 and "inf" or "-inf"
end

--- Returns the texts of floats, all with as many digits after the point as the float that needs the most.
local function floats_text(values)
  local letter = needs_sci(values) and "e" or "f"
  local full, digits = ("%%.%d%s"):format(options.precision, letter), math.min(1, options.precision)
  for _, v in ipairs(values) do
    if is_finite(v) then digits = math.max(digits, digits_after_point(full:format(v))) end
  end
  local short, texts = ("%%.%d%s"):format(digits, letter), {}
  for i, v in ipairs(values) do
    texts[i] = is_finite(v) and short:format(v) or special(v)
  end
  return texts
end

local function format_floats(values) return clocale.call(floats_text, values) end

--- Returns the decimal text of a uint64, which is given as the int64 with the same 64 bits.
local function unsigned(v)
  if v >= 0 then return tostring(v) end
  local tenth = (v >> 1) // 5
  return ("%d%d"):format(tenth, v - tenth * 10)
end

local function align(texts)
  local width = 0
  for _, text in ipairs(texts) do width = math.max(width, #text) end
  for i, text in ipairs(texts) do texts[i] = (" "):rep(width - #text) .. text end
  return width
end

--- Returns the texts of complex numbers such as "1.0-2.5i". Real parts have one width; imaginary parts have a sign.
local function format_complex(values)
  local re, im, texts = {}, {}, {}
  for i, v in ipairs(values) do re[i], im[i] = v[1], v[2] end
  re, im = format_floats(re), format_floats(im)
  align(re)
  for i, text in ipairs(im) do texts[i] = re[i] .. (text:find("^[-+]") and "" or "+") .. text .. "i" end
  return texts
end

local function format_values(values, dtype)
  if type(values[1]) == "table" then return format_complex(values) end
  if math.type(values[1]) == "float" then return format_floats(values) end
  local texts = {}
  for i, v in ipairs(values) do texts[i] = dtype == "uint64" and unsigned(v) or tostring(v) end
  return texts
end

-- ---- layout ----

--- Returns the number of elements to show at each end of a dim: option `edgeitems`, lowered (to 1 at least) until at
-- most `threshold` elements are shown. For tensors of up to `threshold` elements, which are shown whole, the result is
-- larger than any dim.
local function choose_edge(shape, size)
  if size <= options.threshold then return math.maxinteger // 2 end
  -- If threshold // 2 elements are shown at each end, the longest dim alone reaches `threshold` elements.
  local edge = math.min(options.edgeitems, math.max(options.threshold // 2, 1))
  local function shown(e)
    local n = 1.0
    for _, length in ipairs(shape) do n = n * math.min(length, 2 * e) end
    return n
  end
  while edge > 1 and shown(edge) > options.threshold do edge = edge - 1 end
  return edge
end

--- Returns the text of the row texts[first] … texts[first + n - 1], broken into lines of `linewidth` columns. "…" is
-- inserted before element `gap` (counted from 0; nil: no "…"). Elements have `width` columns, later lines begin with
-- `indent` spaces.
local function format_row(texts, first, n, gap, indent, width)
  local per_line = math.max(1, (options.linewidth - indent) // (width + 2))
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
  local edge = choose_edge(shape, size)
  local texts = format_values(core.excerpt(x, edge), x.dtype)
  if #shape == 0 then return texts[1] end
  local block = {shape = shape, edge = edge, texts = texts, width = align(texts)}
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
  local shape = x.shape
  local description = x.dtype .. " " .. (#shape > 0 and args.shape_text(shape) .. " " or "") .. x.device
  if x.grad_fn then description = description .. " grad_fn=" .. x.grad_fn
  elseif x.requires_grad then description = description .. " requires_grad=true" end
  return format_body(x) .. "  " .. description
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
  for name, value in pairs(checked) do options[name] = value end
end
