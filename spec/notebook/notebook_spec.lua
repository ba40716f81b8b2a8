-- tags: host texts
-- Tests the Lua side of notebooks: cells, their errors, HTML, completion and help. jupyter/tests tests the kernel.
local cell = require "luatensor.notebook.cell"
local complete = require "luatensor.notebook.complete"
local inspect = require "luatensor.notebook.inspect"
local lt = require "luatensor"
local mime = require "luatensor.notebook.mime"
local nn = require "luatensor.nn"

local number = 0

local function run(code)
  number = number + 1
  return cell.run(code, number)
end

local function text(code)
  local reply = run(code)
  assert.equal("ok", reply.status, reply.message)
  return reply.data and reply.data["text/plain"]
end

local function message(code)
  local reply = run(code)
  assert.equal("error", reply.status)
  return reply.message, table.concat(reply.traceback, "\n")
end

-- Sets a global variable until the end of f.
local function with(name, value, f)
  rawset(_G, name, value)
  local ok, problem = pcall(f)
  rawset(_G, name, nil)
  if not ok then error(problem, 0) end
end

local function cells(html)
  local list = {}
  for each in html:gmatch "<td>(.-)</td>" do list[#list + 1] = each end
  return list
end

describe("a cell", function()
  it("shows the expression at its end", function()
    for code, expected in pairs{
      ["1 + 1"] = "2", ["local x = 3\nx * x"] = "9", ["local x = 3\n-- a comment\nx -- another\n"] = "3",
      ["local t = {1,\n 2}\n#t"] = "2", ["(function() return 1, 2 end)()"] = "1\t2", ["nil"] = "nil",
      ["for i = 1, 2 do\n local x = i\nend\n'a\\nb'"] = "a\nb", ["return 5"] = "5", ["local f = tostring\nlocal x = f\n(4)\nx"] = "4",
      ["[[\nlocal x\n1]]"] = "local x\n1", ["local x <const> = 2;\nx,\nx"] = "2\t2", ["{}"] = "{}",
    } do assert.equal(expected, text(code), code) end
  end)

  it("shows nothing without such an expression", function()
    for _, code in ipairs{"local x = 1", "", "-- 5", "local f = tostring f(1);", "for i = 1, 3 do\n tostring(i)\nend",
                          "local function f() return 1 end\nf(); -- silent", "if true then\n tostring(1)\nend"} do
      assert.is_nil(text(code), code)
    end
  end)

  it("names the line of an error in its own cell and in earlier ones", function()
    with("later", nil, function()
      text "function later(f)\n  return 1 + f()\nend"
      local problem, trace = message "\nlater(function()\n  error 'deep'\nend)"
      assert.equal(("In[%d]:3: deep"):format(number), problem)
      assert.truthy(trace:find("----> 3\27[0m   error 'deep'", 1, true), trace)
      assert.truthy(trace:find(("In[%d]:2: in function <In[%d]:1>"):format(number - 1, number - 1), 1, true)
        or trace:find(("In[%d]:2: in global 'later'"):format(number - 1), 1, true)
        or trace:find(("In[%d]:2: in function 'later'"):format(number - 1), 1, true), trace)
      assert.truthy(trace:find(("In[%d]:2: in main chunk"):format(number), 1, true), trace)
      assert.falsy(trace:find("notebook/cell.lua", 1, true), trace)
    end)
    assert.equal(("In[%d]:2: matmul: inner dims differ: [2, 3] × [2, 3]; did you mean y.T?"):format(number + 1),
      (message "local x = require 'luatensor'.ones(2, 3)\nx:matmul(x)"))
    assert.equal(("In[%d]:1: unexpected symbol near <eof>"):format(number + 1), (message "x ="))
    assert.equal("the error value is a table: {code = 5}", (message "error {code = 5}"))
  end)

  it("tells that an error has no text", function()
    text "zzbad = setmetatable({}, {__tostring = function() error('no text', 0) end})"
    for code, expected in pairs{["error(zzbad)"] = "the error's text cannot be shown: no text",
                                ["error{zzbad}"] = "the error's text cannot be shown: no text", ["zzbad"] = "no text"} do
      assert.equal(expected, (message(code)))
    end
    text "zzbad = nil"
  end)

  it("explains that local variables end with their cell", function()
    text "local momentum <const>, other = 1, 2\nlocal function helper() end"
    for _, name in ipairs{"momentum", "other", "helper"} do
      local _, trace = message(name .. ".x = 1")
      assert.truthy(trace:find(("%s was a local variable of cell "):format(name), 1, true), trace)
    end
    assert.truthy(run "momentum".hint:find("write momentum = … without local", 1, true))
    assert.falsy(select(2, message "never.x = 1"):find("local variable", 1, true))
    assert.falsy(run "never".hint)
  end)

  it("is complete, incomplete or invalid", function()
    for code, status in pairs{["1 +"] = "incomplete", ["x = {"] = "incomplete", ["x = 1"] = "complete", ["1 1"] = "invalid",
                              ["for i = 1, 2 do"] = "incomplete", ["f()"] = "complete", ["x = = 1"] = "invalid"} do
      assert.equal(status, cell.completeness(code), code)
    end
  end)
end)

describe("a value", function()
  local function html(value) return mime.of(value)["text/html"] end

  it("is HTML if it is a tensor, with the elements that print shows", function()
    assert.same({"1.5", "2.0", "3.0", "4.0"}, cells(html(lt.tensor{{1.5, 2}, {3, 4}})))
    assert.same({"1", "2", "3"}, cells(html(lt.tensor{1, 2, 3})))
    local wide = cells(html(lt.arange(10000):reshape(100, 100)))
    assert.equal("0 1 2 … 97 98 99", table.concat(wide, " ", 1, 7))
    assert.equal("9999", wide[#wide])
    assert.equal(49, #wide)
    assert.equal(10 + 1 + 10, #cells(html(lt.arange(30))))
    local deep = lt.arange(2 * 3 * 2):reshape(2, 3, 2)
    local list = cells(html(deep))
    for i = 1, 12 do assert.equal(tostring(i - 1), list[i]) end
    assert.truthy(html(deep):find("[2, :, :]", 1, true))
    assert.truthy(html(lt.ones(2, {dtype = "float64", requires_grad = true})):find("float64 [2] cpu requires_grad=true", 1, true))
    assert.truthy(html(lt.ones(50, 2, 2)):find("<div>…</div>", 1, true))
    assert.is_nil(html(lt.tensor(5)))
    assert.is_nil(html(lt.zeros(0, 3)))
    local gone = lt.ones(2)
    gone:free()
    assert.is_nil(html(gone))
  end)

  it("is HTML if it is a table, and text is escaped", function()
    local page = html{"<b>", {1, 2}, name = "a & b"}
    assert.same({"&lt;b&gt;", "{1, 2}", "a &amp; b"}, cells(page))
    assert.same({"1", "a", "2", "b"}, cells(html{{n = 1, s = "a"}, {n = 2, s = "b"}}))
    assert.equal(20, #cells(html(lt.arange(50):totable())))
    assert.truthy(html(lt.arange(50):totable()):find("table with 50 items, the first 20 shown", 1, true))
    local loop = {}
    loop.self = loop
    assert.equal("{self = {… a table above}}", mime.of(loop)["text/plain"])
    assert.truthy(html(loop))
    assert.truthy(html{("ä"):rep(500)}:find("ä…</td>", 1, true))
  end)

  it("is HTML if it is a model", function()
    local model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    model[1]:requires_grad_(false)
    local page = html(model)
    assert.same({"Sequential()", "", "", "Linear(3, 4)", "weight [4, 3], bias [4]", "16", "ReLU()", "", "", "Linear(4, 2)",
                 "weight [2, 4], bias [2]", "10"}, cells(page))
    assert.truthy(page:find("26 parameters, 10 of them trained, float32 cpu", 1, true), page)
  end)

  it("may choose its own representations", function()
    local figure = setmetatable({}, {__mime = function() return {["image/svg+xml"] = "<svg/>"} end,
                                     __tostring = function() return "figure" end})
    assert.same({["image/svg+xml"] = "<svg/>", ["text/plain"] = "figure"}, mime.of(figure))
    assert.truthy(mime.all{n = 2, figure, 1}["text/html"]:find("<svg/><pre>1</pre>", 1, true))
    for _, bad in ipairs{5, {1}, {["text/html"] = 5}} do
      local value = setmetatable({}, {__mime = function() return bad end})
      assert.error_matches(function() mime.of(value) end, "__mime: ")
    end
  end)

  it("is shortened if its text is long", function()
    assert.truthy(mime.text(("x"):rep(200000)):find("\n… 100000 bytes more$"))
    assert.truthy(#mime.text(lt.arange(1000):totable()) < 200)
  end)
end)

describe("completion", function()
  local function names(code) return table.concat((complete.at(code, #code)), " ") end

  it("finds names in tables, tensors and models, without calling the script", function()
    local called = false
    local record = setmetatable({alpha = {beta = 1}}, {__index = function() called = true end})
    with("zzrecord", {tensor = lt.ones(2), model = nn.Sequential(nn.Linear(2, 3)), record = record}, function()
      assert.equal("zzrecord", names "1 + zzrec")
      assert.equal("shape", names "zzrecord.tensor.sha")
      assert.equal("logsumexp", names "zzrecord.tensor:logsum")
      assert.equal("", names "zzrecord.tensor:sha")
      assert.equal("weight", names "zzrecord.model[1].wei")
      assert.truthy(names "zzrecord.model:":find "train")
      assert.equal("beta", names "print(zzrecord.record.alpha.")
      assert.equal("beta", names 'zzrecord["record"].alpha.b')
      assert.equal("", names "zzrecord.record.missing.x")
    end)
    assert.is_false(called)
    assert.equal("return", names "retur")
    assert.equal("inner", names "local inner, other = 1, 2\ninn")
  end)

  it("ends at classes that are their own metatables", function()
    local class = {zzfield = 1}
    class.__index = class
    with("zzclass", setmetatable(class, class), function()
      assert.equal("zzfield", names "zzclass.zz")
      assert.equal("", names "zzclass.missing.x")
    end)
  end)

  it("finds parts of luatensor that are not loaded", function()
    with("lt", lt, function()
      assert.equal("logsumexp", names "lt.logs")
      assert.truthy(names "lt.":find "optim")
      assert.truthy(names "lt.optim.Ad":find "AdamW")
      assert.falsy(names "lt.":find "_fail_after")
    end)
  end)

  it("replaces the last name only, and counts bytes", function()
    with("zzrecord", {alpha = 1}, function()
      local list, start, stop = complete.at("'ä' .. zzrecord.al + 1", #"'ä' .. zzrecord.al")
      assert.same({"alpha"}, list)
      assert.same({#"'ä' .. zzrecord.", #"'ä' .. zzrecord.al"}, {start, stop})
    end)
  end)
end)

describe("help at the cursor", function()
  local function at(code, cursor) return inspect.at(code, cursor or #code) end

  it("shows the reference, a script's functions, and values", function()
    with("lt", lt, function()
      assert.truthy(at "lt.rand(2, ":find("lt.rand(", 1, true))
      assert.truthy(at("lt.rand(2)", 4):find("lt.rand(", 1, true))
      assert.truthy(at "lt.nn.functional.conv2d(lt.ones(1), {":find("conv2d", 1, true))
    end)
    with("zzmodel", nn.Linear(2, 3), function()
      assert.truthy(at "zzmodel:train":find("Switches between training and evaluation", 1, true))
      assert.truthy(at "zzmodel.weight:sum":find("x:sum(", 1, true))
      assert.truthy(at "zzmodel.weight.shape":find("x.shape", 1, true))
    end)
    with("zzmine", load("return function(first, ...) end", "=In[7]")(), function()
      assert.equal("function zzmine(first, ...)\n\ndefined in In[7]:1", at "zzmine(1, ")
    end)
    with("zzvalue", {1, 2}, function() assert.equal("zzvalue: table\n\n{1, 2}", at "zzvalue") end)
  end)

  it("shows nothing for other text", function()
    for _, code in ipairs{"", "no_such_name", "1 + 2", "'text'", "no_such(", ")"} do assert.is_nil(at(code), code) end
  end)
end)
