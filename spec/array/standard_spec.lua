-- Checks that luatensor has every name of the array API standard, with every parameter.

local lt = require "luatensor"
local helpers = require "spec.support.helpers"
require "spec.support.helpers"

local standard = require("spec.support.data").read "standard"

-- Parameters with another name in luatensor.
local renamed = {axis = "dim", axes = "dim", keepdims = "keepdim"}
local renamed_in = {tensordot = {axes = "dims"}}

-- Names of the standard that luatensor lacks, each with its replacement or with the reason.
local exceptions = {
  __array_namespace__ = "lt is the module there is",
  __bool__ = "x:item(); Lua has no conversion to boolean", __int__ = "x:item()", __float__ = "x:item()",
  __complex__ = "x:item()", __index__ = "x:item()",
  __dlpack__ = "x:to_dlpack()", __dlpack_device__ = "the capsule has it",
  __init__ = "lt.tensor",
  __abs__ = "x:abs(); Lua has no such operator", __pos__ = "x:positive(); Lua has no such operator",
  __eq__ = "x:equal(y); Lua makes one boolean of ==", __ne__ = "x:not_equal(y)", __lt__ = "x:less(y)",
  __le__ = "x:less_equal(y)", __gt__ = "x:greater(y)", __ge__ = "x:greater_equal(y)",
  __matmul__ = "x:matmul(y); Lua has no such operator",
  to_device = "x:to(device)",
}

-- Returns sample values by the names of parameters. An entry with the name of a function has the values for this
-- function only.
local function samples()
  local x = lt.ones(2, 2)
  return {
    x = x, x1 = x, x2 = x, arrays = {x, x}, obj = {1, 2}, shape = {2}, fill_value = 1, dtype = "float32", type = "float32",
    start = 0, stop = 3, step = 1, num = 3, n_rows = 2, n_cols = 2, n = 2, indices = lt.tensor {1}, repeats = 2,
    shift = 1, repetitions = 2,
    searchsorted = {x1 = lt.ones(2)}, take_along_axis = {indices = lt.ones({2, 2}, {dtype = "int64"})},
    from_dlpack = {x = lt.ones(2):to_dlpack()}, irfft = {x = lt.ones(4)}, cross = {x1 = lt.ones(3), x2 = lt.ones(3)},
  }
end

