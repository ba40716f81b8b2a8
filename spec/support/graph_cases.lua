--- Tests of graphs that hold on every device.

local assert = require "luassert"
local busted = require "busted"
local lt = require "luatensor"

--- Defines the tests. kind: the device, such as "cpu" or "cuda"; name: its name in the text of a graph, such as "cuda:0".
return function(kind, name)
  local device = {device = kind}

  busted.it("runs the function once as it is; replays do all of it again on the same tensors", function()
    local x = lt.tensor({1, 2, 3}, device)
    local g = lt.graph(function()
      x:add_(1)
      return x * 2, "label", nil
    end, device)
    assert.same({2, 3, 4}, x:totable())
    local results = table.pack(g:replay())
    assert.equal(3, results.n)
    assert.equal("label", results[2])
    assert.same({6, 8, 10}, results[1]:totable())
    local again = g:replay()
    assert.is_true(rawequal(results[1], again))
    assert.same({8, 10, 12}, results[1]:totable())
    assert.equal("graph of " .. name, tostring(g))
  end)

  busted.it("gradients do not use tensors that a replay changed after they were recorded", function()
    local w, x = lt.tensor({2.0, 5}, {device = kind, requires_grad = true}), lt.tensor({3.0, 4}, device)
    local g = lt.graph(function()
      x:add_(1)
      return x * 2
    end, device)
    local function records(other)
      local y = (other() * w):sum()
      g:replay()
      assert.error_matches(function() y:backward() end, "was changed in place")
    end
    records(function() return x end)                       -- the graph writes to an older tensor
    records(function() return (g:replay()) end)            -- and to its results
    local y = (g:replay() * w):sum()
    y:backward()
    assert.same({16, 18}, w.grad:totable())
  end)

  busted.it("tensors that died inside, and inputs that died since, stay: nothing else gets their memory", function()
    local x = lt.full({1000}, 2, device)
    local g = lt.graph(function()
      local y = x + 1
      local z = y * y
      y:free()
      return z + x
    end, device)
    x:free()
    local others = {}
    for k = 1, 50 do others[k] = lt.full({1000}, -k, device) end
    for _ = 1, 2 do
      assert.equal(11000, g:replay():sum():item())
      for k = 1, 50 do assert.equal(-1000 * k, others[k]:sum():item()) end
    end
  end)
end
