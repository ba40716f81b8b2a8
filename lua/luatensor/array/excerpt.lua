--- Chooses the elements of a tensor that print and notebooks show, and formats them.

local args = require "luatensor.base.args"
local clocale = require "luatensor.base.clocale"
local core = require "luatensor.core"

local excerpt = {}

--- The options of lt.set_printoptions.
excerpt.options = {
  precision = 4,       -- maximum number of digits after the point
  threshold = 1000,    -- tensors with more elements are shortened
  edgeitems = 3,       -- elements that a shortened tensor shows at each end of a dim
  linewidth = 80,      -- columns after which a row continues in the next line
  -- Scientific notation: true, false, or "auto" (only if fixed notation would be too long or hide digits).
  sci = "auto",
}

local options = excerpt.options

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

--- Pads texts on the left to a common width, which is returned.
function excerpt.align(texts)
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
  excerpt.align(re)
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

-- ---- choice ----

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

--- Returns the elements that are shown.
-- @tensor x
-- @tparam[opt] int longest the largest number of elements that are shown along a dim; by default no limit
-- @treturn table texts of the shown elements, in row-major order
-- @treturn int the number of elements that are shown at each end of a dim; dims of at most twice as many elements are
--   shown whole
function excerpt.of(x, longest)
  local edge = choose_edge(x.shape, x.size)
  if longest then edge = math.min(edge, longest // 2) end
  return format_values(core.excerpt(x, edge), x.dtype), edge
end

--- Returns the text that follows the elements: dtype, shape, device, and what the tensor records.
function excerpt.description(x)
  local shape = x.shape
  local description = x.dtype .. " " .. (#shape > 0 and args.shape_text(shape) .. " " or "") .. x.device
  if x.grad_fn then description = description .. " grad_fn=" .. x.grad_fn
  elseif x.requires_grad then description = description .. " requires_grad=true" end
  return description
end

return excerpt