-- Returns the options that a function lists in its error for an unknown option.
local function known_options(f, name, row)
  local values, list = samples(), {}
  for i, parameter in ipairs(row.parameters) do
    list[i] = parameter == "..." and lt.ones(2) or (values[name] or {})[parameter] or values[parameter]
    assert(list[i] ~= nil, parameter)
  end
  list[#list + 1] = {no_such_option = true}
  local ok, message = pcall(f, table.unpack(list))
  assert(not ok, name .. " takes any option")
  local known = {}
  for word in (message:match("known: (.*)$") or error(message)):gmatch "[%w_]+" do known[word] = true end
  return known
end

local function check_options(f, name, row)
  local known = known_options(f, name, row)
  for option in pairs(row.options) do
    local ours = (renamed_in[name] or {})[option] or renamed[option] or option
    assert(known[ours], ("%s: no option %s"):format(name, ours))
  end
end

local spaces = {main = lt, linalg = lt.linalg, fft = lt.fft, info = lt.info}

for space, functions in pairs(spaces) do
  describe("the standard's " .. space, function()
    for name, row in pairs(standard[space]) do
      it(name, function()
        local f = rawget(functions, name)
        assert.equal("function", type(f))
        if row.options then check_options(f, name, row) end
      end)
    end
  end)
end

describe("the standard's methods", function()
  local x = lt.ones(2, 2)

  it("are there for every function of a tensor", function()
    for name, row in pairs(standard.main) do
      local first = row.parameters[1]
      if (first == "x" or first == "x1") and name ~= "from_dlpack" then
        assert.is_function(x[name], name)
      end
    end
  end)

  it("are there, properties and methods", function()
    for _, name in ipairs(standard.properties) do assert.is_not_nil(x[name], name) end
    for _, name in ipairs(standard.methods) do assert.is_string(exceptions[name], name) end
    assert.equal(x.device, x:to(x.device).device)
  end)

  it("are there, operators", function()
    local named = {add = "__add", ["and"] = "__band", floordiv = "__idiv", getitem = "__index", invert = "__bnot",
                   lshift = "__shl", mod = "__mod", mul = "__mul", neg = "__unm", ["or"] = "__bor", pow = "__pow",
                   rshift = "__shr", setitem = "__newindex", sub = "__sub", truediv = "__div", xor = "__bxor"}
    for _, name in ipairs(standard.operators) do
      local ours = named[name:match "^__(.*)__$"]
      assert.is_true((ours ~= nil) ~= (exceptions[name] ~= nil), name)
      if ours then assert.is_function(debug.getmetatable(x)[ours], name) end
    end
  end)
end)

describe("the standard's constants and dtypes", function()
  it("are there", function()
    for _, name in ipairs(standard.constants) do assert.is_not_nil(rawget(lt, name), name) end
    assert.equal(3.141592653589793, lt.pi)
    assert.equal(2.718281828459045, lt.e)
    assert.equal(1 / 0, lt.inf)
    assert.is_true(lt.nan ~= lt.nan)
    assert.equal("[1, 2]", tostring(lt.ones(2)[{lt.newaxis}].shape))
  end)

  it("are there, dtypes", function()
    for name in ([[bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64
        complex128]]):gmatch "%S+" do
      assert.equal(name, rawget(lt, name))
      assert.equal(name, lt.info.dtypes()[name])
    end
  end)
end)

describe("sign", function()
  helpers.unplugged(it)("is 0, not -0, of zeros", function()
    for _, dtype in ipairs {"float16", "bfloat16", "float32", "float64"} do
      local zeros = lt.tensor({0.0, -0.0}, {dtype = dtype})
      assert.same({false, false}, lt.sign(zeros):signbit():totable(), dtype)
      assert.same({false, false}, zeros:clone():sign_():signbit():totable(), dtype)
    end
    for _, dtype in ipairs {"float32", "float64"} do
      local re, im = lt.tensor({0.0, -0.0, 0.0, -0.0}, {dtype = dtype}), lt.tensor({0.0, 0.0, -0.0, -0.0}, {dtype = dtype})
      local parts = lt.view_as_real(lt.complex(re, im):sign())
      assert.is_false(parts:signbit():any():item(), dtype)
      assert.equal(0, parts:count_nonzero():item(), dtype)
    end
  end)
end)

describe("lt.info", function()
  it("has the standard's keys", function()
    assert.same({["boolean indexing"] = true, ["data-dependent shapes"] = true, ["max dimensions"] = 16},
                lt.info.capabilities())
    assert.equal(lt.get_default_device(), lt.info.default_device())
    assert.equal("cpu", lt.info.devices()[1])
    assert.same({["real floating"] = "float32", ["complex floating"] = "complex64", integral = "int64", indexing = "int64"},
                lt.info.default_dtypes({device = "cpu"}))
    assert.same({int8 = "int8", int16 = "int16", int32 = "int32", int64 = "int64"},
                lt.info.dtypes({kind = "signed integer"}))
    assert.same({bool = "bool", float64 = "float64"}, lt.info.dtypes({kind = {"bool", "float64"}, device = "cpu"}))
  end)

  it("tells the truth about dims", function()
    local most, shape = lt.info.capabilities()["max dimensions"], {}
    for d = 1, most do shape[d] = 1 end
    assert.equal(most, lt.zeros(shape).ndim)
    assert.is_false(pcall(lt.expand_dims, lt.zeros(shape), 1))
  end)

  it("refuses what is not there", function()
    assert.raises("^dtypes: unknown option", lt.info.dtypes, {kinds = "bool"})
    assert.raises("^dtypes: unknown kind", lt.info.dtypes, {kind = "float"})
    assert.raises("^dtypes: unknown device", lt.info.dtypes, {device = "npu"})
    assert.raises("^default_dtypes: unknown device", lt.info.default_dtypes, {device = "npu"})
  end)
end)
