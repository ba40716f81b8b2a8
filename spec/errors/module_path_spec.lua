-- tags: host
-- Errors inside of modules name the module, its place in the network, and the line of the script.

local lt = require "luatensor"
local public = require "spec.support.public"
local nn, data = lt.nn, lt.data

local function freed()
  local x = lt.ones(2, 2)
  x:free()
  return x
end

-- Inputs of many kinds: each module refuses some of them.
local inputs = {
  number = 3, string = "x", table = {1}, module = nn.ReLU(), freed = freed(), bool = lt.tensor {true},
  complex = lt.complex(lt.ones(2, 2), lt.ones(2, 2)), ["0-d"] = lt.tensor(1.5), integers = lt.tensor {{1, 2}, {3, 4}},
  index = lt.tensor {9}, line = lt.ones(5), deep = lt.ones(1, 1, 1, 1, 1, 1), matrix = lt.ones(5, 5),
  image = lt.ones(5, 5, 5), images = lt.ones(5, 5, 5, 5), doubles = lt.ones(5, 5, {dtype = "float64"}),
  double_images = lt.ones(5, 5, 5, 5, {dtype = "float64"}), empty = lt.ones(0, 5),
}

-- Returns the error of net for an input, or nil if there is none. Also returns the start that the message must have:
-- the file and line of the call.
local function said(net, x)
  local line = debug.getinfo(1, "l").currentline + 1
  local ok, message = pcall(function() return (net(x)) end)
  return not ok and tostring(message) or nil, ("module_path_spec.lua:%d: "):format(line)
end

-- True if a message begins with `at`, the place of a module in the network, and its class. At place 2.2 the class
-- must be `name`; any class is accepted at places within 2.2.
local function is_named(message, at, name)
  local first, last = message:find(at, 1, true)
  if not first then return false end
  local place, class = message:sub(last + 1):match "^(2%.2[%w_.]*) %((%u%w*)%("
  return place == "2.2" and class == name or place ~= nil and place ~= "2.2"
end

describe("an error inside of modules", function()
  for _, name in ipairs(public.classes_of(nn)) do
    local module = public.make_module(name)
    if module then
      it("of " .. name .. " names its place", function()
        local net, count = nn.Sequential(nn.Identity(), nn.Sequential(nn.Identity(), module)), 0
        local unnamed = {}
        local function try(label, x)
          local message, at = said(net, x)
          count = count + (message and 1 or 0)
          if message and not is_named(message, at, name) then unnamed[#unnamed + 1] = label .. ": " .. message end
        end
        for label, x in pairs(inputs) do try(label, x) end
        try("nil", nil)
        assert.same({}, unnamed)
        assert.truthy(count >= 5, name .. " refuses only " .. count)
      end)
    end
  end

  it("names the layer, not the one around it, where a script's module calls it", function()
    local Net = nn.Module:extend "Net"
    function Net:init() self.act = nn.Softmax() end
    function Net:forward(x)
      local y = self.act(x)
      return y
    end
    local message = select(2, pcall(nn.Sequential(Net()), 3))
    assert.matches("module_path_spec.lua:%d+: 1.act %(Softmax%(dim = %-1%)%): tensor expected, got number$", message)
    function Net.forward(_, x) return nn.functional.softmax(x, 9) end
    message = select(2, pcall(nn.Sequential(Net()), lt.ones(2)))
    assert.matches("module_path_spec.lua:%d+: softmax: dim 9 is out of range", message)
  end)

  it("names a layer in a copied stack", function()
    local net = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2), 2)
    local message = select(2, pcall(net, lt.ones(5, 5, 5)))
    assert.matches("layers.1.self_attn %(MultiheadAttention%(4, 2%)%): the query's last dim must be 4", message)
  end)

  it("leaves functions that scripts call alone", function()
    local message = select(2, pcall(function() return (nn.functional.softmax(3)) end))
    assert.matches("module_path_spec.lua:%d+: softmax: tensor expected, got number$", message)
  end)
end)

-- ---- functions of scripts that modules and loaders call ----

describe("an error of a script's function", function()
  local x = lt.arange(1, 5, {dtype = "float32"})
  local here = "^[^\n]*module_path_spec.lua:%d+: "
  local function loop(loader)
    for _ in loader:batches() do local _ = nil end
  end

  it("in a loader's map or data set names the script's line", function()
    local function at_caller() error("deep", 2) end
    for f, words in pairs {
      [lt.matmul] = "matmul: 2 arguments expected, got 1$", [lt.split] = "split: size: integer expected, got nil$",
      [at_caller] = "deep$", [function() error "raised" end] = "raised$",
      [function(b) return b:matmul(lt.ones(7)) end] = "matmul: inner dims differ",
      [function(b) return nn.functional.softmax(b, 7) end] = "softmax: dim 7 is out of range",
    } do
      local message = select(2, pcall(loop, data.Loader(data.TensorDataset(x), {batch_size = 2, map = f})))
      assert.matches(here .. words, message)
    end
    for f, words in pairs {[lt.matmul] = "matmul: argument 1: tensor expected, got table$", [at_caller] = "deep$"} do
      local message = select(2, pcall(loop, data.Loader {size = 4, get = f}))
      assert.matches(here .. words, message)
    end
  end)

  it("passes where it is no text", function()
    local thrown = {}
    local loader = data.Loader(data.TensorDataset(x), {map = function() error(thrown) end})
    assert.equal(thrown, select(2, pcall(loop, loader)))
  end)

  it("written in C names the script's line and the module that calls it", function()
    local function raised(f, ...)
      local list = table.pack(...)
      local ok, message = pcall(function() return (f(table.unpack(list, 1, list.n))) end)
      assert.is_false(ok)
      return message
    end
    assert.matches(here .. "1 %(Lambda%(%)%): matmul: 2 arguments expected, got 1$",
                   raised(nn.Sequential(nn.Lambda(lt.matmul)), x))
    assert.matches(here .. "TransformerEncoderLayer%b(): matmul: 2 arguments expected, got 1$",
                   raised(nn.TransformerEncoderLayer(4, 2, {activation = lt.matmul}), lt.ones(3, 2, 4)))
    local optimizer = lt.optim.SGD({lt.ones(2, {requires_grad = true})}, {lr = 1})
    assert.matches(here .. "split: argument 1: tensor expected, got number", raised(lt.optim.scheduler.LambdaLR, optimizer, lt.split))
  end)
end)
