-- tags: process
-- A script may end the process inside of a compiled function. Finalizers then still use tensors of the list.
local shell = require "spec.support.shell"

describe("a compiled function that ends the process", function()
  it("runs finalizers, which use its results", function()
    local script = [[
      local lt = require "luatensor"
      local x = lt.ones(10)
      setmetatable({}, {__gc = function() io.write("outer ", tostring((x * 2)[1]:item())) end})
      lt.compile(function()
        local y = x + 1
        x:add_(3)
        local kept = setmetatable({}, {__gc = function() io.write("inner ", tostring((y * x)[1]:item()), " ") end})
        os.exit(true, true)
      end)()
    ]]
    assert.equal("inner 8.0 outer 8.0", shell.passes(("lua5.4 -e '%s'"):format(script)))
  end)
end)
