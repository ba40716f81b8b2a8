--- The targets of `make fuzz`, by name: {run = function(input, folder), words = {…}}. `input` is a string of bytes, and
-- `run` may write files into `folder`. The errors that `run` raises come from the library. `words`, which may be nil,
-- lists the words that mutations insert. Corpora are in spec/fuzz/corpus.
local lt = require "luatensor"
local core = require "luatensor.core"
local data = require "luatensor.data"
local bench = require "luatensor.bench"
local arguments = require "luatensor.cli.arguments"
local nn = require "luatensor.nn"
local crc_of = require "spec.support.fuzz.crc"
local states = require "spec.support.fuzz.states"

local targets = {}

-- Writes the input to the file `name` in the folder, and returns the path.
local function file(folder, name, bytes)
  local path = folder .. "/" .. name
  local f <close> = assert(io.open(path, "wb"))
  f:write(bytes)
  return path
end

-- True if the nested table of a tensor has fewer than 1e5 elements and rows. A tensor of shape {1e9, 0} has no
-- elements, but 1e9 rows.
local function is_small(x)
  local n = 1
  for _, size in ipairs(x.shape) do n = n * math.max(size, 1.0) end
  return n < 1e5
end

-- Reads all elements of a tensor, or of all tensors in a nested table. This detects a shape that does not match the
-- elements. Skips large tensors.
local function use(value)
  if lt.is_tensor(value) then
    if is_small(value) then value:totable() end
  elseif type(value) == "table" then
    for _, item in pairs(value) do use(item) end
  end
end

-- ---- files ----

local json_words = {'"', "{", "}", "[", "]", ":", ",", "null", "true", "1e999", "-0", "\\u0000", "\\ud83d\\ude00", "0.5"}

targets.npy = {
  words = {"'descr'", "'fortran_order'", "'shape'", "True", "False", "<f4", ">f8", "|b1", "|u1", "<c16", "<f2", "()", "(2,)",
           table.unpack(json_words)},
  run = function(input, folder) use(lt.load(file(folder, "x.npy", input))) end,
}

-- Returns the text of a .safetensors file. The length in front of the header is always correct, so that the parser
-- reads every mutated header.
local function safetensors_file(header, elements)
  return ("<s8"):pack(header) .. elements
end

-- Splits an input at its first line "--" into the header and the elements of a .safetensors file.
local function divide(input)
  local header, rest = input:match "^(.-)\n%-%-\n(.*)$"
  return header or input, rest or ""
end

targets.safetensors = {
  words = {"dtype", "shape", "data_offsets", "__metadata__", "F32", "F64", "F16", "BF16", "BOOL", "U8", "I64", "U32", "C64",
           table.unpack(json_words)},
  run = function(input, folder)
    use(lt.load(file(folder, "x.safetensors", safetensors_file(divide(input))), {metadata = true}))
  end,
}

-- The input is the JSON text in which a checkpoint stores its tables. The checkpoint also contains two tensors, a and
-- b.
targets.checkpoint = {
  words = {"$pairs", "$tensor", "$number", "$bytes", '"inf"', '"nan"', '{"$tensor":"a"}', '{"$tensor":"b"}',
           table.unpack(json_words)},
  run = function(input, folder)
    if not utf8.len(input) then return end
    local header = ('{"__metadata__":{"luatensor":%s},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},'
      .. '"b":{"dtype":"U8","shape":[2,2],"data_offsets":[4,8]}}'):format(require("luatensor.io.json").quote(input))
    use(lt.load(file(folder, "x.safetensors", safetensors_file(header, "\0\0\0\0\1\2\3\4"))))
  end,
}

-- The input is a stored result of lt.bench. bench.load returns an object, and tostring formats its report.
targets.results = {
  words = {"luatensor", "version", "kind", "timing", "comparison", "median", "samples", table.unpack(json_words)},
  run = function(input, folder) tostring(bench.load(file(folder, "x.json", input))) end,
}

