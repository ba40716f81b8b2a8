-- embed_host runs this script in a state that it opened as a sandbox. An untrusted script can call the internal functions
-- of the core with arguments that the library itself never passes. Each call must return or raise a Lua error.
local lt = require "luatensor"
local core = require "luatensor.core"

local names = {}
for name in pairs(core.internals) do
  if type(core[name]) == "function" then names[#names + 1] = name end
end
table.sort(names)
assert(#names > 50)

local freed = lt.ones(3)
freed:free()
local makers = {
  function() return nil end,
  function() return math.random(-5, 20) end,
  function() return ({math.maxinteger, math.mininteger, 1 << 40, -1, 0, 2.5, 1e300, 0 / 0})[math.random(8)] end,
  function() return ({"", "float32", "sum", "cpu", "\0%s%n", ("a"):rep(1000)})[math.random(6)] end,
  function() return ({{}, {1, 2, 3}, {lt.ones(2), lt.ones(2)}, {dtype = "float64", dim = 1}, core, lt})[math.random(6)] end,
  function() return lt.ones(2, 3) end,
  function() return lt.tensor {1, 2, 3} end,
  function() return ({freed, lt.zeros(0, 3), lt.tensor(3), lt.ones(4, 4, 4, 4), lt.tensor {true}})[math.random(5)] end,
  function() return ({lt.ones(2, 3).T, lt.complex(lt.ones(2), lt.ones(2)), lt.ones(2):expand(9, 2)})[math.random(3)] end,
  function() return lt.ones(3, {requires_grad = true}) * 2 end,
  function() return ({string.len, function(...) return ... end, coroutine.create(string.len)})[math.random(3)] end,
  function() return ({_G.address, lt.generator(), lt.ones(2):to_dlpack()})[math.random(3)] end,
  function() return math.random(2) == 1 end,
}

local function call(f)
  local arguments = {n = math.random(0, 6)}
  for i = 1, arguments.n do arguments[i] = makers[math.random(#makers)]() end
  return pcall(f, table.unpack(arguments, 1, arguments.n))
end

lt.set_memory_limit(100 << 20)
math.randomseed(1)
for _ = 1, 1000 do
  for _, name in ipairs(names) do coroutine.wrap(call)(core[name]) end
end
