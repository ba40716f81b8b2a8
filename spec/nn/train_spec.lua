-- Tests lt.train: the progress of a loop with a fake clock and stream, early stopping, and the log.

local data = require "luatensor.data"
local helpers = require "spec.support.helpers"
local shell = require "spec.support.shell"
local lt = require "luatensor"
local nn = require "luatensor.nn"
local status_line = require "luatensor.base.status_line"
local train = require "luatensor.train"

local device = helpers.device

-- Calls f with the path of a new file, and removes the file.
local function with_file(f)
  local path = os.tmpname()
  os.remove(path)
  local ok, why = pcall(f, path)
  os.remove(path)
  if not ok then error(why, 0) end
end

describe("train.progress", function()
  local class = getmetatable(train.progress(1))
  local now, written, kept

  local stream = {flush = function() end}
  function stream:write(...)
    written = written .. table.concat {...}
    return self
  end

  before_each(function()
    now, written, kept = 50, "", {class._stream, class._clock, status_line.columns}
    class._stream, class._clock = stream, function() return now end
    status_line.columns = function() return 60 end
  end)

  after_each(function()
    class._stream, class._clock, status_line.columns = table.unpack(kept)
    package.loaded["luatensor.notebook"] = nil
  end)

  it("shows steps, values and the remaining time in one line on a terminal", function()
    local bar = train.progress(4, {title = "epoch 1"})
    local steps = {}
    for i in bar:batches() do
      steps[#steps + 1] = i
      bar:set{loss = lt.tensor(i / 4, {device = device}), ["a name"] = "x"}
      now = now + 2
    end
    assert.same({1, 2, 3, 4}, steps)
    assert.equal("\repoch 1: 1 of 4, a name x, loss 0.25, about 6 s left\27[K"
      .. "\repoch 1: 2 of 4, a name x, loss 0.5, about 4 s left\27[K"
      .. "\repoch 1: 3 of 4, a name x, loss 0.75, about 2 s left\27[K"
      .. "\repoch 1: 4 of 4, a name x, loss 1\27[K"
      .. "\r\27[Kepoch 1: 4 of 4 in 8.0 s, a name x, loss 1\n", written)
  end)

  it("shows values that are not finite", function()
    local bar = train.progress(1)
    for _ in bar:batches() do bar:set{a = 0 / 0, b = -(0 / 0), c = lt.tensor(0 / 0, {device = device}), d = -math.huge} end
    assert.equal("\r\27[K1 of 1 in 0.0 s, a nan, b nan, c nan, d -inf\n", written)
  end)

  it("reads values only when it draws", function()
    local bar = train.progress(1000)
    for _ in bar:batches() do now = now + 0.001 end
    local _, drawings = written:gsub("\27%[K", "")
    assert.equal(10, drawings)                                      -- 9 lines in 1 s, and their removal
  end)

  it("writes a line from time to time into a file", function()
    status_line.columns = function() return nil end
    for _ in train.progress(100, {every = 30}):batches() do now = now + 1 end
    assert.equal("30 of 100, about 70 s left\n60 of 100, about 40 s left\n90 of 100, about 10 s left\n"
      .. "100 of 100 in 100.0 s\n", written)
  end)

  it("rewrites the line in a notebook without commands of terminals", function()
    package.loaded["luatensor.notebook"] = {}
    for _ in train.progress(2):batches() do now = now + 1 end
    assert.equal("1 of 2, about 1 s left", written:match "^\r(.-) *\r")
    assert.equal("2 of 2 in 2.0 s", written:match "\r([^\r]-) *\n$")
    assert.is_nil(written:find "\27")
  end)

  it("completes the line after break and errors", function()
    for i in train.progress(5):batches() do
      now = now + 1
      if i == 3 then break end
    end
    assert.equal("2 of 5 in 3.0 s\n", written:match "\27%[K([^\27]*)$")
    written = ""
    assert.raises("no", function()
      for _ in train.progress(5):batches() do error("no", 0) end
    end)
    assert.equal("\r\27[K0 of 5 in 0.0 s\n", written)
  end)

  it("passes on the values of loaders and iterators", function()
    local x = lt.arange(10, {dtype = "float32"})
    local loader = data.Loader(data.TensorDataset(x, x * 2), {batch_size = 4})
    local bar, sum = train.progress(loader), 0
    for _ = 1, 2 do
      for a, b in bar:batches() do sum = sum + (b - a):sum():item() end
    end
    assert.equal(90, sum)
    local words = {}
    for word in train.progress(("a b c"):gmatch "%a"):batches() do words[#words + 1] = word end
    assert.same({"a", "b", "c"}, words)
    assert.truthy(written:find("3 in 0.0 s\n", 1, true))
  end)

  it("refuses what it cannot show", function()
    assert.raises("progress: loader, number of steps or iterator expected, got -1", function() train.progress(-1) end)
    assert.raises("set: loss: a tensor of one element expected, the shape is [2]", function()
      train.progress(1):set{loss = lt.ones(2)}
    end)
    assert.raises("progress: is not called: `for x, y in bar:batches() do`", function()
      local count = 0
      for _ in train.progress(3) do count = count + 1 end
    end)
  end)
end)

describe("train.EarlyStopping", function()
  it("ends after the patience, and counts only improvements above min_delta", function()
    local function stops(values, options)
      local stopping = train.EarlyStopping(options)
      for i, value in ipairs(values) do if stopping:step(value) then return i, stopping.best, stopping.best_step end end
    end
    assert.same({4, 2, 2}, {stops({3, 2, 2, 5, 1}, {patience = 2})})
    assert.same({5, 3, 3}, {stops({1, 2, 3, 2, 2, 9}, {patience = 2, mode = "max"})})
    assert.same({3, 3.0, 1}, {stops({3.0, 2.5, 2.2, 1}, {patience = 2, min_delta = 1})})
    assert.same({3, 5, 1}, {stops({5, 0 / 0, 0 / 0}, {patience = 2})})
    assert.same({}, {stops({3, 2, 1}, {patience = 0})})
    assert.same({2, 3, 1}, {stops({3, lt.tensor(4), 1}, {patience = 0})})
  end)

  -- Steps twice, the first time better; returns the model after restore, and the weights of both steps.
  local function run(path)
    local model = nn.Linear(2, 1, {device = device})
    local stopping = train.EarlyStopping{model = model, path = path}
    stopping:step(1)
    local best = model.weight:totable()
    lt.no_grad(function() model.weight:add_(1) end)
    stopping:step(2)
    assert.not_same(best, model.weight:totable())
    return stopping, model, best
  end

  it("keeps the best weights in memory or in a file", function()
    local stopping, model, best = run()
    assert.equal(model, stopping:restore())
    assert.same(best, model.weight:totable())
    with_file(function(path)
      stopping, model, best = run(path)
      assert.same(best, lt.load(path).weight:totable())
      stopping:restore()
      assert.same(best, model.weight:totable())
    end)
  end)

  it("replaces a file of an earlier run only with the option, or with the state of that run", function()
    with_file(function(path)
      local earlier = run(path)
      local text, model = shell.read(path), nn.Linear(2, 1, {device = device})
      local function start(overwrite)
        return train.EarlyStopping{model = model, path = path, overwrite = overwrite}
      end
      local stopping = start()
      for _ = 1, 2 do
        assert.raises("step: " .. path .. " is a file of an earlier run; remove the file, name another path, give "
          .. "overwrite = true, or continue the earlier run with load_state_dict", function() stopping:step(0.5) end)
        assert.is_nil(stopping.best)
        assert.equal(text, shell.read(path))
      end
      stopping:load_state_dict(earlier:state_dict())
      stopping:step(0.5)
      assert.same(model.weight:totable(), lt.load(path).weight:totable())
      lt.no_grad(function() model.weight:add_(1) end)
      start(true):step(7)
      assert.same(model.weight:totable(), lt.load(path).weight:totable())
    end)
  end)

  it("keeps the old weights and the old best if the file cannot be written", function()
    local model = nn.Linear(2, 1)
    local stopping = train.EarlyStopping{model = model, path = "/nowhere/best.safetensors"}
    assert.falsy(pcall(stopping.step, stopping, 1))
    assert.is_nil(stopping.best)
  end)

  it("continues with its state", function()
    local first = train.EarlyStopping{patience = 3, model = nn.Linear(2, 1)}
    for _, value in ipairs {3, 1, 2, 2} do first:step(value) end
    with_file(function(path)
      lt.save(path, {stopping = first})
      local model = nn.Linear(2, 1)
      local second = train.EarlyStopping{patience = 3, model = model}
      second:load_state_dict(lt.load(path).stopping)
      assert.same({1, 2, 4, 2}, {second.best, second.best_step, second.count, second.waited})
      assert.is_true(second:step(5))
      second:restore()
      assert.same(first.weights.weight:totable(), model.weight:totable())
    end)
  end)

  it("refuses wrong options and values", function()
    assert.raises("EarlyStopping: model: module expected, got number", function() train.EarlyStopping{model = 3} end)
    assert.raises("EarlyStopping: path: the option model says whose weights are saved", function()
      train.EarlyStopping{path = "x"}
    end)
    assert.raises("step: number expected, got string", function() train.EarlyStopping():step "x" end)
    assert.raises("restore: EarlyStopping has no option model", function() train.EarlyStopping():restore() end)
    assert.raises("restore: no weights were kept: step had no number yet", function()
      train.EarlyStopping{model = nn.Linear(1, 1)}:restore()
    end)
  end)
end)

describe("train.Log", function()
  local columns = {"epoch", "loss", "accuracy"}

  it("writes each row at once, and continues a file", function()
    with_file(function(path)
      local log = train.Log(path, columns)
      log:add{epoch = 1, loss = 0.1, accuracy = lt.tensor(0.5)}
      log:add{epoch = 2, loss = 1 / 3}
      assert.equal("epoch,loss,accuracy\n1,0.1,0.5\n2,0.3333333333333333,\n", shell.read(path))
      local again = train.Log(path, columns)
      again:add{epoch = 3, loss = 0 / 0, accuracy = -math.huge}
      assert.equal(3, #again)
      assert.same({epoch = 2, loss = 1 / 3}, again.rows[2])
      local last = train.Log(path, columns).rows[3]
      assert.truthy(last.loss ~= last.loss and last.accuracy == -math.huge)
    end)
  end)

  it("removes a last line that a crash has cut, and a header that a crash has cut", function()
    with_file(function(path)
      shell.write(path, "epoch,loss,accuracy\n1,4,0.1\n2,3,0.2\n3,2,0.")
      assert.equal(2, #train.Log(path, columns))
      assert.equal("epoch,loss,accuracy\n1,4,0.1\n2,3,0.2\n", shell.read(path))
      for _, cut in ipairs{"", "epoch,lo", "epoch,loss,accuracy"} do
        shell.write(path, cut)
        assert.equal(0, #train.Log(path, columns))
        assert.equal("epoch,loss,accuracy\n", shell.read(path))
      end
    end)
  end)

  it("replaces the rows of an earlier run that the first row repeats, and keeps the earlier file", function()
    with_file(function(path)
      local head, second = "epoch,loss,accuracy\n", path .. ".2"
      shell.write(path, head .. "1,4,0.1\n2,3,0.2\n,7,\n3,2,0.3\n")
      local log = train.Log(path, columns)
      log:add{loss = 9}
      log:add{epoch = 2, loss = 2.5}
      assert.equal(head .. "1,4,0.1\n,9,\n2,2.5,\n", shell.read(path))
      assert.same({{epoch = 1, loss = 4, accuracy = 0.1}, {loss = 9}, {epoch = 2, loss = 2.5}}, log.rows)
      assert.equal(head .. "1,4,0.1\n2,3,0.2\n,7,\n3,2,0.3\n,9,\n", shell.read(path .. ".1"))
      log:add{epoch = 1, loss = 5}                                    -- rows of this run are never replaced
      assert.equal(head .. "1,4,0.1\n,9,\n2,2.5,\n1,5,\n", shell.read(path))
      train.Log(path, columns):add{epoch = 1}                         -- the script runs from its beginning
      assert.equal(head .. "1,,\n", shell.read(path))
      assert.equal(head .. "1,4,0.1\n,9,\n2,2.5,\n1,5,\n", shell.read(second))
      os.remove(path .. ".1")
      os.remove(second)
    end)
  end)

  it("replaces no rows if the first column is no counter", function()
    with_file(function(path)
      for _, names in ipairs{{"fold", "epoch"}, {"loss", "epoch"}} do
        os.remove(path)
        for _ = 1, 2 do
          local log = train.Log(path, names)
          for fold = 2, 1, -1 do log:add{[names[1]] = fold, epoch = 1} end
        end
        assert.equal(table.concat(names, ",") .. "\n2,1\n1,1\n2,1\n1,1\n", shell.read(path))
      end
    end)
  end)

  it("changes no file that is no log, and takes only regular files", function()
    with_file(function(path)
      for _, text in ipairs{"a note", "epoch,loss,accuracy,", "epoch;loss"} do
        shell.write(path, text)
        assert.raises("Log: " .. path .. ": this is no log; name another file", function() train.Log(path, columns) end)
        assert.equal(text, shell.read(path))
      end
      os.remove(path)
      shell.passes("mkfifo " .. path)
      assert.raises("Log: " .. path .. ": not a plain file", function() train.Log(path, columns) end)
      assert.raises("Log: /dev/null: not a plain file", function() train.Log("/dev/null", columns) end)
    end)
  end)

  it("draws its columns", function()
    with_file(function(path)
      local log = train.Log(path, columns)
      for i = 1, 5 do log:add{epoch = i, loss = 10 ^ -i, accuracy = i > 2 and i / 10 or nil} end
      local both, one = tostring(log:plot()), tostring(log:plot{columns = {"loss"}, yscale = "log", title = "the run"})
      for _, words in ipairs {"loss", "accuracy", "epoch"} do assert.truthy(both:find(words, 1, true), words) end
      assert.truthy(one:find("the run", 1, true) and not one:find("accuracy", 1, true))
      assert.truthy(one:find("0.0001", 1, true) or one:find("10⁻⁴", 1, true), one)
      log:plot():save(path .. ".svg")
      assert.truthy(shell.read(path .. ".svg"):find("accuracy", 1, true))
      os.remove(path .. ".svg")
      assert.raises('plot: unknown column "los"; known: epoch, loss, accuracy', function() log:plot{columns = {"los"}} end)
      assert.raises("plot: options expected, got string", function() log:plot "loss" end)
    end)
  end)

  it("refuses other columns, other values and other files", function()
    with_file(function(path)
      local log = train.Log(path, columns)
      assert.raises('add: unknown column "los"; known: epoch, loss, accuracy', function() log:add{los = 1} end)
      assert.raises("add: loss: number expected, got string", function() log:add{loss = "1"} end)
      assert.equal("epoch,loss,accuracy\n", shell.read(path))
      assert.raises('Log: ' .. path .. ': the columns are "epoch,loss,accuracy", not "epoch"; name another file',
        function() train.Log(path, {"epoch"}) end)
      shell.write(path, "epoch,loss,accuracy\n1,x,\n")
      assert.raises('Log: ' .. path .. ': line 2, column loss: no number: "x"', function() train.Log(path, columns) end)
      shell.write(path, "epoch,loss,accuracy\n1,2\n")
      assert.raises('Log: ' .. path .. ': line 2: 3 columns expected, got 2', function() train.Log(path, columns) end)
      assert.equal("epoch,loss,accuracy\n1,2\n", shell.read(path))
    end)
    assert.raises('Log: column 1: a name without commas, quotes and line breaks expected', function()
      train.Log("x.csv", {"a,b"})
    end)
  end)
end)