-- Returns a zip archive with one entry, whose contents have these bytes in the archive.
local function archive_of(packed, method, size, crc)
  local header = ("<I2I2I2I4I4I4I4I2I2"):pack(20, 0, method, 0, crc, #packed, size, 5, 0)
  return "PK\3\4" .. header .. "x.npy" .. packed .. "PK\1\2\20\0" .. header .. ("\0"):rep(14) .. "x.npy"
    .. ("<c4I2I2I2I2I4I4I2"):pack("PK\5\6", 0, 0, 1, 1, 51, 35 + #packed, 0)
end

-- The first byte chooses what the other bytes are: an archive, or the contents of a stored or deflated entry of an archive
-- that is right otherwise. The size of deflated contents is in the next byte, in units of 8 bytes.
targets.npz = {
  words = {"PK\1\2", "PK\3\4", "PK\5\6", "PK\6\6", "PK\6\7", "\1\0\16\0", "\255\255\255\255", "\255\255", "'descr'", "'<f4'", "(2,)"},
  run = function(input, folder)
    local how, size, rest = (input:byte() or 0) % 3, (input:byte(2) or 0) * 8, input:sub(3)
    local bytes = how == 0 and input:sub(2) or how == 1 and archive_of(rest, 0, #rest, crc_of(rest)) or archive_of(rest, 8, size, 0)
    use(lt.load(file(folder, "x.npz", bytes)))
  end,
}

targets.idx = {run = function(input, folder) use(data.read_idx(file(folder, "x.idx", input))) end}

-- The bits of the first two bytes choose the options of data.read_csv. The other bytes are the file. The table is also
-- made a tensor, printed, written, and read again.
targets.csv = {
  words = {'"', '""', ",", ";", "\n", "\r\n", "NA", "?", "-1", "1.5", "1,5", "true", "2024-02-29", "T12:00:00.5Z", "+01:00", "#", " ",
           "nan", "inf", "1e308", "0x1", "9223372036854775807", "\xef\xbb\xbf"},
  run = function(input, folder)
    local how, more = input:byte() or 0, input:byte(2) or 0
    local path, kinds = file(folder, "x.csv", input:sub(3)), {"time", "date", "text", "integer", "boolean", "category", "float"}
    local header, kind = nil, kinds[more % 7 + 1]
    if how & 1 > 0 then header = more & 8 == 0 end
    local t = data.read_csv(path, {
      header = header, delimiter = how & 2 > 0 and ";" or ",", decimal = how & 6 == 6 and "," or nil,
      comment = how & 8 > 0 and "#" or nil, skip = how >> 4 & 1, na_values = how & 32 > 0 and {"?", "-1"} or nil,
      keep_default_na = how & 64 == 0, types = more > 191 and kind or more > 127 and {[1] = kind} or nil,
      columns = how & 128 > 0 and {-1} or nil})
    getmetatable(t).__mime(t)
    local numeric = {}
    for _, name in ipairs(t.names) do
      assert(t:missing(name).shape[1] == #t)
      if t.kinds[name] == "category" then t:one_hot(name) elseif t.kinds[name] ~= "text" then numeric[#numeric + 1] = name end
    end
    local x = t:tensor(numeric)
    assert(x.shape[1] == #t and x.shape[2] == #numeric)
    t:rows(t:missing(t.names[1]))
    data.write_csv(path, t)
    local again = data.read_csv(path, {types = t.kinds, header = true})
    assert(#again == #t, "rows were lost")
  end,
}

-- The input has the contents of several files of /proc and of control groups, which state the memory and processors
-- of the machine. A line with two hyphens separates two files.
targets.groups = {
  words = {"Max address space", "Max data size", "VmSize:", "VmData:", "CommitLimit:", "Committed_AS:", "unlimited", "0-3", "max",
           "100000", "-1", "MemTotal:", "MemAvailable:", "kB", "0::/", "cpu,cpuacct:", "memory:", "/a/b", "\n--\n"},
  run = function(input, folder)
    local root = folder .. "/root"
    local paths = {"proc/meminfo", "proc/self/cgroup", "sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory.current",
                   "sys/fs/cgroup/cpu.max", "proc/self/limits", "proc/self/status", "proc/sys/vm/overcommit_memory",
                   "sys/devices/system/cpu/possible"}
    if not targets.groups.made then
      local folders = ("%s/proc/self %s/proc/sys/vm %s/sys/fs/cgroup %s/sys/devices/system/cpu"):gsub("%%s", root)
      assert(os.execute("mkdir -p " .. folders))
      targets.groups.made = true
    end
    for _, path in ipairs(paths) do
      local part
      part, input = divide(input)
      file(root, path, part)
    end
    core.system_memory(root)
    core.processors(root)
    require("luatensor.base.address_space").misfit(root)
  end,
}

-- ---- texts ----

-- The input is the equation of einsum. The first 4 terms get operands. An operand has one dim of size 2 for each
-- letter of its term, at most 5.
targets.einsum = {
  words = {"->", "...", ",", "i", "j", "ij,jk->ik", " "},
  run = function(input)
    local operands = {}
    for term in (input:gsub("%->.*", "") .. ","):gmatch "([^,]*)," do
      local shape = {}
      for _ = 1, math.min(#term:gsub("[^A-Za-z]", ""), 5) do shape[#shape + 1] = 2 end
      if #operands < 4 then operands[#operands + 1] = lt.ones(shape) end
    end
    lt.einsum(input, table.unpack(operands))
  end,
}

-- The lines of the input are the parameters, the expression, and the dtype of the result.
targets.elementwise = {
  words = {"float32 ", "int8 ", "bool ", "x", "y", "(", ")", "where(", "exp(", "max(", "1e400", "0x1p3", "?", ":", "<<", "//", "&&",
           "~", "!", "pi", "inf", "\n", "float16(", "pow(", "1.5f"},
  run = function(input)
    local parameters, expression, dtype = input:match "^([^\n]*)\n([^\n]*)\n?([^\n]*)"
    if not parameters then return end
    local f, inputs = lt.elementwise(parameters, expression, dtype ~= "" and dtype or nil), {}
    for kind in (parameters .. ","):gmatch "([%w_]+)%s+[%w_]+%s*," do inputs[#inputs + 1] = lt.ones(3, {dtype = kind}) end
    use(f(table.unpack(inputs)))
  end,
}

-- The first line of the input is the kernel's name, the second line is option `parameters`, and the other lines are the
-- source. Our parser reads the source, but no device compiles it.
targets.kernel = {
  words = {"__global__", "void", "extern \"C\"", "(", ")", "float *x", "const", "int n", "/*", "*/", "//", "\"", "KERNEL(k)",
           "__launch_bounds__(256)", "template <class T>", "float4", "&", "= 3", "[4]"},
  run = function(input)
    local name, parameters, source = input:match "^([^\n]*)\n([^\n]*)\n(.*)$"
    if not name then return end
    lt.kernel(source, name, {parameters = parameters ~= "" and parameters or nil})
  end,
}

targets.json = {
  words = json_words,
  run = function(input) use(require("luatensor.io.json").decode(input)) end,
}

-- The input is a name that a script passes to a function. The first byte of the input chooses the function.
local x <const> = lt.arange(0, 120):reshape(2, 3, 4, 5)
local namings = {
  function(text) return lt.device(text) end, function(text) return lt.ones(2, {dtype = text}) end,
  function(text) return lt.ones(2, {device = text}) end, function(text) return x:to(text) end,
  function(text) return lt.result_type(text, "int8") end, function(text) return lt.finfo(text) end,
  function(text) return lt[text] end, function(text) return x[text] end, function(text) return nn[text] end,
  function(text) return lt.ones(2, {[text] = 1}) end, function(text) return nn.Linear(2, 2)[text] end,
  function(text) return nn.rename_pytorch {[text] = x} end,
  function(text) return nn.rename_pytorch {[text] = x, ["0.weight"] = x, ["1.l_l0"] = x} end,
  function(text) return x:norm(text) end, function(text) return lt.meshgrid(x, {indexing = text}) end,
}

targets.names = {
  words = {"cpu", "cuda", ":0", ":1", "float", "int", "64", "uint8", "bool", "bfloat16", "complex64", "weight", "_ih_l0", ".", "0.",
           "99999999999999999999", "9223372036854775807", "axis", "size", "shape"},
  run = function(input)
    namings[(input:byte() or 0) % #namings + 1](input:sub(2))
  end,
}

local read_arguments

-- The input is a command line, one argument on each line.
targets.arguments = {
  words = {"help", "info", "experiment", "bench", "crossover", "advise", "report", "diff", "--help", "--json", "--device", "--threads",
           "--seconds", "--dtype", "=", "--", "-", "\n", "cpu", "1e9", "0x10", "nan"},
  run = function(input)
    arguments.raising = true
    read_arguments = read_arguments or require("luatensor.cli").reader()
    local argv = {}
    for word in input:gmatch "[^\n]+" do argv[#argv + 1] = word end
    local ok, problem = pcall(read_arguments, argv)
    if not ok then error(type(problem) == "table" and tostring(problem) or problem, 0) end
  end,
}

-- ---- tables ----

-- Returns a function like math.random that reads its numbers from the input's bytes. After the end of the input, the
-- function returns the lower bound of the requested range.
local function from_bytes(input)
  local at = 0
  return function(low, high)
    local n = 0
    at = at + 1
    n = input:byte(at) or 0
    if not low then return n / 256 end
    if not high then low, high = 1, low end
    if high - low > 255 then
      at = at + 1
      n = n << 8 | (input:byte(at) or 0)
    end
    return low + n % (high - low + 1)
  end
end

-- The first byte chooses the object that takes the state; the rest is the JSON of the state. The object must stay
-- usable.
targets.state = {
  words = {'"shape"', '"dtype"', '"float32"', '"int64"', "[2]", "[2,2]", '"inf"', '"class"', '"params"', '"lr"', "-1", "1e300",
           table.unpack(json_words)},
  run = function(input)
    local state = states.read(input:sub(2))
    local object, use_object = states.makers[(input:byte() or 1) % #states.makers + 1]()
    object:load_state_dict(state)
    use_object()
    states.write(object:state_dict())
  end,
}

local DTYPES <const> = {"bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "bfloat16",
                        "float32", "float64", "complex64", "complex128"}

-- The input has the bytes of a tensor of any dtype and shape. The first bytes choose the dtype, the number of dims,
-- and the length of each dim.
targets.bytes = {
  run = function(input)
    local random, shape = from_bytes(input), {}
    local dtype = DTYPES[random(#DTYPES)]
    for i = 1, random(0, 4) do shape[i] = random(-1, 9) end
    local ok, made = pcall(lt.from_bytes, input:sub(#shape + 3), shape, {dtype = dtype})
    if not ok then error(made, 0) end
    use(made)
    assert(made:to_bytes() == input:sub(#shape + 3))
  end,
}

-- Calls public functions with arguments and tables of options that are made from the input's bytes.
targets.options = {
  run = function(input)
    local ok, result = require "spec.support.fuzz.calls"(from_bytes(input))
    if not ok and type(result) == "string" then error(result, 0) end
  end,
}

-- Returns a random item of an index: a number, range, list, tensor, mask, lt.newaxis, lt.ellipsis, or a value that no
-- index may contain.
local function index_of(random)
  local function number() return random(-7, 7) end
  local kinds = {
    number, number, function() return {} end, function() return {number(), number()} end,
    function() return {number(), number(), number()} end, function() return {{number(), number()}, number()} end,
    function() return {{number(), number(), number()}} end, function() return lt.newaxis end,
    function() return lt.ellipsis end, function() return lt.tensor {number(), number()} end,
    function() return lt.tensor({random(2) == 1, random(2) == 1}) end, function() return x:greater(number()) end,
    function() return number() / 2 end, function() return math.maxinteger end, function() return math.mininteger end,
    function() return random(2) == 1 end, function() return "x" end, function() return 1 << 33 end,
  }
  return kinds[random(#kinds)]()
end

targets.index = {
  run = function(input)
    local random = from_bytes(input)
    local index = {}
    for i = 1, random(0, 5) do index[i] = index_of(random) end
    local assign = random(3)
    if assign == 1 then
      local y = x:clone()
      y[index] = random(2) == 1 and random(-3, 3) or lt.ones(random(1, 4), 1)
    else
      use(x[index])
    end
  end,
}

return targets
