-- Loads every Lua file of the library through package.preload, from bytecode without paths, names and lines.
local names = {}
for path in assert(io.popen "find lua/luatensor -name '*.lua' | sort"):lines() do
  local name = path:gsub("^lua/", ""):gsub("%.lua$", ""):gsub("/init$", ""):gsub("/", ".")
  names[#names + 1] = name
  package.preload[name] = assert(load(string.dump(assert(loadfile(path)), true), "=?"))
end
require "luatensor.core"
package.path, package.cpath = "", ""
local loaded = 0
for _, name in ipairs(names) do
  -- luatensor.prompt is left out, because loading it starts a prompt.
  if name ~= "luatensor.prompt" then
    assert(require(name))
    loaded = loaded + 1
  end
end
assert(loaded == #names - 1 and loaded > 150, loaded)

-- Functions, suggestions and error texts must work without the names and lines that the bytecode lacks.
local lt = require "luatensor"
local nn, optim = lt.nn, lt.optim
local function refused(what, f, ...)
  local ok, why = pcall(f, ...)
  assert(not ok and tostring(why):find(what, 1, true), what .. ": " .. tostring(why))
end
local model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
local adam = optim.Adam(model:parameters())
model(lt.ones(4, 2)):square():sum():backward()
adam:step()
assert(lt.bench.time(function() return lt.ones(3):sum() end, {seconds = 0.01}))
assert(tostring(lt.ones(2)):find "1.0")
refused("Linear: ", nn.Linear, "two")
refused('did you mean "matmul"', function() return lt.matmull end)
refused("add: shapes [2] and [3] do not broadcast", lt.add, lt.ones(2), lt.ones(3))
local caught = 0
do
  local x = lt.ones(100, 100)
  setmetatable({}, {__gc = function() caught = caught + 1 x:free() end})
  for _ = 1, 300 do lt.stack({lt.ones(50, 50), lt.ones(50, 50)}) end
  collectgarbage()
end
assert(caught == 1)
