-- How far results of a PJRT device may differ from those of the CPU. A row names an op and has
--
--   real      the largest error of float32 and float64, in units of the last place: a number for both, or {float32, float64}
--   complex   the largest error of a complex number, in units of the last place of its absolute value
--   floor     the least magnitude in which errors are counted; the error of a smaller result is absolute
--   moderate  true: only numbers between -8 and 8 are compared; otherwise infinities, NaN and the whole range, too
--
-- Ops without a row give the CPU's results, except that zeros have either sign. So do all ops on integers and bool. Half
-- floats are rounded from float32, and an op with a row may differ by one unit of the last place. All complex functions with
-- a row are compared for moderate numbers, because XLA treats infinite and NaN parts in its own way. XLA:CPU counts subnormal
-- numbers as 0.
return {
  abs = {complex = 3}, angle = {complex = 2}, reciprocal = {complex = 4}, square = {complex = 2}, sign = {complex = 4},
  multiply = {complex = 2}, divide = {complex = 4}, lerp = {real = 4, complex = 4, floor = 128, moderate = true},
  floor_divide = {real = {1, 0}}, pow = {real = 2, complex = 512}, atan2 = {real = 2}, hypot = {real = 3}, logaddexp = {real = 4, floor = 1},
  ["power 3"] = {real = 2, complex = 8}, ["power 4"] = {real = 3, complex = 8}, ["power 0.5"] = {real = 1, complex = 4},
  ["power -0.5"] = {real = 2, complex = 8}, ["power -2"] = {real = 3, complex = 8},
  exp = {real = 2, complex = 4}, expm1 = {real = 8, complex = 8}, log = {real = 2, complex = 128},
  log1p = {real = {4, 128}, complex = 128}, log2 = {real = 2, complex = 128}, log10 = {real = 3, complex = 128},
  sqrt = {complex = 2}, rsqrt = {real = 3, complex = 4},
  sin = {real = 2, complex = 8}, cos = {real = 2, complex = 8}, tan = {real = 2, complex = 32},
  asin = {real = 2, complex = 4}, acos = {real = 2, complex = 4}, atan = {real = 2, complex = 4},
  sinh = {real = 6, complex = 8}, cosh = {real = 3, complex = 8}, tanh = {real = 6, complex = 32},
  asinh = {real = 3, complex = 4}, acosh = {real = 3, complex = 4}, atanh = {real = {3, 128}, complex = 8},
  erf = {real = 6}, erfc = {real = {20, 64}}, sigmoid = {real = 3, complex = 128}, softplus = {real = 4},
  gelu = {real = 4, floor = 1}, silu = {real = 3, floor = 1e-29},
  ["gradient of gelu"] = {real = 8, floor = 8, moderate = true}, ["gradient of silu"] = {real = 4, floor = 8, moderate = true},
  ["gradient of sigmoid"] = {real = 4, floor = 8, moderate = true}, ["gradient of tanh"] = {real = 8, floor = 8, moderate = true},
}
