---@meta luatensor.plot
-- Made by `make annotations` from the sources' comments and the op table. Do not edit.

---@class luatensor.Figure
local Figure = {}

---Draws a figure with characters.
---```lua
---print(plot.line({1, 4, 9, 16}, {title = "Squares"}):text {width = 40, height = 8})
---```
---@param options? luatensor.Figure.text.options
---@return string # without a line end
function Figure:text(options) end

---Draws a figure as SVG.
---```lua
---plot.line({1, 4, 9}):svg():sub(1, 19)  --> <?xml version="1.0"
---```
---@return string # an SVG file
function Figure:svg() end

---Writes a figure to a file. The ending of the file's name decides on the format: .svg or .txt.
---Errors: if the file cannot be written, or if its ending is another one.
---```lua
---local function save_loss(losses)
---  plot.line(losses, {title = "Loss", xlabel = "step", yscale = "log"}):save("loss.svg")
---end
---```
---@param path string
---@return luatensor.Figure # the figure
function Figure:save(path) end

---@class luatensor.plot
local plot = {}

---Draws lines. `plot.line(y)` draws y against 1, 2, 3, …, and `plot.line(x, y)` draws y against x. A table of series
---draws several lines: `plot.line {{x, y, label = "train"}, {x2, y2, label = "test"}, title = "Loss"}`. Data are
---tensors of one dim, or lists. A tensor y of two dims has a line for each column. NaN and infinities are gaps.
---```lua
---print(plot.line({1, 4, 9, 16}, {title = "Squares"}):text {width = 40, height = 8})
---```
---@param x luatensor.Tensor|table positions, or y if it is the only argument, or a table of series. A series is a tensor, a list of numbers, or a table {y} or {x, y} with the optional fields label, color, style and marks.
---@param y? luatensor.Tensor|table|luatensor.plot.line.options values
---@param options? luatensor.plot.line.options
---@return luatensor.Figure #
function plot.line(x, y, options) end

return plot
