-- Loads the Lua files without names and line numbers, like files that luac -s or a bundler made.
table.insert(package.searchers, 2, function(name)
  local path = package.searchpath(name, package.path)
  if not path or not name:find "^luatensor" then return nil end
  return load(string.dump(assert(loadfile(path)), true), "=?")
end)
local lt = require "luatensor"
local x = lt.tensor({2.0}, {requires_grad = true})
lt.detect_anomaly(function() (x * x):sum():backward() end)
assert(x.grad:item() == 4)
local z = lt.tensor({0.0}, {requires_grad = true})
local ok, why = pcall(lt.detect_anomaly, function() (z / z):sum():backward() end)
assert(not ok and why:find("divide", 1, true), why)
ok, why = pcall(lt.no_grad, 5)
assert(not ok and why:find("no_grad: function expected, got number", 1, true), why)
assert(#lt.data.digits() == 1797)              -- package.searchpath finds the file
rawset(package, "searchpath", nil)
ok, why = pcall(lt.data.digits)
assert(not ok and why:find("bundled without digits", 1, true), why)
