--- lt.elementwise, which makes element-wise functions from expressions. This file contains the parser. For each
-- operation of the expression, the parser calls a function of core that appends a step to the function's program.

local args = require "luatensor.base.args"
local clocale = require "luatensor.base.clocale"
local core = require "luatensor.core"
local lt = require "luatensor.base.public"

--- Additional names that expressions may use for ops of the op table.
local aliases = {max = "maximum", min = "minimum", select = "where", fabs = "abs", fmax = "maximum", fmin = "minimum"}

local constants = {pi = math.pi, inf = math.huge, infinity = math.huge, nan = 0.0 / 0.0,
                   ["true"] = true, ["false"] = false}

--- Binary operators by precedence, lowest precedence first, with the op of each operator. As in Lua, comparisons have
-- lower precedence than bitwise operators.
local levels = {
  {["||"] = "logical_or", ["or"] = "logical_or"},
  {["&&"] = "logical_and", ["and"] = "logical_and"},
  {["=="] = "equal", ["!="] = "not_equal", ["~="] = "not_equal", ["<"] = "less", ["<="] = "less_equal",
   [">"] = "greater", [">="] = "greater_equal"},
  {["|"] = "bitwise_or"},
  {["&"] = "bitwise_and"},
  {["<<"] = "bitwise_left_shift", [">>"] = "bitwise_right_shift"},
  {["+"] = "add", ["-"] = "subtract"},
  {["*"] = "multiply", ["/"] = "divide", ["//"] = "floor_divide", ["%"] = "remainder"},
}

local unary = {["-"] = "negative", ["+"] = "positive", ["!"] = "logical_not", ["not"] = "logical_not",
               ["~"] = "bitwise_invert"}

--- Constant folding: the parser computes these operations on two numbers itself, in Lua's numbers. Without folding,
-- 1 / 3 would be rounded to a tensor's dtype before another number is added.
local folded = {
  add = function(x, y) return x + y end, subtract = function(x, y) return x - y end,
  multiply = function(x, y) return x * y end, divide = function(x, y) return x / y end,
}

--- The deepest nesting of parentheses, calls and unary operators. There is a limit because the parser is recursive.
local DEEPEST = 100

local parser = {}
parser.__index = parser

