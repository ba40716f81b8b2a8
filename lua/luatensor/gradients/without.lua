--- Functions through which no gradient flows, with the reason. spec/autograd/gradient_spec.lua fails for functions
-- that are not listed here and have no rule.

local none = {}
local function list(reason, names)
  for name in names:gmatch "%S+" do none[name] = reason end
end

list("booleans", [[equal not_equal less less_equal greater greater_equal logical_not logical_and logical_or logical_xor
  isnan isinf isfinite signbit isclose isclose_nan_ any all]])
list("integers", [[bitwise_invert bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift
  count_nonzero argmax argmin argsort]])
list("does not depend on the elements", [[zeros_like ones_like empty_like full_like rand_like randn_like zeros ones
  empty full arange range linspace eye rand randn randint uniform normal bernoulli fft.fftfreq fft.rfftfreq]])
list("counts, and edges between them", [[histogram]])

return none
