-- Calls every public function with arguments that make little sense, and some that do: whatever comes, it is a result or
-- a Lua error.
--   lua5.4 junk.lua SEED CALLS
local lt = require "luatensor"
local call = require "spec.support.fuzz.calls"

local seed, calls = tonumber(arg[1]) or 1, tonumber(arg[2]) or 20000
math.randomseed(seed)
lt.manual_seed(seed)

local total = 0
for _ = 1, calls do
  local ok, result, name = call(math.random)
  if ok then
    total = total + 1
  else
    assert(type(result) == "string" or result == nil or type(result) == "table", type(result))
    assert(not tostring(result):find("error %d"), name .. ": " .. tostring(result))    -- a status without words
  end
end
print(total .. " of " .. calls .. " calls gave results")
