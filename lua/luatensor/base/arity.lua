--- Arguments beyond those that a function names: Lua drops them without a word, here they are errors.

local core = require "luatensor.core"
local blame = require "luatensor.base.blame"
local names = require "luatensor.base.names"

local arity = {}

local select, most_arguments, type_name = select, core.most_arguments, core.type_name

-- Constructors of the library's classes of modules.
local bounded = setmetatable({}, {__mode = "k"})

-- Raises where one of the arguments after the first `most` is not nil. name: of a function, or the module that is
-- called.
local function check(fail, name, most, ...)
  local n = select("#", ...)
  while n > most and select(n, ...) == nil do n = n - 1 end
  if n <= most then return end
  if most == 0 then fail(name, "no arguments expected, got %d", n) end
  local help
  if type(name) == "table" then help = names.call_positions(name.class_name, select(most, ...))
  else help = names.positions(name, select(most, ...)) end
  fail(name, "at most %d argument%s expected, got %d%s", most, most == 1 and "" or "s", n, help)
end

--- Raises where there are more arguments than f names. Those after the last that is not nil do not count.
-- @string name of the function, for messages
-- @tparam function f
-- @int own how many of f's first arguments are not among these, such as self
-- @param ... the arguments
function arity.check(name, f, own, ...)
  local most = most_arguments(f) - own
  if most >= 0 and select("#", ...) > most then check(blame.fail, name, most, ...) end
end

--- A function as scripts see it: f, which refuses more arguments than it names.
-- @string name for messages
-- @tparam function f written in Lua; one that ends with `...` is returned as it is
-- @treturn function
function arity.bounded(name, f)
  local most = most_arguments(f)
  if most < 0 then return f end
  return function(...)
    if select("#", ...) > most then check(blame.fail, name, most, ...) end
    return f(...)
  end
end

--- The same of a method: messages do not count self.
function arity.method(name, f)
  local most = most_arguments(f) - 1
  if most < 0 then return f end
  return function(self, ...)
    if select("#", ...) > most then check(blame.fail, name, most, ...) end
    return f(self, ...)
  end
end

-- Replaces the functions of a table whose names do not begin with an underscore, and that `is_public` takes.
local function replace(functions, is_public, make)
  for name, f in next, functions do
    if type(f) == "function" and type(name) == "string" and name:sub(1, 1) ~= "_" and is_public(name) then
      functions[name] = make(name, f)
    end
  end
end

local function all() return true end

--- Bounds the functions of a table.
-- @tab functions
-- @treturn table the same
function arity.library(functions)
  replace(functions, all, arity.bounded)
  return functions
end

-- arity.method, which refuses a self that has no such method: the call had a dot. noun: what has the method.
local function member(name, f, noun)
  local bounded_method = arity.method(name, f)
  return function(self, ...)
    if type(self) ~= "table" or self[name] == nil then
      blame.raise(name, "a method is called with a colon: %s:%s(…)", noun, name)
    end
    return bounded_method(self, ...)
  end
end

--- Bounds the methods of a class.
-- @tab class
-- @tparam[opt] table only the names of those that scripts call, as keys; all unless given
-- @string[opt] noun what has the methods, as messages call it; unless given, the methods look at self
-- @treturn table the same
function arity.class(class, only, noun)
  local make = noun and function(name, f) return member(name, f, noun) end or arity.method
  replace(class, only and function(name) return only[name] end or all, make)
  return class
end

local function is_method(name) return name ~= "init" and name ~= "forward" end

-- Methods of lists of modules; those that all modules have look at self themselves.
local of_lists = {append = true, insert = true, remove = true}

-- A module's own words: "Linear(3, 4): …".
local function module_fails(module, ...) module:fail(...) end

-- A module's forward was called with a dot, or of the class.
local function refuse_self(class, self)
  local name = type(self) == "table" and rawget(self, "class_name")
  if name then blame.raise(name, "this is the class; make a layer of it, %s(…), and call that", name) end
  blame.raise(class.class_name, "forward: module expected, got %s; is there a colon, as in layer:forward(x)?",
              core.type_name(self))
end

--- True if `init` is the constructor of a class that arity.module prepared. Classes of scripts take any number of
-- arguments.
function arity.is_bounded(init) return bounded[init] ~= nil end

--- Checks the number of arguments of the methods of a class of modules, and of calls of its modules. A call of a module
-- costs no additional function call.
-- @tab class
-- @tparam[opt] boolean named true: errors name the module while its `forward` runs. Not for chains: a module of the
--   script that runs in a chain may have left the stack by a tail call.
function arity.module(class, named)
  local forward, init = rawget(class, "forward"), rawget(class, "init")
  if init then bounded[init] = true end
  if forward and named then blame.note_forward(forward) end
  replace(class, is_method, function(name, f)
    return of_lists[name] and member(name, f, "model") or arity.method(name, f)
  end)
  if not forward then return end
  local most = most_arguments(forward) - 1
  if most < 0 then most = math.maxinteger end
  local function public(self, ...)
    if type_name(self) ~= "module" then refuse_self(class, self) end
    if select("#", ...) > most then check(module_fails, self, most, ...) end
    return forward(self, ...)
  end
  class.forward = public
  function class.__call(self, ...)
    local own = self.forward
    if own ~= public then return own(self, ...) end       -- of a script's class that extends this one
    if select("#", ...) > most then check(module_fails, self, most, ...) end
    return forward(self, ...)
  end
end

return arity
