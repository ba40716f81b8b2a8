local lt = require "luatensor"
local alias = require "luatensor.base.alias"

local x = lt.zeros(2, 3)

local function method(name)
  local found, f = pcall(function() return x[name] end)
  return found and f or nil
end

describe("an alias", function()
  for name, target in pairs(alias.functions) do
    it(name .. " is " .. target, function()
      local f = rawget(lt, target)
      assert.truthy(f, target)
      assert.equal(f, rawget(lt, name))
      assert.equal(method(target), method(name))
      assert.equal(method(target .. "_"), method(name .. "_"))
    end)
  end
  for name, property in pairs(alias.properties) do
    it(name .. "() is ." .. property, function() assert.equal(x[property], x[name](x)) end)
  end
  for name, target in pairs(alias.conversions) do
    it(name .. "() is to " .. target, function()
      if target == "cuda" or target == "rocm" then return end
      assert.same(x:to(target):totable(), x[name](x):totable())
      assert.equal(x:to(target).dtype, x[name](x).dtype)
    end)
  end
end)
