-- Tests all combinations of the values in spec/support/environment.lua.
--
--   tools/lua spec/support/torture/environment.lua
--
-- Prints each case that hung or crashed, and ends with "N passed, N failed, 0 skipped". The exit status is 1 if
-- a case failed.
local environment = require "spec.support.environment"

local passed, failed = 0, 0
for _, case in ipairs(environment.all()) do
  local what = environment.try(case)
  if what then
    failed = failed + 1
    print("FAILED " .. what)
  else
    passed = passed + 1
  end
end
print(("%d passed, %d failed, 0 skipped"):format(passed, failed))
os.exit(failed == 0 and 0 or 1)
