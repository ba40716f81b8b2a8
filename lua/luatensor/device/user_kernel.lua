--- lt.kernel, which compiles kernels that users write. This file reads the kernel's parameters from the source text.

local args = require "luatensor.base.args"
local clocale = require "luatensor.base.clocale"
local core = require "luatensor.core"
local lt = require "luatensor.base.public"

--- The dtypes of C++ types. The words of a type are in alphabetical order, so that "unsigned long long" and "long
-- unsigned long" have the same key.
local types = {
  float = "float32", double = "float64", bool = "bool", void = "any",
  char = "int8", ["char signed"] = "int8", ["char unsigned"] = "uint8",
  short = "int16", ["int short"] = "int16", ["short unsigned"] = "uint16", ["int short unsigned"] = "uint16",
  int = "int32", signed = "int32", ["int signed"] = "int32", unsigned = "uint32", ["int unsigned"] = "uint32",
  long = "int64", ["int long"] = "int64", ["long long"] = "int64", ["int long long"] = "int64",
  ["long unsigned"] = "uint64", ["int long unsigned"] = "uint64", ["long long unsigned"] = "uint64",
  ["int long long unsigned"] = "uint64", size_t = "uint64", ptrdiff_t = "int64",
  int8_t = "int8", int16_t = "int16", int32_t = "int32", int64_t = "int64",
  uint8_t = "uint8", uint16_t = "uint16", uint32_t = "uint32", uint64_t = "uint64",
}

--- The dtypes of CUDA's vector types, which only pointers may have: float4 is four float32.
local vectors = {
  float = "float32", double = "float64", char = "int8", uchar = "uint8", short = "int16", ushort = "uint16",
  int = "int32", uint = "uint32", longlong = "int64", ulonglong = "uint64",
}

