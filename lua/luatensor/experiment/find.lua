--- Finds the scripts of the notebook's experiments, and reads their descriptions.

local core = require "luatensor.core"

local scripts = {}

local names = {"01_device", "02_large", "03_small", "04_cores", "05_memory", "06_transfer", "07_crossover",
               "08_training", "09_speedup", "10_transformer"}

local function nearest_name(name)
  local known = {}
  for _, each in ipairs(names) do known[each], known[each:match("_(.*)")] = true, true end
  return core.nearest(known, name)
end

-- Returns the full name of an experiment, or nil: "2" and "large" stand for "02_large".
local function full_name(name)
  for _, each in ipairs(names) do
    local number, word = each:match("^(%d+)_(.*)$")
    if name == each or name == word or tonumber(name) == tonumber(number) then return each end
  end
end

--- Implements experiment.find, which experiment/init.lua describes.
function scripts.find(name)
  if type(name) ~= "string" then error(("experiment.find: string expected, got %s"):format(type(name)), 2) end
  local full = full_name(name)
  if not full then
    local nearest = nearest_name(name)
    local help = nearest and ("; did you mean %q?"):format(nearest) or "; known: " .. table.concat(names, ", ")
    return nil, ("no experiment %q%s"):format(name, help)
  end
  local here = assert(package.searchpath("luatensor.experiment", package.path)):gsub("experiment/init%.lua$", "")
  local beside = here:gsub("lua/luatensor/$", "")                        -- the root of a checkout
  local path = package.searchpath(full, ("%sexamples/?.lua;%sexamples/?.lua"):format(here, beside))
  if not path then return nil, ("experiment %s: its script is not installed"):format(full) end
  return path
end

--- Loads an experiment's script as a function. Returns nil and the reason on failure.
function scripts.load(name)
  local path, problem = scripts.find(name)
  if not path then return nil, problem end
  return loadfile(path)
end

-- True while a script is run only to read its description. experiment.start then raises the description as an error.
local asking = false
local answer = {}

--- experiment.start calls this function first. If a script is run only for its description, the function raises the
-- description, which ends the script.
function scripts.answer(spec)
  if asking then error(setmetatable({spec = spec}, answer), 0) end
end

-- Runs a script only to read its description, and returns the table that the script passes to experiment.start.
local function ask(name)
  local script = assert(scripts.load(name))
  asking = true
  local _, said = pcall(script)
  asking = false
  if getmetatable(said) ~= answer then error(said, 0) end
  return said.spec
end

--- Implements experiment.list, which experiment/init.lua describes.
function scripts.list()
  local list = {}
  for i, name in ipairs(names) do
    local spec = ask(name)
    list[i] = {
      name = name, title = spec.title, question = spec.question, claims = spec.claims, options = spec.options,
    }
  end
  return list
end

return scripts
