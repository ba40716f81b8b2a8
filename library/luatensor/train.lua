---@meta luatensor.train
-- Made by `make annotations` from the sources' comments and the op table. Do not edit.

---@class luatensor.Progress
local Progress = {}

---Starts the loop: `for x, y in bar:batches() do`. Each call starts again. When the loop ends, also by `break` or an
---error, the line is completed with the time that the loop took.
---```lua
---local bar, sum = train.progress(3, {title = "epoch 1"}), 0
---for i in bar:batches() do
---  sum = sum + i
---  bar:set{loss = 1 / i}
---end
---sum  --> 6
---```
---@return function # an iterator of the values of the source
function Progress:batches() end

---Sets values that the line shows: `bar:set{loss = loss}`. Tensors are read only when the line is drawn, so the loop
---does not wait for a GPU in each step.
---```lua
---local bar, sum = train.progress(3, {title = "epoch 1"}), 0
---for i in bar:batches() do
---  sum = sum + i
---  bar:set{loss = 1 / i}
---end
---sum  --> 6
---```
---@param values table numbers, strings and tensors of one element, by name; other values stay
function Progress:set(values) end

---@class luatensor.Log
---@field rows table[]
local Log = {}

---Adds a row, and writes it to the file at once. The first row of a run may replace rows of an earlier run, as
---train.Log says.
---```lua
---local path = os.tmpname()
---os.remove(path)
---local log = train.Log(path, {"epoch", "loss"})
---log:add{epoch = 1, loss = 0.5}
---os.remove(path)
---#log  --> 1
---```
---@param values table numbers, or tensors of one element, by column; columns without a value stay empty
function Log:add(values) end

---Draws columns against the first column, by plot.line.
---```lua
---local path = os.tmpname()
---os.remove(path)
---local log = train.Log(path, {"epoch", "loss"})
---for epoch = 1, 3 do log:add{epoch = epoch, loss = 1 / epoch} end
---tostring(log:plot()):find("epoch", 1, true) ~= nil  --> true
---os.remove(path)
---```
---@param options? luatensor.Log.plot.options
---@return luatensor.Figure # `print(figure)` draws it in the terminal, `figure:save "run.svg"` in a file
function Log:plot(options) end

---@class luatensor.EarlyStopping
---@field best number?
---@field best_step integer?
---@field improved boolean
local EarlyStopping = {}

---Takes the next value. If the value is an improvement, the model's weights are kept. NaN is no improvement.
---Errors: if the weights cannot be kept, or would replace a file of an earlier run.
---```lua
---local stopping = train.EarlyStopping{patience = 2}
---for _, loss in ipairs{3, 1, 2, 4, 5} do
---  if stopping:step(loss) then break end
---end
---stopping.best  --> 1
---```
---@return boolean # true if the training should end
function EarlyStopping:step() end

---Gives the model the best weights.
---Errors: if there is no option `model`, or if no value was an improvement yet.
---```lua
---local model = nn.Linear(1, 1)
---local stopping = train.EarlyStopping{model = model}
---stopping:step(0.5)
---stopping:restore() == model  --> true
---```
---@return luatensor.Module # the model
function EarlyStopping:restore() end

---Returns the state for lt.save. Weights in memory are part of the state.
---```lua
---local first, second = train.EarlyStopping(), train.EarlyStopping()
---first:step(0.5)
---second:load_state_dict(first:state_dict())
---second.best  --> 0.5
---```
---@return table #
function EarlyStopping:state_dict() end

---Continues with a state of state_dict.
---```lua
---local first, second = train.EarlyStopping(), train.EarlyStopping()
---first:step(0.5)
---second:load_state_dict(first:state_dict())
---second.best  --> 0.5
---```
---@param state table
function EarlyStopping:load_state_dict(state) end

---@class luatensor.train
local train = {}

---Opens a log, a CSV file with a line for each row of numbers:
---
---    local log = train.Log("run.csv", {"epoch", "loss", "accuracy"})
---    log:add{epoch = epoch, loss = loss, accuracy = accuracy}
---    print(log:plot())
---
---An existing file is continued; a last line that a crash has cut is removed. A run may repeat epochs of the earlier
---run, if it continues from an older checkpoint. If the first column is called "epoch" or "step", the first row of a
---run replaces the repeated rows: those from the first row on whose epoch is not smaller. The file with these rows is
---kept as "run.csv.1", or with the next free number. No other row is ever removed. Field `rows` is the list of all
---rows, and `#log` their number.
---Errors: if the file cannot be read or written, or has other columns, or is no log.
---```lua
---local path = os.tmpname()
---os.remove(path)
---local log = train.Log(path, {"epoch", "loss"})
---log:add{epoch = 1, loss = 0.5}
---os.remove(path)
---#log  --> 1
---```
---@param path string of a regular file
---@param columns table the names of the columns
---@return luatensor.Log #
function train.Log(path, columns) end

---Makes a loop that shows its progress in a line: the number of steps, the values of `set`, and the remaining time.
---The line is on the standard error, in a notebook on the standard output. On a terminal and in a notebook the line
---rewrites itself. In a file there is a line from time to time.
---
---    local bar = train.progress(loader, {title = "epoch 1"})
---    for x, y in bar:batches() do
---      local loss = step(x, y)
---      bar:set{loss = loss}
---    end
---```lua
---local bar, sum = train.progress(3, {title = "epoch 1"}), 0
---for i in bar:batches() do
---  sum = sum + i
---  bar:set{loss = 1 / i}
---end
---sum  --> 6
---```
---@param source any a loader; the number n of steps, for the numbers 1 … n; or an iterator function, such as io.lines(path)
---@param options? luatensor.train.progress.options
---@return luatensor.Progress #
function train.progress(source, options) end

---Watches a value such as the loss of the validation set:
---
---    local stopping = train.EarlyStopping{patience = 5, model = model, path = "best.safetensors"}
---    for epoch = 1, 100 do
---      …
---      if stopping:step(validation_loss) then break end
---    end
---    stopping:restore()                       -- the model has the best weights again
---
---Fields: `best`, the best value; `best_step`, the number of the call of `step` that had it; `improved`, true if this
---was the last call.
---```lua
---local stopping = train.EarlyStopping{patience = 2}
---for _, loss in ipairs{3, 1, 2, 4, 5} do
---  if stopping:step(loss) then break end
---end
---stopping.best  --> 1
---```
---@param options? luatensor.train.EarlyStopping.options
---@return luatensor.EarlyStopping #
function train.EarlyStopping(options) end

return train
