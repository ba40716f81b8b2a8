--- lt.einsum, sums of products in Einstein's notation. This file parses the strings; einsum_plan.lua plans the
-- computation.

local args = require "luatensor.base.args"
local clocale = require "luatensor.base.clocale"
local core = require "luatensor.core"
local contraction = require "luatensor.array.einsum_plan"
local lt = require "luatensor.base.public"

local methods = core.methods

local REMEMBERED = 256   -- the maximum number of strings and programs in the cache; a full cache is emptied

-- ---- the string ----

local function fail(spec, message, ...) args.fail("einsum", "%q: " .. message, spec, ...) end

--- Returns the character at byte `at` as text for a message: a character beyond ASCII with all its bytes, a space or
-- control character as its decimal code.
local function shown(spec, at)
  local c = spec:sub(at, at)
  return spec:match("^[\xC2-\xFD][\x80-\xBF]+", at) or (c:find("[!-~]") and c) or ("\\%d"):format(c:byte())
end

--- Returns the letters in bytes `first` to `last` of the string as a list; "..." counts as one letter. Field `at` of
-- the list has the position of each letter in the string. Field `ellipsis` is true if "..." is among the letters.
local function parse_term(spec, first, last)
  local term, at = {at = {}}, first
  while at <= last do
    local c = spec:sub(at, at)
    if c == "." and at + 2 <= last and spec:sub(at, at + 2) == "..." then
      if term.ellipsis then fail(spec, "... (character %d) is there twice in one operand", at) end
      c, term.ellipsis = "...", true
    elseif not c:find("[A-Za-z%s]") then
      fail(spec, "%s (character %d) is no letter, space, comma, \"...\" or \"->\"", shown(spec, at), at)
    end
    if not c:find("%s") then
      term[#term + 1] = c
      term.at[#term] = at
    end
    at = at + #c
  end
  return term
end

--- Raises an error if a letter of the result is in no operand, or occurs twice in the result.
local function check_output(spec, output, count)
  local seen = {}
  for i, name in ipairs(output) do
    if seen[name] then fail(spec, "%s (character %d) is twice in the result", name, output.at[i]) end
    if not count[name] then fail(spec, "%s (character %d) is in no operand", name, output.at[i]) end
    seen[name] = true
  end
end

--- Returns the indices of the result of a string without "->": "...", then the letters that occur once in the string,
-- in alphabetical order.
local function implied_output(count)
  local output = {}
  for name, n in pairs(count) do
    if n == 1 and name ~= "..." then output[#output + 1] = name end
  end
  clocale.sort(output)
  table.insert(output, 1, "...")
  return output
end

--- Returns the list of operands of a string. An operand is a list of index names. Field `output` of the list has the
-- index names of the result. Field `programs` is the cache of the string's programs, which is empty at first.
local function parse(spec)
  local arrow, after = spec:find("->", 1, true)
  local parsed, count, first = {programs = {}}, {}, 1
  local last = arrow and arrow - 1 or #spec
  while first <= last + 1 do
    local comma = spec:find(",", first, true)
    if not comma or comma > last then comma = last + 1 end
    local term = parse_term(spec, first, comma - 1)
    for _, name in ipairs(term) do count[name] = (count[name] or 0) + 1 end
    parsed[#parsed + 1], first = term, comma + 1
  end
  parsed.output = arrow and parse_term(spec, after + 1, #spec) or implied_output(count)
  if arrow then check_output(spec, parsed.output, count) end
  return parsed
end

-- ---- indices of dims ----

--- Returns an empty table for the indices of one call. Each index gets one bit of an integer. `bit` maps the name of an
-- index to its bit. `name`, `length` and `owner` map the bit to the name of the index, to its length, and to the number
-- of the operand that has this length. `spec` is the string. `used` is the number of indices so far. `hidden` is the
-- maximum number of dims that "..." stands for in an operand.
local function new_indices(spec)
  return {spec = spec, bit = {}, name = {}, length = {}, owner = {}, used = 0, hidden = 0}
end

local function bit_of(indices, name)
  local bit = indices.bit[name]
  if not bit then
    if indices.used == 63 then fail(indices.spec, "more than 63 different indices") end
    bit = 1 << indices.used
    indices.used = indices.used + 1
    indices.bit[name], indices.name[bit] = bit, name
  end
  return bit
end

local function index_name(indices, bit)
  local name = indices.name[bit]
  return type(name) == "string" and name or ("dim -%d of ..."):format(name)
end

--- Returns the list of the bits of the named indices. "..." stands for n dims whose names are the numbers n … 1. The
-- last of these dims is number 1 in every operand, because broadcasting aligns the last dims.
local function bits_of(indices, names, n)
  local list = {}
  for _, name in ipairs(names) do
    if name ~= "..." then
      list[#list + 1] = bit_of(indices, name)
    else
      for k = n, 1, -1 do list[#list + 1] = bit_of(indices, k) end
    end
  end
  return list
end

--- Records the lengths of the dims of operand k, or raises an error if lengths differ. Length 1 broadcasts to the
-- index's length in another operand, but not to its length in another dim of operand k (a diagonal).
local function note_lengths(indices, list, shape, k)
  local own = {}
  for d, bit in ipairs(list) do
    local n, known = shape[d], indices.length[bit]
    if own[bit] and own[bit] ~= n then
      fail(indices.spec, "%s has lengths %d and %d in operand %d", index_name(indices, bit), own[bit], n, k)
    elseif known and known ~= 1 and n ~= 1 and n ~= known then
      fail(indices.spec, "%s has length %d in operand %d and %d in operand %d", index_name(indices, bit), known,
           indices.owner[bit], n, k)
    end
    own[bit] = n
    if not known or known == 1 then indices.length[bit], indices.owner[bit] = n, k end
  end
end

--- Returns the program (a list of steps, see einsum_plan.lua) of a parsed string for operands of these shapes.
-- `dtype` is the dtype of the result.
local function plan(spec, parsed, shapes, dtype)
  local indices, lists = new_indices(spec), {}
  for k, shape in ipairs(shapes) do
    local names = parsed[k]
    local hidden = #shape - #names + (names.ellipsis and 1 or 0)
    if hidden < 0 or hidden > 0 and not names.ellipsis then
      fail(spec, "operand %d has %d indices, its tensor %d dims: %s", k, #names, #shape, args.shape_text(shape))
    end
    lists[k] = bits_of(indices, names, hidden)
    note_lengths(indices, lists[k], shape, k)
    indices.hidden = math.max(indices.hidden, hidden)
  end
  local output = bits_of(indices, parsed.output, indices.hidden)
  return contraction.plan(lists, shapes, output, indices.length, dtype)
end

-- ---- cache of parsed strings and programs ----

local known, planned = {}, 0

local function parsed_of(spec)
  local parsed = known[spec]
  if not parsed then
    parsed = parse(spec)
    known[spec], planned = parsed, planned + 1
  end
  return parsed
end

local function program_of(spec, parsed, shapes, dtype)
  local key = {dtype}
  for k, shape in ipairs(shapes) do key[k + 1] = table.concat(shape, ",") end
  key = table.concat(key, ";")
  local program = parsed.programs[key]
  if not program then
    if planned >= REMEMBERED then known, planned = {}, 0 end
    program = plan(spec, parsed, shapes, dtype)
    parsed.programs[key], planned = program, planned + 1
  end
  return program
end

--- Runs a program. `registers` is a list of tensors; at the start register k contains operand k. Returns the content
-- of register program.last.
local function run(program, registers)
  for _, step in ipairs(program) do
    local x, y, f = registers[step.x], step.y, methods[step.method]
    if y then
      registers[step.x], registers[y] = f(x, registers[y]), false
    else
      registers[step.x] = f(x, table.unpack(step.arguments))
    end
  end
  return registers[program.last]
end

--- Sums products of tensors over indices, in Einstein's notation. Each operand has a letter for each dim, as in
-- `"ij,jk->ik"`. Indices that the result lacks are summed over. Without "->", the result has the indices that occur
-- once, in alphabetical order. `...` stands for any number of dims, which broadcast; if the result lacks `...`, these
-- dims are summed over. An index that occurs twice in one operand selects the diagonal. A dim of length 1 broadcasts.
-- Up to five operands are multiplied in the order that takes the fewest multiplications. For more operands a greedy
-- search chooses the order.
-- @string spec
-- @tparam tensor ... one tensor for each operand of the string, of any dtype but bool
-- @treturn tensor of the dtype to which the operands promote; a view of the operand if nothing is multiplied or
--   summed
-- @raise if the string does not parse (the message names the character), or if lengths differ (the message names the
--   index and the operands)
-- @usage lt.einsum("bij,bjk->bik", x, y)   lt.einsum("ii", x)   lt.einsum("...i,i", x, w)
function lt.einsum(spec, ...)
  if type(spec) ~= "string" then args.fail("einsum", "string expected, got %s", core.type_name(spec)) end
  local parsed, tensors, shapes = parsed_of(spec), table.pack(...), {}
  if tensors.n ~= #parsed then fail(spec, "%d operands, but %d tensors were given", #parsed, tensors.n) end
  for k = 1, tensors.n do
    local x = args.tensor("einsum", k + 1, tensors[k])
    if x.dtype == "bool" then args.fail("einsum", "argument %d: not for bool; use x:to(\"int64\")", k + 1) end
    shapes[k] = x.shape
  end
  local result = run(program_of(spec, parsed, shapes, lt.result_type(...)), tensors)
  return rawequal(result, (...)) and result:reshape(result.shape, {copy = false}) or result
end