--- Returns the source with blanks in place of comments and strings, so that all other text keeps its position.
local function without_comments(source)
  local out, at = {}, 1
  while at <= #source do
    local first, last = source:find("[/\"']", at)
    if not first then break end
    out[#out + 1] = source:sub(at, first - 1)
    local two, mark = source:sub(first, first + 1), source:sub(first, first)
    if two == "//" then last = (source:find("\n", first, true) or #source + 1) - 1
    elseif two == "/*" then last = select(2, source:find("*/", first + 2, true)) or #source
    elseif mark ~= "/" then
      last = first + 1
      while last < #source and source:sub(last, last) ~= mark and source:sub(last, last) ~= "\n" do
        last = last + (source:sub(last, last) == "\\" and 2 or 1)
      end
    end
    last = math.min(last, #source)
    out[#out + 1] = mark == "/" and two ~= "//" and two ~= "/*" and mark or source:sub(first, last):gsub("[^\n]", " ")
    at = last + 1
  end
  out[#out + 1] = source:sub(at)
  return table.concat(out)
end

-- Returns the text from an opening parenthesis to the matching closing one. The pattern captures the position of the
-- opening parenthesis. Returns nil if the pattern is not found or the parenthesis is not closed. Only the pattern's
-- first match is tried, so that the time is linear in the length of the code.
local function in_parentheses(code, pattern)
  local at = code:match(pattern)
  return at and code:match("^%b()", at)
end

-- Returns an iterator of __global__ declarations. For each declaration, it returns the position and the text from there
-- to the function's body, the next ";" or the next __global__, whichever comes first.
local function declarations(code)
  local marks, i = {}, 0
  for at in code:gmatch("()%f[A-Za-z0-9_]__global__%f[^A-Za-z0-9_]") do marks[#marks + 1] = at end
  return function()
    i = i + 1
    if not marks[i] then return nil end
    return marks[i], code:sub(marks[i], (marks[i + 1] or #code + 1) - 1):match("^[^;{]*")
  end
end

--- luatensor's macros that declare a kernel, as `KERNEL(name)(parameters)`.
local macros = {"KERNEL", "KERNEL_COOPERATIVE"}

-- Returns the pattern of a macro's use; `name` is the pattern of the kernel's name.
local function use_of(macro, name) return "%f[A-Za-z0-9_]" .. macro .. "%s*%(%s*" .. name .. "%s*%)" end

--- Finds the declaration of the kernel. Returns the position of __global__ (nil if one of `macros` declares the kernel)
-- and the parameters in parentheses; nothing if there is no such kernel.
local function find_kernel(code, name)
  local escaped = name:gsub("%p", "%%%0")
  for _, macro in ipairs(macros) do
    local parameters = in_parentheses(code, use_of(macro, escaped) .. "%s*()%(")
    if parameters then return nil, parameters end
  end
  for at, declaration in declarations(code) do
    local parameters = in_parentheses(declaration, "%f[A-Za-z0-9_]" .. escaped .. "%s*()%(")
    if parameters then return at, parameters end
  end
end

--- Returns the names of all kernels in the code, for the error about an unknown name.
local function kernel_names(code)
  local names = {}
  for _, declaration in declarations(code) do
    local bounds = in_parentheses(declaration, "__launch_bounds__%s*()%(")
    if bounds then declaration = declaration:sub(select(2, declaration:find(bounds, 1, true)) + 1) end
    names[#names + 1] = declaration:match "%f[A-Za-z_]([A-Za-z_][A-Za-z0-9_]*)%s*%("
  end
  for _, macro in ipairs(macros) do
    for name in code:gmatch(use_of(macro, "([A-Za-z0-9_]+)")) do names[#names + 1] = name end
  end
  return names
end

--- The set of all words that occur in C++ types. If the last word of a parameter's declaration is one of these words,
-- the parameter has no name.
local type_words = {const = true, volatile = true}
for text in pairs(types) do
  for word in text:gmatch("[A-Za-z0-9_]+") do type_words[word] = true end
end

local function fail_type(name, text)
  args.fail("kernel", "%s: parameter \"%s\" is neither a number nor a pointer to numbers", name, text)
end

--- The greatest length of a parameter's declaration, in bytes. The limit is needed because the time to find the name
-- in the declaration grows with the square of its length.
local LONGEST = 1000

--- Parses a parameter such as "const float *x" to a table with the fields name, dtype, width, pointer, written and
-- text. Field `width` is the number of elements of a vector type; `written` is true for a pointer that is not const.
local function read_parameter(kernel, text)
  text = text:gsub("%s+", " "):gsub("^ ", ""):gsub(" $", "")
  if #text > LONGEST then args.fail("kernel", "%s: a parameter of %d characters", kernel, #text) end
  local plain = text:gsub("__restrict__", ""):gsub("__restrict", ""):gsub("__grid_constant__", ""):gsub("=.*$", "")
  local name = plain:match("([A-Za-z_][A-Za-z0-9_]*)%s*%[%s*%d*%s*%]%s*$")
               or plain:match("([A-Za-z_][A-Za-z0-9_]*)%s*$")
  local stars = select(2, plain:gsub("%*", "")) + select(2, plain:gsub("%[", ""))
  if type_words[name] or not name and stars == 1 and plain:find("^[A-Za-z0-9_%s]+%*%s*$") then
    args.fail("kernel", "%s: parameter \"%s\" needs a name", kernel, text)
  end
  if not name or stars > 1 or plain:find("[&<:(]") then fail_type(kernel, text) end
  local before = plain:gsub("%[.*$", ""):gsub("[A-Za-z_][A-Za-z0-9_]*%s*$", "")
  local pointee = before:match("^[^*]*")
  local words, is_const = {}, false
  for word in pointee:gmatch("[A-Za-z0-9_]+") do
    if word == "const" then is_const = true elseif word ~= "volatile" then words[#words + 1] = word end
  end
  clocale.sort(words)
  local type_name = table.concat(words, " ")
  local dtype, width = types[type_name], 1
  local base, n = type_name:match("^([a-z]+)([24])$")
  if not dtype and base and stars == 1 then dtype, width = vectors[base], tonumber(n) end
  if not dtype or dtype == "any" and stars == 0 then fail_type(kernel, text) end
  return {name = name, dtype = dtype, width = width, text = text, pointer = stars == 1,
          written = stars == 1 and not is_const}
end

local function read_parameters(kernel, text)
  local list = {}
  if not text:find("[^%s()]") or text:match("^%s*%(%s*void%s*%)%s*$") then return list end
  for part in (text:gsub("^%s*%(", ""):gsub("%)%s*$", "") .. ","):gmatch("([^,]*),") do
    list[#list + 1] = read_parameter(kernel, part)
  end
  return list
end

--- Raises an error if option `parameters` (list `given`) differs from the parameters in the source. Returns without
-- an error if the source's parameters cannot be read, for example because of a typedef.
local function check_given(kernel, given, source)
  local readable, own = pcall(read_parameters, kernel, source)
  if not readable then return end
  if #own ~= #given then
    args.fail("kernel", "%s: option parameters has %d parameters, the source %d", kernel, #given, #own)
  end
  for i, p in ipairs(own) do
    for _, field in ipairs {"dtype", "width", "pointer", "written"} do
      if p[field] ~= given[i][field] then
        args.fail("kernel", "%s: parameter %d is \"%s\" in the source, \"%s\" in option parameters", kernel, i, p.text,
                  given[i].text)
      end
    end
  end
end

--- C++ code that is appended to the source, so that the compiler refuses wrong parameters. The compiler expands macros
-- and typedefs, which this file cannot do. The check is necessary because the driver always reads as many bytes of
-- arguments as the kernel declares, even if fewer bytes are passed.
local check = [[


template <class T> struct luatensor_size { enum { is = sizeof(T) }; };
template <class T> struct luatensor_size<T *> { enum { is = 0 }; };
template <int...> struct luatensor_sizes {};
template <class F> struct luatensor_parameters;
template <class... P> struct luatensor_parameters<void(P...)> {
  typedef luatensor_sizes<luatensor_size<P>::is...> are;
};
template <class A, class B> struct luatensor_same { enum { is = 0 }; };
template <class A> struct luatensor_same<A, A> { enum { is = 1 }; };
static_assert(luatensor_same<luatensor_parameters<decltype(%s)>::are, luatensor_sizes<%s> >::is, "%s");
]]

local bytes = {bool = 1, int8 = 1, uint8 = 1, int16 = 2, uint16 = 2, float64 = 8, int64 = 8, uint64 = 8}

local function with_check(source, name, list, message)
  local sizes = {}
  for i, p in ipairs(list) do sizes[i] = p.pointer and 0 or bytes[p.dtype] or 4 end
  return source .. check:format(name, table.concat(sizes, ", "), message)
end

--- Returns the source with extern "C" before the declaration, so that the compiler keeps the kernel's name. The text
-- is inserted in the same line, so that lines keep their numbers.
local function with_plain_name(source, at)
  if not at or source:sub(1, at - 1):find('extern%s*"C"%s*$') then return source end
  return source:sub(1, at - 1) .. 'extern "C" ' .. source:sub(at)
end

--- Raises an error unless argument i is a string without zero bytes, at which C would end the string.
local function check_text(i, text)
  if type(text) ~= "string" then
    args.fail("kernel", "argument %d: string expected, got %s", i, core.type_name(text))
  end
  if text:find("\0", 1, true) then args.fail("kernel", "argument %d: a NUL byte in the text", i) end
end

--- Compiles CUDA C++ for a GPU. The parameters of the kernel are read from the source: pointers take contiguous
-- tensors of the type to which they point, and a const pointer only reads its tensor; other parameters take numbers.
-- docs/user-kernels.md lists the headers that may be included.
-- @string source the text of the program, with a `__global__ void name(…)`
-- @string name the kernel's name in the source
-- @tparam[opt] table options `device` (default: the default device if it is a GPU, else the accelerator);
--   `parameters`: the list of parameters as text, if the source has types that this function cannot read
-- @return the kernel: k({grid = n or {x, y, z}, block = n or {x, y, z}, shared = bytes}, …) queues the kernel with
--   these arguments; {count = n} makes a grid of at least n threads, in blocks of 256 threads unless `block` is given
-- @raise the compiler's errors, with the line numbers of the source; also if there is no such kernel or no GPU
function lt.kernel(source, name, options)
  check_text(1, source)
  check_text(2, name)
  if not name:find("^[A-Za-z_][A-Za-z0-9_]*$") then args.fail("kernel", "%q is not a name", name) end
  options = args.options("kernel", options, {device = true, parameters = true})
  local code = without_comments(source)
  local at, parameters = find_kernel(code, name)
  if not parameters then
    local names = kernel_names(code)
    args.fail("kernel", "no __global__ function %q in the source%s", name,
              #names > 0 and "; there is " .. table.concat(names, ", ") or "")
  end
  if options.parameters ~= nil and type(options.parameters) ~= "string" then
    args.fail("kernel", "option parameters: string expected, got %s", core.type_name(options.parameters))
  end
  local list = read_parameters(name, options.parameters or parameters)
  if options.parameters then check_given(name, list, parameters) end
  local checked = with_check(with_plain_name(source, at), name, list, options.parameters
    and "option parameters is not what " .. name .. " takes"
    or name .. " takes other parameters than its text says; name them in option parameters")
  return core.user_kernel(checked, name, options.device, list)
end
