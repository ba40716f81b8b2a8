--- Makes surplus arguments of functions and modules an error. Lua itself silently drops arguments beyond the
-- parameters of a function.

local core = require "luatensor.core"
local blame = require "luatensor.base.blame"
local names = require "luatensor.base.names"

local arity = {}

local select, most_arguments, type_name = select, core.most_arguments, core.type_name

-- The set of the constructors (`init`) that arity.module has prepared: those of luatensor's own classes of modules.
-- The keys are weak.
local bounded = setmetatable({}, {__mode = "k"})

-- Raises an error by fail(name, …) if one of the arguments after the first `most` is not nil. `name` is the name of
-- the function, or the module that is called.
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

--- Raises an error if there are more arguments than f has parameters. Nils at the end do not count.
-- @string name of the function, for messages
-- @tparam function f
-- @int own the number of f's first parameters for which no argument is passed here, such as self
-- @param ... the arguments
function arity.check(name, f, own, ...)
  local most = most_arguments(f) - own
  if most >= 0 and select("#", ...) > most then check(blame.fail, name, most, ...) end
end

--- Returns a function that raises an error for surplus arguments and otherwise calls f.
-- @string name for messages
-- @tparam function f a function written in Lua; a function with `...` is returned unchanged
-- @treturn function
function arity.bounded(name, f)
  local most = most_arguments(f)
  if most < 0 then return f end
  return function(...)
    if select("#", ...) > most then check(blame.fail, name, most, ...) end
    return f(...)
  end
end

--- Like arity.bounded, for a method. Its first argument, self, is not counted in messages.
function arity.method(name, f)
  local most = most_arguments(f) - 1
  if most < 0 then return f end
  return function(self, ...)
    if select("#", ...) > most then check(blame.fail, name, most, ...) end
    return f(self, ...)
  end
end

-- Replaces each function of a table by make(name, function). Skips names that begin with an underscore, and names for
-- which is_public(name) is false.
local function replace(functions, is_public, make)
  for name, f in next, functions do
    if type(f) == "function" and type(name) == "string" and name:sub(1, 1) ~= "_" and is_public(name) then
      functions[name] = make(name, f)
    end
  end
end

local function all() return true end

--- Makes surplus arguments an error in all functions of a table.
-- @tab functions
-- @treturn table functions
function arity.library(functions)
  replace(functions, all, arity.bounded)
  return functions
end

-- Like arity.method, but the method also checks its argument self. If self has no method `name`, the script called the
-- method with a dot in place of a colon, and the method raises an error. In the message, `noun` stands for the object,
-- as in "a method is called with a colon: model:append(…)".
local function member(name, f, noun)
  local bounded_method = arity.method(name, f)
  return function(self, ...)
    if type(self) ~= "table" or self[name] == nil then
      blame.raise(name, "a method is called with a colon: %s:%s(…)", noun, name)
    end
    return bounded_method(self, ...)
  end
end

--- Makes surplus arguments an error in the methods of a class.
-- @tab class
-- @tparam[opt] table only the names of the methods to replace, as keys; all methods unless given
-- @string[opt] noun the name of an object of the class in messages; if nil, the methods must check self themselves
-- @treturn table class
function arity.class(class, only, noun)
  local make = noun and function(name, f) return member(name, f, noun) end or arity.method
  replace(class, only and function(name) return only[name] end or all, make)
  return class
end

local function is_method(name) return name ~= "init" and name ~= "forward" end

-- Methods that only lists of modules have, as keys. arity.module adds a check of self to these methods; the methods
-- that all modules have already check self.
local of_lists = {append = true, insert = true, remove = true}

-- Raises an error whose subject is the module, such as "Linear(3, 4): …".
local function module_fails(module, ...) module:fail(...) end

-- Raises the error for a call of a module's forward with a dot, or for a call on the class.
local function refuse_self(class, self)
  local name = type(self) == "table" and rawget(self, "class_name")
  if name then blame.raise(name, "this is the class; make a layer of it, %s(…), and call that", name) end
  blame.raise(class.class_name, "forward: module expected, got %s; is there a colon, as in layer:forward(x)?",
              core.type_name(self))
end

--- True if `init` is the constructor of a class of luatensor, which arity.module has prepared. Constructors of
-- scripts' classes are not checked.
function arity.is_bounded(init) return bounded[init] ~= nil end

--- Replaces the methods of a class of modules by versions that check the number of their arguments. Calls of the
-- modules are checked, too, inside of __call, so that a call takes no additional function call.
-- @tab class
-- @tparam[opt] boolean named true: errors name the module while its `forward` runs. Must be false for containers that
--   call other modules: if a script's module has left the stack by a tail call, the error would name the container.
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
    if own ~= public then return own(self, ...) end       -- a script's class extends this class
    if select("#", ...) > most then check(module_fails, self, most, ...) end
    return forward(self, ...)
  end
end

return arity
