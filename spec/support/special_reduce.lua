-- Special cases of reductions of real floats, in the notation of special_real.lua. The operands of a row are the
-- elements of the reduced list, which specs repeat any number of times.
local cases = {}

cases.sum = [[
  NaN ; 1 -> NaN
  +inf ; -inf -> NaN
  +inf ; abs 1 -> +inf
  -inf ; abs 1 -> -inf
  ±inf ; NaN -> NaN
  largest ; largest -> +inf
]]
cases.mean = cases.sum:gsub("  largest[^\n]*\n", "")
cases.cumulative_sum = cases.sum

cases.prod = [[
  NaN ; any -> NaN
  ±inf ; ±0 -> NaN
  +inf ; 2 -> +inf
  -inf ; -inf -> +inf
  largest ; 2 -> +inf
]]
cases.cumulative_prod = cases.prod

cases.max = [[
  NaN ; any -> NaN
  any ; NaN -> NaN
  -inf ; not NaN -> y
  not NaN ; +inf -> +inf
]]
cases.cumulative_max = cases.max

cases.min = [[
  NaN ; any -> NaN
  any ; NaN -> NaN
  +inf ; not NaN -> y
  not NaN ; -inf -> -inf
]]
cases.cumulative_min = cases.min

-- the result is the position of the first NaN, or else of the first extreme element
cases.argmax = [[
  NaN ; any -> 1
  not NaN ; NaN -> 2
  -inf ; -inf -> 1
  -inf ; finite -> 2
  finite ; +inf -> 2
  ±0 ; ±0 -> 1
]]
cases.argmin = [[
  NaN ; any -> 1
  not NaN ; NaN -> 2
  +inf ; +inf -> 1
  +inf ; finite -> 2
  finite ; -inf -> 2
  ±0 ; ±0 -> 1
]]

cases.var = [[
  NaN ; any -> NaN
  any ; NaN -> NaN
  ±inf ; any -> NaN
  1 ; 1 -> +0
]]
cases.std = cases.var

-- NaN is not 0, so it counts as true
cases.any = [[
  ±0 ; ±0 -> false
  ±0 ; not 0 -> true
]]
cases.all = [[
  ±0 ; any -> false
  not 0 ; not 0 -> true
]]

-- not in the standard: log(exp(x) + exp(y) + …)
cases.logsumexp = [[
  NaN ; any -> NaN
  +inf ; not NaN -> +inf
  -inf ; -inf -> -inf
]]
cases.norm = [[
  NaN ; any -> NaN
  ±inf ; not NaN -> +inf
  ±0 ; ±0 -> +0
]]

return cases
