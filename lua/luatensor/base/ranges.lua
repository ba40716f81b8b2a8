--- Checks that the elements of tensors are in a range: classes, indices and probabilities.

local blame = require "luatensor.base.blame"
local core = require "luatensor.core"

local ranges = {}

--- Raises an error unless all elements of x are in a range. Inside of a compiled function, the check waits with the
-- other operations. Unless `waits` is set, no check is made if reading x would wait for a GPU, or if x has no values
-- yet because a graph is captured.
-- @tparam string fn the function that the error names
-- @tparam tensor x integers or floats
-- @tparam table range `low` and `high`: the ends of the range; `except`: a further number that is allowed, also NaN;
--   `waits`. Then the message, as one string, or as two strings that stand before and behind the wrong integer
function ranges.check(fn, x, range)
  if x.size == 0 or not (range.waits or core.has_values(x)) then return end
  local message = core.check_range(x, range.low, range.high, range.except, fn, blame.subject, range[1],
                                   range[2])
  if message then blame.fail(fn, "%s", message) end
end

return ranges
