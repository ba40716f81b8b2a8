-- Calls every public function with random arguments, most of which make no sense. Each call must return or raise a
-- Lua error.
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
    -- a message must have a text instead of a status number such as "error 3"
    assert(not tostring(result):find("error %d"), name .. ": " .. tostring(result))
  end
end
print(total .. " of " .. calls .. " calls gave results")
