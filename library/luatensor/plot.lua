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

---Draws a figure as PNG by the program rsvg-convert of librsvg. The theme is light unless the figure's is dark.
---Errors: if rsvg-convert is not installed.
---```lua
---local function picture() return plot.line({1, 4, 9}):png {scale = 2} end      -- needs rsvg-convert
---```
---@param options? luatensor.Figure.png.options
---@return string # the bytes of a PNG file
function Figure:png(options) end

---Writes a figure to a file. The ending of the file's name decides on the format: .svg, .png or .txt. A PNG
---has two pixels for each pixel of the figure.
---Errors: if the file cannot be written, or if its ending is another one.
---```lua
---local function save_loss(losses)
---  plot.line(losses, {title = "Loss", xlabel = "step", yscale = "log"}):save("loss.svg")
---end
---```
---@param path string
---@param options? luatensor.Figure.save.options
---@return luatensor.Figure # the figure
function Figure:save(path, options) end

---@class luatensor.plot
local plot = {}

---Draws bars with names: `plot.bar(heights)`, `plot.bar(names, heights)`, or a table of series, whose bars stand side
---by side. In text, bars are horizontal. NaN and infinities have no bar.
---```lua
---print(plot.bar({"cat", "dog"}, {12, 9}, {title = "Pets"}))
---```
---@param names luatensor.Tensor|table|luatensor.plot.bar.options of the bars, or heights if it is the only argument, or a table of series
---@param heights? luatensor.Tensor|table|luatensor.plot.bar.options
---@param options? luatensor.plot.bar.options
---@return luatensor.Figure #
function plot.bar(names, heights, options) end

---Draws a histogram of values: the number of values in each bin. A table of several series has a histogram of each,
---with the same bins. NaN and infinities are not counted.
---```lua
---print(plot.hist(lt.randn(1000), {bins = 20}))
---```
---@param values luatensor.Tensor|table a tensor of any shape, a list of numbers, or a table of series
---@param options? luatensor.plot.hist.options
---@return luatensor.Figure #
function plot.hist(values, options) end

---Shows an image: a tensor [height, width] for gray, or [channels, height, width], or [height, width, channels], with
---1, 3 or 4 channels. If the shape fits both, the channels are first. uint8 has the range 0 … 255, other dtypes 0 … 1
---for colours. Gray images of other dtypes have the range of their values. NaN is transparent.
---```lua
---print(plot.image(lt.rand(8, 8)))
---```
---@param image luatensor.Tensor|table a tensor, or a list of rows
---@param options? luatensor.plot.image.options
---@return luatensor.Figure #
function plot.image(image, options) end

---Draws a matrix as cells whose colours show the numbers, such as a confusion matrix. The first row is at the top.
---NaN has no colour.
---```lua
---local names = {"cat", "dog"}
---print(plot.heatmap(lt.tensor {{50, 2}, {3, 45}}, {row_labels = names, column_labels = names, annotate = true}))
---```
---@param matrix luatensor.Tensor|table a tensor of two dims, or a list of rows
---@param options? luatensor.plot.heatmap.options
---@return luatensor.Figure #
function plot.heatmap(matrix, options) end

---Draws several figures in one, in rows and columns: `plot.subplots {a, b, c}` or `plot.subplots {{a, b}, {c, d}}`.
---In text, the figures are one below the other.
---```lua
---print(plot.subplots {plot.line {1, 2, 3}, plot.bar {3, 2, 1}})
---```
---@param figures table a list of figures, or a list of rows of figures
---@param options? luatensor.plot.subplots.options
---@return luatensor.Figure #
function plot.subplots(figures, options) end

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

---Draws points. The arguments are those of plot.line, without the options style and marks.
---```lua
---print(plot.scatter(lt.randn(50), lt.randn(50)))
---```
---@param x luatensor.Tensor|table positions, or y if it is the only argument, or a table of series
---@param y? luatensor.Tensor|table|luatensor.plot.scatter.options values
---@param options? luatensor.plot.scatter.options
---@return luatensor.Figure #
function plot.scatter(x, y, options) end

return plot
