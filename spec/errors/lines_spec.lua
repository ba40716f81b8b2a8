-- An error names the function that the script called and the script's own line, even if the function is written in
-- Lua. Memory is also attributed to the script's line.
local lt = require "luatensor"
local alias = require "luatensor.base.alias"
local core = require "luatensor.core"

local skipped = {_ask_always = true, _fail_after = true, accelerator = true, bench = true, limits = true, save = true,
                 set_num_threads = true, set_memory_limit = true, set_default_dtype = true, set_printoptions = true}

local function freed()
  local x = lt.ones(2, 2)
  x:free()
  return x
end

local function call(f, ...)
  return (f(...))
end
local here = ("lines_spec.lua:%d: "):format(debug.getinfo(call, "S").linedefined + 1)

local function target(name)
  local plain = name:gsub("_$", "")
  return alias.functions[plain] and alias.functions[plain] .. name:sub(#plain + 1) or name
end

-- Returns the error message of f if the message does not begin with this script's line and the function's name (or
-- one of the words below). Returns nil if the message is right, or if f raises no error.
local function misblamed(name, f, ...)
  local ok, message = pcall(call, f, ...)
  if ok then return end
  local at, last = message:find(here, 1, true)
  if not at then return name .. ": not at this line: " .. message end
  local words = message:sub(last + 1)
  for _, start in ipairs {name .. ": ", target(name) .. ": ", "out of memory", "GPU not found"} do
    if words:sub(1, #start) == start then return end
  end
  return name .. ": not by its name: " .. words
end

describe("an error of any function", function()
  local x, huge = lt.ones(2, 3), 1 << 40
  local strange = {freed(), lt.ones(4, 5), lt.tensor{true, false, true}, lt.zeros(0), -1, 0, 7, 1.5, huge, "x", true, print, {},
                   {-1}, {5, 5}, {0.5}, {huge, huge}, {{1}, {1}}, {zzz = 1}, {out = 1}, {out = freed()}, {generator = 1},
                   {dtype = "x"}, {1, dim = 1}}
  local spaces = {["the module"] = lt, tensors = core.methods, ["lt.fft"] = lt.fft, ["lt.linalg"] = lt.linalg}
  for label, functions in pairs(spaces) do
    it("of " .. label .. " blames the script", function()
      for name, f in pairs(functions) do
        if type(f) == "function" and not skipped[name] then
          assert.is_nil(misblamed(name, f))
          for _, v in ipairs(strange) do
            assert.is_nil(misblamed(name, f, v))
            assert.is_nil(misblamed(name, f, x:clone(), v))
            assert.is_nil(misblamed(name, f, x:clone(), v, v))
            assert.is_nil(misblamed(name, f, x:clone(), 1, v))
            assert.is_nil(misblamed(name, f, x:clone(), x, v))
            assert.is_nil(misblamed(name, f, v, x:clone()))
          end
        end
      end
    end)
  end

  it("keeps the line where it is the last call", function()
    local function last() return lt.outer(x, x) end
    local line = debug.getinfo(last, "S").linedefined
    assert.truthy(select(2, pcall(last)):find(("lines_spec.lua:%d: outer: "):format(line), 1, true))
  end)

  it("passes errors that are no strings", function()
    local thrown = setmetatable({}, {__index = function(t) error(t) end})
    local _, e = pcall(lt.split, lt.ones(4), thrown)
    assert.equal(thrown, e)
  end)
end)

describe("a property", function()
  it("of a freed tensor blames the script", function()
    for name in pairs(core.properties) do
      local _, message = pcall(function(t) return t[name] end, freed())
      assert.truthy(message:find("lines_spec.lua:%d+: " .. name .. ": argument 1: this tensor was freed"), message)
    end
  end)
end)

describe("the memory of a composition", function()
  it("is remembered by the script's line", function()
    local kept = lt.tile(lt.ones(1 << 12), {1 << 12, 1})
    local at = ("float32 made at spec/errors/lines_spec.lua:%d"):format(debug.getinfo(1, "l").currentline - 1)
    local _, message = pcall(lt.zeros, 1 << 43)
    assert.truthy(message:find(at, 1, true), message)
    kept:free()
  end)
end)