--- Returns the part of the expression that an error shows: all of an expression of up to 60 bytes, else 60 bytes
-- around the position.
local function excerpt(text, position)
  if #text <= 60 then return text end
  local first, last = math.max(1, position - 30), math.min(#text, position + 29)
  -- begin and end between UTF-8 characters
  while first > 1 and text:byte(first) & 0xC0 == 0x80 do first = first - 1 end
  while last < #text and text:byte(last + 1) & 0xC0 == 0x80 do last = last + 1 end
  return (first > 1 and "…" or "") .. text:sub(first, last) .. (last < #text and "…" or "")
end

function parser:fail(position, message, ...)
  args.fail("elementwise", "character %d of \"%s\": %s", position, excerpt(self.text, position), message:format(...))
end

--- ---- tokens ----

local two_characters = {["||"] = true, ["&&"] = true, ["=="] = true, ["!="] = true, ["~="] = true, ["<="] = true,
                        [">="] = true, ["//"] = true, ["<<"] = true, [">>"] = true, ["**"] = true}

--- Reads a number in the notation of C or Lua: 1, 2.5, 1e-3, 0x1F, 1.0f.
function parser:read_number()
  local text, at = self.text, self.position
  local word = text:match("^0[xX][%x.]+[pP][+-]?%d+", at) or text:match("^0[xX][%x.]+", at)
            or text:match("^[%d.]+[eE][+-]?%d+", at) or text:match("^[%d.]+", at)
  local value = clocale.number(word)
  local rest = text:match("^[A-Za-z0-9_.]*", at + #word)
  if rest == "f" and value then value, rest, word = value + 0.0, "", word .. "f" end
  if not value or rest ~= "" then self:fail(at, "%q is not a number", word .. rest) end
  self.kind, self.word, self.number, self.position = "number", word, value, at + #word
end

--- Reads the next token of the expression. Sets self.kind ("name", "number", "sign" or "end"), self.word (the text)
-- and self.at (the position of its first byte). For a number also sets self.number.
function parser:advance()
  local text = self.text
  local at = text:find("%S", self.position)
  self.at = at or #text + 1
  if not at then self.kind, self.word = "end", "the end" return end
  self.position = at
  if text:find("^%.?%d", at) then return self:read_number() end
  local name = text:match("^[A-Za-z_][A-Za-z0-9_]*", at)
  local pair = text:sub(at, at + 1)
  local character = "^[\0-\x7F\xC2-\xFD][\x80-\xBF]*"       -- utf8.charpattern, anchored by "^"
  local word = name or (two_characters[pair] and pair) or text:match(character, at) or text:sub(at, at)
  self.kind, self.word, self.position = name and "name" or "sign", word, at + #word
end

function parser:accept(word)
  if self.word ~= word or self.kind == "number" then return false end
  self:advance()
  return true
end

function parser:expect(word)
  if not self:accept(word) then self:fail(self.at, "%q expected, got %s", word, self:here()) end
end

function parser:here()
  return self.kind == "end" and "the end" or ("%q"):format(self.word)
end

--- ---- steps of the program ----

--- Calls f, a function of core that appends steps to the program. An error in f becomes an error of the expression at
-- `position`.
function parser:build(position, f, ...)
  local results = table.pack(pcall(f, self.expression, ...))
  if results[1] then return table.unpack(results, 2, results.n) end
  self:fail(position, "%s", results[2])
end

function parser:apply(position, name, ...)
  local value, count = self:build(position, core.elementwise_apply, name, ...)
  if value == false then
    self:fail(position, "%s takes %d argument%s, got %d", name, count, count == 1 and "" or "s", select("#", ...))
  end
  return value
end

function parser:binary(position, name, x, y)
  if folded[name] and type(x) == "number" and type(y) == "number" then return folded[name](x, y) end
  return self:apply(position, name, x, y)
end

--- ---- grammar ----

function parser:arguments()
  local list = {}
  if self:accept(")") then return list end
  repeat list[#list + 1] = self:choice() until not self:accept(",")
  self:expect(")")
  return list
end

function parser:call(position, name)
  local list = self:arguments()
  if self.dtypes[name] then
    if #list ~= 1 then self:fail(position, "%s takes 1 argument, got %d", name, #list) end
    return self:build(position, core.elementwise_cast, name, list[1])
  end
  local value = self:apply(position, aliases[name] or name, table.unpack(list))
  if value ~= nil then return value end
  local nearest = core.nearest(self.functions, name)
  self:fail(position, "no function %q%s", name, nearest and ("; did you mean %q?"):format(nearest) or "")
end

function parser:name(position, name)
  if self:accept("(") then return self:call(position, name) end
  if self.parameters[name] then return self.parameters[name] end
  if constants[name] ~= nil then return constants[name] end
  local nearest = core.nearest(self.parameters, name)
  self:fail(position, "unknown name %q%s", name, nearest and ("; did you mean %q?"):format(nearest) or "")
end

function parser:primary()
  local kind, word, at, number = self.kind, self.word, self.at, self.number
  if kind == "end" or kind == "sign" and word ~= "(" then self:fail(at, "a value expected, got %s", self:here()) end
  self:advance()
  if kind == "number" then return number end
  if kind == "name" then return self:name(at, word) end
  local value = self:choice()
  self:expect(")")
  return value
end

function parser:unary()
  local at, name = self.at, self.kind ~= "number" and unary[self.word]
  if not name then return self:primary() end
  self:advance()
  self:deeper(at)
  local x = self:unary()
  self.depth = self.depth - 1
  if type(x) == "number" and name == "negative" then return -x end
  if type(x) == "number" and name == "positive" then return x end
  return self:apply(at, name, x)
end

--- Parses an expression whose binary operators are in levels[i], levels[i + 1], …, and returns its value, which is a
-- number or a value that core made.
function parser:level(i)
  local ops = levels[i]
  if not ops then return self:unary() end
  local x = self:level(i + 1)
  while self.kind ~= "number" and ops[self.word] do
    local at, name = self.at, ops[self.word]
    self:advance()
    x = self:binary(at, name, x, self:level(i + 1))
  end
  return x
end

--- Parses a conditional expression "c ? a : b", or an expression without "?". Returns the value.
function parser:choice()
  self:deeper(self.at)
  local x, at = self:level(1), self.at
  if self:accept("?") then
    local yes = self:choice()
    self:expect(":")
    x = self:apply(at, "where", x, yes, self:choice())
  end
  self.depth = self.depth - 1
  return x
end

function parser:deeper(position)
  self.depth = self.depth + 1
  if self.depth > DEEPEST then self:fail(position, "nested too deeply") end
end

local hints = {["^"] = "; use pow(x, y), or bitwise_xor(x, y)", ["**"] = "; use pow(x, y)",
               ["="] = "; use == to compare", ["~"] = "; use bitwise_xor(x, y)"}

--- Parses the whole expression and returns the value.
function parser:parse()
  self.position, self.depth = 1, 0
  self:advance()
  local value = self:choice()
  if self.kind ~= "end" then
    self:fail(self.at, "an operator expected, got %s%s", self:here(), hints[self.word] or "")
  end
  return value
end

--- Splits "float32 x, float32 y" into a list of dtypes and a list of names.
local function read_parameters(text, dtypes)
  local kinds, names, seen = {}, {}, {}
  for part in (text .. ","):gmatch("([^,]*),") do
    local dtype, name = part:match("^%s*([A-Za-z0-9_]+)%s+([A-Za-z_][A-Za-z0-9_]*)%s*$")
    if not dtype then args.fail("elementwise", "parameters %q: \"dtype name\" expected, got %q", text, part) end
    if not dtypes[dtype] then args.fail("elementwise", "parameters %q: unknown dtype %q", text, dtype) end
    if seen[name] then args.fail("elementwise", "parameters %q: %q is there twice", text, name) end
    if constants[name] ~= nil or dtypes[name] or unary[name] or name == "and" or name == "or" then
      args.fail("elementwise", "parameters %q: %q has a meaning of its own in expressions", text, name)
    end
    seen[name] = true
    kinds[#kinds + 1], names[#names + 1] = dtype, name
  end
  return kinds, names
end

local dtypes, functions = {}, {}
for name in pairs(lt) do
  if type(rawget(lt, name)) == "string" and rawget(lt, name) == name then dtypes[name] = true end
end
for name, op in pairs(lt.ops()) do
  if op.kind:find("ary$") then functions[name] = true end
end

--- Makes a function of tensors from an expression. The function broadcasts, runs on every device, and reads and
-- writes memory once, however many operations the expression has. The operators are + - * / // % == != < <= > >= &&
-- || ! & | ~ << >> and c ? a : b; Lua's ~=, `and`, `or` and `not` work, too. The functions are the ops of the op
-- table, such as exp(x), maximum(x, y) and where(c, a, b), and dtypes, which convert: float64(x). Operations promote
-- and compute as on tensors, but half floats are rounded only once, at the end.
-- @string parameters the dtype and the name of each parameter, such as "float32 x, float32 y"; at most 8 parameters
-- @string expression of the parameters, such as "x * y + 1"
-- @string[opt] dtype of the result; by default the dtype of the expression
-- @treturn function that takes a tensor or a number for each parameter, and then, if wanted, a table with option `out`;
--   each argument must promote to the dtype of its parameter
-- @raise if the expression does not parse (the message names the character), or if an op does not support a dtype
function lt.elementwise(parameters, expression, dtype)
  for i, text in ipairs {parameters or false, expression or false} do
    if type(text) ~= "string" then
      args.fail("elementwise", "argument %d: string expected, got %s", i, text and core.type_name(text) or "nil")
    end
  end
  if dtype ~= nil and type(dtype) ~= "string" then
    args.fail("elementwise", "argument 3: dtype expected, got %s", core.type_name(dtype))
  end
  if dtype and not dtypes[dtype] then args.fail("elementwise", "argument 3: unknown dtype %q", dtype) end
  local kinds, names = read_parameters(parameters, dtypes)
  local p = setmetatable({text = expression, dtypes = dtypes, functions = functions, parameters = {}},
                         parser)
  local values = table.pack(core.elementwise_new(kinds, names))
  p.expression = values[1]
  for i, name in ipairs(names) do p.parameters[name] = values[i + 1] end
  local value = p:parse()
  return (p:build(1, core.elementwise_finish, value, dtype))
end
