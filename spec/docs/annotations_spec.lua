-- tags: texts
-- Tests the annotations in library/, which editors and lt.help read: they must be complete, and follow the grammar of
-- editors.

local annotations = require "luatensor.help.annotations"
local annotate = dofile "tools/annotate.lua"
local read = require "tools.annotate.read"

local files = annotate.luals()

local docs, classes = {}, {}
for path, text in pairs(files) do annotations.read(text, path:match "/(%w+)%.lua$" or "", docs, classes) end

describe("documentation comments", function()
  it("cover every public name", function()
    assert.are.same({}, annotate.missing())
  end)

  it("have the default of a parameter after all lines of its text", function()
    local lines = {"Reduces x.", "@tparam[opt=2] number p the order of the norm,", "  also infinity"}
    assert.equal("the order of the norm, also infinity; default 2", read.doc(lines, "norm").params[1].text)
  end)

  it("make annotations that are Lua", function()
    for path, text in pairs(files) do assert(load(text, path)) end
  end)

  it("are those of the committed annotations: make annotations", function()
    for path, text in pairs(files) do
      local file <close> = assert(io.open("library/" .. path, "rb"))
      assert(file:read "a" == text, "library/" .. path .. " is stale: make annotations writes it")
    end
  end)
end)

-- ---- types ----

local primitive = {any = true, ["nil"] = true, boolean = true, integer = true, number = true, string = true, table = true,
                   ["function"] = true, lightuserdata = true, userdata = true}

-- Returns the first undefined name in a type, or nil if all are defined.
local function undefined(type)
  local inner, rest = type:match "^(%b())%[%](.*)$"
  if inner then return undefined(inner:sub(2, -2)) or rest ~= "" and rest or nil end
  for part in type:gsub("<string,string>", ""):gmatch "[^|]+" do
    local name = part:gsub("%[%]", ""):gsub("%?$", "")
    if not primitive[name] and not classes[name] and not name:find '^"[^"]*"$' then return part end
  end
end

describe("annotations", function()
  it("use only types that are defined", function()
    local wrong = {}
    local function check(what, type)
      local part = undefined(type)
      if part then wrong[#wrong + 1] = what .. ": " .. part end
    end
    for _, class in ipairs(classes) do
      if class.parent then check(class.name, class.parent) end
      for _, field in ipairs(class.fields) do check(class.name .. "." .. field.name, field.type) end
    end
    for _, doc in ipairs(docs) do
      for _, param in ipairs(doc.params) do check(doc.name .. "(" .. param.name .. ")", param.type) end
      for _, result in ipairs(doc.returns) do check(doc.name, result.type) end
      if doc.type then check(doc.name, doc.type) end
    end
    assert.same({}, wrong)
  end)

  it("name the parameters of every function in their order", function()
    local wrong, count = {}, 0
    for _, doc in ipairs(docs) do
      local names = {}
      for i, param in ipairs(doc.params) do names[i] = param.name end
      if doc.parameters and table.concat(names, ", ") ~= doc.parameters then
        wrong[#wrong + 1] = ("%s.%s(%s): %s"):format(doc.owner, doc.name, doc.parameters, table.concat(names, ", "))
      end
      count = count + (doc.parameters and 1 or 0)
    end
    assert.same({}, wrong)
    assert.is_true(count > 850, count)
  end)

  it("say each name once, and each class", function()
    local seen, twice = {}, {}
    for _, doc in ipairs(docs) do
      local name = doc.kind .. doc.owner .. "." .. doc.name
      if seen[name] then twice[#twice + 1] = name end
      seen[name] = true
    end
    for _, class in ipairs(classes) do
      if seen[class.name] then twice[#twice + 1] = class.name end
      seen[class.name] = true
    end
    assert.same({}, twice)
  end)

  it("have options that an editor completes and checks, each with a type", function()
    local without, of_modules = {}, 0
    for _, class in ipairs(classes) do
      for _, field in ipairs(class.name:find "options" and class.fields or {}) do
        if field.type == "any" or not field.optional then without[#without + 1] = class.name .. "." .. field.name end
      end
    end
    for _, doc in ipairs(docs) do
      for _, param in ipairs(doc.params) do
        if param.name == "options" and param.type == "table" then without[#without + 1] = doc.owner .. "." .. doc.name end
        if param.name == "options" and doc.owner == "nn" then of_modules = of_modules + 1 end
      end
    end
    assert.same({}, without)
    assert.is_true(of_modules > 40, of_modules)
  end)

  it("have modules that scripts require by name", function()
    for _, name in ipairs {"nn", "optim", "data", "train", "distributed", "bench", "plot"} do
      local text = files[("luatensor/%s.lua"):format(name)]
      assert.equal("---@meta luatensor." .. name, text:match "^[^\n]+")
      assert.truthy(files["luatensor.lua"]:find(("---@field %s luatensor.%s"):format(name, name), 1, true))
    end
  end)
end)

describe("the reader of annotations", function()
  for words, text in pairs {
    ["not of the grammar of annotations"] = "function lt.f(x)\n", ["unknown tag @parm"] = "---@parm x any\n",
    ["line 2"] = "---@meta luatensor\nlt = 3\n",
  } do
    it("refuses what is not of the grammar: " .. words, function()
      local ok, problem = pcall(annotations.read, text, "", {}, {})
      assert.is_false(ok)
      assert.truthy(problem:find(words, 1, true), problem)
    end)
  end
end)
