--- All aliases: names that functions have in PyTorch, NumPy and Torch7. Each alias takes exactly the arguments of the
-- function that it names, and is documented under that function's name.

local args = require "luatensor.base.args"

local alias = {}

--- Aliases of functions, methods and in-place methods: `sub` also makes the alias `sub_` of `subtract_`.
alias.functions = {
  -- arithmetic and powers
  sub = "subtract", mul = "multiply", div = "divide", true_divide = "divide", neg = "negative",
  absolute = "abs", clamp = "clip", power = "pow", arctan2 = "atan2",
  arcsin = "asin", arccos = "acos", arctan = "atan", arcsinh = "asinh", arccosh = "acosh", arctanh = "atanh",

  -- comparisons and bits
  eq = "equal", ne = "not_equal", lt = "less", le = "less_equal", gt = "greater", ge = "greater_equal",
  bitwise_not = "bitwise_invert", left_shift = "bitwise_left_shift", right_shift = "bitwise_right_shift",

  -- shapes
  cat = "concat", concatenate = "concat", view = "reshape", ravel = "flatten", permute = "permute_dims",
  transpose = "swapaxes", swapdims = "swapaxes", t = "matrix_transpose", unsqueeze = "expand_dims",
  expand = "broadcast_to", movedim = "moveaxis", broadcast_tensors = "broadcast_arrays", unbind = "unstack",
  repeat_interleave = "repeat",

  -- reductions, scans and conversions
  amax = "max", amin = "min", cumsum = "cumulative_sum", cumprod = "cumulative_prod",
  take_along_dim = "take_along_axis", unique = "unique_values", tolist = "totable",
}

--- Properties that are methods in other libraries: x:numel() is x.size.
alias.properties = {numel = "size", nelement = "size", nElement = "size", dim = "ndim", nDimension = "ndim"}

--- Methods that convert: x:double() is x:to("float64").
alias.conversions = {
  half = "float16", float = "float32", double = "float64", bool = "bool", byte = "uint8", char = "int8",
  short = "int16", int = "int32", long = "int64", cpu = "cpu", cuda = "cuda", rocm = "rocm",
}

--- Adds `name` as an alias of `target` to a table of functions, if the table has `target` and lacks `name`.
local function add(functions, name, target)
  if functions[target] and not functions[name] then functions[name] = functions[target] end
end

function alias.install(lt, methods)
  for name, target in pairs(alias.functions) do
    add(lt, name, target)
    add(methods, name, target)
    add(methods, name .. "_", target .. "_")
  end
  for name, property in pairs(alias.properties) do
    methods[name] = function(x) return args.tensor(name, 1, x)[property] end
  end
  for name, target in pairs(alias.conversions) do
    methods[name] = function(x) return methods.to(x, target) end
  end
end

return alias
