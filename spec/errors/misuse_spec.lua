-- Deliberate misuse by scripts must not crash the process or change existing tensors.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"

-- Returns the public functions of lt as a list of {name =, f =}, sorted by name.
local function functions()
  local list = {}
  for name, f in pairs(lt) do
    if type(f) == "function" and not name:find "^_" then list[#list + 1] = {name = name, f = f} end
  end
  table.sort(list, function(a, b) return a.name < b.name end)
  return list
end

-- Functions that may do nothing, wait, print, write a file, succeed with any arguments, or leave no memory for other
-- specs.
local skipped = {accelerator = true, bench = true, limits = true, save = true, set_memory_limit = true}

-- With LUATENSOR_GCSTRESS, many tensors cost a collection each, so a function takes minutes. Only every fifth function
-- is tried then.
local few = os.getenv "LUATENSOR_GCSTRESS" and 5 or 1

local function freed()
  local x = lt.ones(2, 2)
  x:free()
  return x
end

local strange = {
  {"nothing"}, {"nil", n = 1}, {"a string", "x"}, {"a number", 1}, {"a negative number", -1}, {"NaN", 0 / 0},
  {"infinity", math.huge}, {"the least integer", math.mininteger}, {"the largest integer", math.maxinteger},
  {"a boolean", true}, {"an empty table", {}}, {"a table of strings", {"a", "b"}}, {"options", {zzz = 1}},
  {"a mixed table", {1, dtype = "int8"}}, {"a function", print}, {"a file", io.stdout},
  {"a coroutine", coroutine.create(print)}, {"light userdata", lt.newaxis},
  {"a table that answers with errors", setmetatable({}, {__index = function() error "asked" end})},
}

-- Calls f. A message of Lua itself means that an argument was not checked, so the spec fails.
local function try(name, f, ...)
  local message = helpers.message_of(f, ...)
  if message and (message:find "attempt to" or message:find "bad argument") then error(name .. ": " .. message, 0) end
end

describe("any function", function()
  it("survives strange arguments alone, twice, and after a tensor", function()
    local x = lt.ones(2, 2)
    for i, entry in ipairs(helpers.drawn(functions(), "strange")) do
      if not skipped[entry.name] and i % few == 0 then
        for _, s in ipairs(strange) do
          local v = s[2]
          try(entry.name, entry.f, v)
          try(entry.name, entry.f, v, v)
          try(entry.name, entry.f, x:clone(), v)
          try(entry.name, entry.f, x:clone(), v, v)
          try(entry.name, entry.f, x:clone(), 1, v)
          try(entry.name, entry.f, x:clone(), x, v)
          try(entry.name, entry.f, x:clone(), {out = v})
        end
      end
    end
    lt.set_default_dtype "float32"
    collectgarbage()
    assert.same({{1.0, 1.0}, {1.0, 1.0}}, x:totable())
  end)

  it("survives tensors of every dtype, empty, 0-d, and freed", function()
    local inputs = {freed(), lt.zeros(0), lt.zeros(3, 0, 2), lt.ones(), lt.ones(2, 3, 4),
                    lt.ones(1, 3):broadcast_to(2, 3)}
    -- A GPU would compile a kernel for each pair of dtypes, although the argument checks, which this spec tests, are
    -- the same code.
    local dtypes = helpers.device == "cpu" and {"bool", "uint8", "int16", "uint64", "float16", "bfloat16", "float64"} or {"uint8"}
    for _, d in ipairs(dtypes) do
      inputs[#inputs + 1] = lt.ones(2, 2, {dtype = d})
    end
    for _, entry in ipairs(helpers.drawn(functions(), "dtypes")) do
      if not skipped[entry.name] and entry.name ~= "free" then
        for _, a in ipairs(inputs) do
          try(entry.name, entry.f, a)
          try(entry.name, entry.f, a, 1)
          try(entry.name, entry.f, a, -1, {keepdim = true})
          for _, b in ipairs(inputs) do
            try(entry.name, entry.f, a, b)
            try(entry.name, entry.f, a, b, b)
            try(entry.name, entry.f, a, 1, b)
            try(entry.name, entry.f, a, 1, b, b)
            try(entry.name, entry.f, a, {out = b})
            try(entry.name, entry.f, {a, b}, 1)
          end
        end
      end
    end
    collectgarbage()
  end)
end)

describe("a freed tensor", function()
  it("raises an error in every function that takes a tensor", function()
    for _, entry in ipairs(functions()) do
      local method = helpers.message_of(function() return lt.ones(1)[entry.name] end) == nil
      if method and not ({free = true, is_tensor = true, device = true, grad = true})[entry.name] then
        local named, last = false, nil
        for _, arguments in ipairs {{}, {1}, {1, 1}, {lt.ones(1)}, {{1}}, {1, lt.tensor{1}, lt.ones(1)}, {"float32"}, {lt.tensor{true}, 1}} do
          last = helpers.message_of(entry.f, freed(), table.unpack(arguments))
          assert(last, entry.name .. " takes a freed tensor")
          named = named or last:find "freed"
        end
        assert(named, entry.name .. ": " .. last)
      end
    end
  end)

  it("raises an error for each property, index, operator", function()
    local x = freed()
    for _, name in ipairs {"shape", "ndim", "size", "dtype", "device", "strides", "T", "mT"} do
      assert.raises("^.*freed", function() return x[name] end)
    end
    assert.raises("^.*freed", function() return x[1] end)
    assert.raises("^.*freed", function() x[1] = 2 end)
    assert.raises("^.*freed", function() return x + 1 end)
    assert.raises("^.*freed", function() return 1 + x end)
    assert.raises("^.*freed", function() return -x end)
    assert.raises("^.*freed", function() return #x end)
    assert.raises("^.*freed", function() return x:totable() end)
    assert.raises("^.*freed", function() return pairs(x) end)
    assert.raises("^.*freed", function() return lt.ones(2, 2, {dtype = "float32"}):add(x) end)
    assert.raises("^.*freed", function() return lt.add(lt.ones(2), 1, {out = x}) end)
  end)

  it("prints without an error, may be freed and closed again", function()
    local x = freed()
    assert.is_string(tostring(x))
    x:free()
    do local _ <close> = x end
    collectgarbage()
  end)

  it("as an index or in a table of indices is an error", function()
    local y = lt.ones(3)
    assert.raises("^.*freed", function() return y[freed()] end)
    assert.raises("^.*freed", function() return y[{freed()}] end)
    assert.raises("^.*freed", function() y[{freed()}] = 1 end)
    assert.raises("^.*freed", function() y[1] = freed() end)
    assert.same({1.0, 1.0, 1.0}, y:totable())
  end)
end)

describe("userdata that is no tensor", function()
  it("is refused", function()
    local x = lt.ones(2)
    for _, u in ipairs {io.stdout, lt.newaxis} do
      assert.raises("^add: ", function() return x:add(u) end)
      assert.raises("^sum: ", function() return lt.sum(u) end)
      assert.raises("^.*", function() return x[{{u}}] end)
      assert.is_false(lt.is_tensor(u))
      assert.raises("^from_dlpack: userdata of to_dlpack or light userdata expected", lt.from_dlpack, u)
    end
  end)

  it("with a tensor's metatable is refused as a table, too", function()
    local x = lt.ones(2)
    local meta = debug.getmetatable(x)
    local fake = setmetatable({}, meta)
    assert.is_false(lt.is_tensor(fake))
    assert.has_error(function() return fake + 1 end)
    assert.has_error(function() return fake.shape end)
    assert.has_error(function() return fake:sum() end)
    assert.has_error(function() return #fake end)
    debug.setmetatable(fake, nil)
    pcall(meta.__gc, {})
    pcall(meta.__gc, io.stdout)
    pcall(meta.__gc)
    pcall(meta.__close, 1)
    for _, f in pairs(meta) do
      if type(f) == "function" then
        pcall(f)
        pcall(f, {}, {})
        pcall(f, io.stdout, 1)
        pcall(f, nil, x)
        pcall(f, lt.newaxis, "shape")
      end
    end
    assert.is_true(io.stdout ~= nil and io.type(io.stdout) == "file")
  end)

  it("given a tensor's metatable by debug.setmetatable is not touched", function()
    local f = assert(io.tmpfile())
    local meta, own = debug.getmetatable(lt.ones(1)), debug.getmetatable(f)
    debug.setmetatable(f, meta)
    local is = lt.is_tensor(f)
    debug.setmetatable(f, own)
    f:close()
    assert.is_boolean(is)
  end)
end)

describe("calling __gc by hand", function()
  it("ends the tensor once", function()
    local x = lt.ones(3)
    local row = x[1]
    debug.getmetatable(x).__gc(x)
    debug.getmetatable(x).__gc(x)
    assert.raises("^.*freed", function() return x:sum() end)
    assert.equal(1.0, row:item())
  end)
end)

describe("methods with another self", function()
  it("are errors", function()
    local x = lt.ones(2)
    for _, name in ipairs {"sum", "add", "add_", "reshape", "totable", "item", "clone", "free", "to"} do
      local f = x[name]
      for _, self in ipairs {{}, "x", io.stdout, 5} do
        if not (name == "add" and self == 5) then assert.has_error(function() f(self, 1) end) end
      end
      assert.has_error(function() f() end)
    end
  end)
end)

describe("coroutines", function()
  it("create, yield and share tensors", function()
    local x = lt.ones(3)
    local make = coroutine.wrap(function(y)
      for i = 1, 100 do y = coroutine.yield(y + i) end
      return y
    end)
    for _ = 1, 50 do x = make(x) end
    collectgarbage()
    assert.equal(3, x.size)
    assert.is_true(x[1]:item() > 1)
  end)

  it("that are never finished give their tensors back", function()
    local before = helpers.live()
    for _ = 1, 100 do
      local co = coroutine.wrap(function()
        local y = lt.ones(1000)
        coroutine.yield(y)
        return y
      end)
      co()
    end
    assert.equal(before, helpers.live())
  end)

  it("with errors inside leave nothing behind", function()
    local before = helpers.live()
    for _ = 1, 50 do
      local co = coroutine.create(function()
        local y <close> = lt.ones(1000)
        return y + lt.ones(7)
      end)
      assert.is_false(coroutine.resume(co))
      coroutine.close(co)
    end
    assert.equal(before, helpers.live())
  end)
end)

describe("finalizers", function()
  it("may use tensors", function()
    local seen = 0
    for _ = 1, 20 do
      setmetatable({x = lt.ones(10)}, {__gc = function(t)
        local ok = pcall(function() return (t.x + 1):sum():item() end)
        seen = seen + (ok and 1 or 0)
      end})
    end
    collectgarbage()
    collectgarbage()
    assert.equal(20, seen)
  end)
end)

describe("a failed call", function()
  it("leaves its target as it was", function()
    local x = lt.arange(6):reshape(2, 3)
    for _, f in ipairs {
      function() x:add_(lt.ones(2, 3)) end,                  -- a float32 result does not fit into int64
      function() x:add_(lt.ones(5, {dtype = "int64"})) end,
      function() x:add_ "1" end,
      function() x:copy_(lt.ones(7)) end,
      function() x:fill_ "x" end,
      function() x:fill_() end,
      function() lt.matmul(x, x, {out = x}) end,
      function() x[{{}, lt.tensor{1, 9}}] = 0 end,
    } do
      assert.is_truthy(helpers.message_of(f))
      assert.same({{0, 1, 2}, {3, 4, 5}}, x:totable())
    end
  end)
end)
