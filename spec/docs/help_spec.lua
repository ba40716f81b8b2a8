-- tags: texts
-- Tests lt.help: every public name has help with the options that its function accepts, and every call prints an
-- answer.

local lt = require "luatensor"
local help = require "luatensor.help"
local nn = lt.nn
local shell = require "spec.support.shell"
local surface = require "spec.support.surface"
local topics = require "luatensor.help.topics"

-- Returns the text that lt.help prints.
local function ask(...)
  local printed, before = {}, print
  rawset(_G, "print", function(text) printed[#printed + 1] = text end)
  local ok, problem = pcall(lt.help, ...)
  rawset(_G, "print", before)
  assert(ok, problem)
  assert.equal(1, #printed)
  return printed[1]
end

-- Returns the names in help's list of options.
local function options_in(text)
  local names, list = {}, text:match "Options, in a table at the end[^\n]*\n(.-)\n\n" or text:match "Options, in a table at the end[^\n]*\n(.*)$"
  for name in ("\n" .. (list or "")):gmatch "\n  ([%w_]+) " do names[#names + 1] = name end
  table.sort(names)
  return table.concat(names, ", ")
end

describe("lt.help", function()
  local without, differ, count = {}, {}, 0
  for _, line in ipairs(surface.lines()) do
    local name, kind, options = line:match "^(%S+) (%a+):? ?(.*)$"
    if kind ~= "metamethod" and not name:find "^report%." and not name:find ":__" then
      count = count + 1
      local text = help.find(name)
      if not text then
        without[#without + 1] = name
      elseif kind ~= "table" and not name:find "^Tensor:" and options_in(text) ~= options and not topics.inside(name)[1] then
        differ[#differ + 1] = ("%s: help has [%s], the reference [%s]"):format(name, options_in(text), options)
      end
    end
  end

  it("has every public name", function()
    assert.same({}, without)
    assert.is_true(count > 900, count)
  end)

  it("says what each function does", function()
    local silent = {}
    for _, topic in ipairs(topics.index()) do
      local doc = topics.doc_of(topic)
      if doc and doc.kind ~= "constant" and not (doc.text[1] or ""):find "%S" then silent[#silent + 1] = topic.name end
    end
    assert.same({}, silent)
  end)

  it("has the options of every function", function() assert.same({}, differ) end)

  it("knows functions, methods and classes as values", function()
    local x = lt.ones(2)
    for first, value in pairs {
      ["lt.rand(...)"] = lt.rand, ["x:sum([dim [, options]])"] = x.sum, ["lt.nn.Linear(inputs, outputs [, options])"] = nn.Linear,
      ["lt.optim.SGD("] = lt.optim.SGD, ["lt.linalg.inv(x)"] = lt.linalg.inv, ["lt.advise(fn [, options])"] = lt.advise,
      ["lt.nn.functional.conv2d("] = "conv2d", ["lt.nn.Linear("] = "nn.Linear", ["lt.sum(x [, dim [, options]])"] = "sum",
      ["lt.relu(x [, options])"] = "lt.relu", ["module:to(where [, also])"] = nn.Linear(1, 1).to, ["x:abs_()"] = x.abs_,
      ["x.shape"] = "x.shape", ["cat is another name for concat"] = "cat", ["lt.concat(tensors"] = lt.cat,
      ["lt.pi: a constant, a number"] = "pi", ["linalg has 30 names"] = lt.linalg, ["lt.help([subject])"] = lt.help,
    } do
      local text = ask(value)
      assert.truthy(text:find(first, 1, true), first .. "\n" .. text)
    end
  end)

  it("shows how a function is called, its options a line each, and its results", function()
    local text = ask "quantile"
    for _, part in ipairs {
      "lt.quantile(x, q", "\n  method   \"linear\", \"lower\", \"higher\", \"midpoint\" or \"nearest\" (\"linear\")",
      "\n  keepdim  boolean (false): keeps the reduced dims, of length 1\n", "\nReturns tensor",
      "\nExample:\n  lt.tensor{1, 2, 3, 4, 5}:quantile(0.25)  --> 2.0",
    } do assert.truthy(text:find(part, 1, true), part .. "\n" .. text) end
  end)

  it("lists tables and classes", function()
    assert.truthy(ask(lt):find("conv2d", 1, true) == nil and ask(lt):find("\n  arange ", 1, true))
    assert.truthy(ask(nn):find("\n  nn.Linear ", 1, true))
    assert.truthy(ask "Module":find("\n  Module:state_dict ", 1, true))
    assert.truthy(ask "Tensor":find("\n  Tensor.shape ", 1, true))
  end)

  it("searches for words", function()
    local text = ask "standard deviation"
    assert.truthy(text:find("^%d+ names whose help has \"standard deviation\":\n"), text)
    for _, name in ipairs {"std", "randn"} do assert.truthy(text:find("\n  " .. name .. " ", 1, true), text) end
    assert.truthy(ask "a tensor":find "and %d+ more")
  end)

  it("answers all else in one sentence", function()
    local usage = 'give a name, a function or words: lt.help "conv2d", lt.help(lt.rand), lt.help "standard deviation"'
    local tensor = 'this is a tensor; lt.help "Tensor" lists the methods and properties of tensors'
    local none = 'there is no help for a value of type %s; give a name or a function: lt.help "conv2d"'
    assert.equal("help: " .. usage, ask())
    for words, value in pairs {
      [usage] = "  ", [tensor] = lt.ones(2), [none:format "number"] = 3, [none:format "boolean"] = true, [none:format "table"] = {},
      ["this function is none of luatensor's, so there is no help for it"] = function() end,
      ['luatensor has no "sumn"; did you mean "sum"?'] = "sumn", ['luatensor has no "xqzzy"'] = "xqzzy",
      ['no help has all words of "matrix multiply"; try fewer'] = "matrix multiply",
      ['luatensor has no "kron"; use lt.einsum("ij,kl->ikjl", x, y), and reshape the result'] = "kron",
      ['this is a module; lt.help "nn.Linear" shows its class, lt.help "Module" lists the methods of all modules'] = nn.Linear(1, 1),
    } do
      assert.equal("help: " .. words, ask(value))
    end
  end)

  it("takes junk", function()
    for _, value in ipairs {"(", "%", "\0", ".", ":", "x:", "lt.", "nn.", "a.b.c.d", ("x"):rep(10000), io.stdout, coroutine.create(print), 0 / 0} do
      assert.equal("string", type(ask(value)))
    end
  end)

  it("costs nothing before it is asked", function()
    local code = 'require "luatensor"; print(package.loaded["luatensor.help"], package.loaded["luatensor.help.topics"])'
    assert.equal("nil\tnil\n", shell.passes("tools/lua -e '" .. code .. "'"))
  end)

  it("is where print(lt) points to", function()
    assert.equal(lt._VERSION .. ': lt.help "conv2d" explains a name, lt.help(lt) lists them all', tostring(lt))
    assert.equal("lt.nn: lt.help(lt.nn) lists its names", tostring(nn))
  end)
end)
