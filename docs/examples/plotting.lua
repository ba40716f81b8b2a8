--- plot, plot.line, Figure:text
print(plot.line({1, 4, 9, 16}, {title = "Squares"}):text {width = 40, height = 8})

--- Figure:svg
plot.line({1, 4, 9}):svg():sub(1, 19)  --> <?xml version="1.0"

--- Figure:save
local function save_loss(losses)
  plot.line(losses, {title = "Loss", xlabel = "step", yscale = "log"}):save("loss.svg")
end

--- plot.scatter
print(plot.scatter(lt.randn(50), lt.randn(50)))

--- plot.bar
print(plot.bar({"cat", "dog"}, {12, 9}, {title = "Pets"}))

--- plot.hist
print(plot.hist(lt.randn(1000), {bins = 20}))

--- plot.image
print(plot.image(lt.rand(8, 8)))

--- plot.heatmap
local names = {"cat", "dog"}
print(plot.heatmap(lt.tensor {{50, 2}, {3, 45}}, {row_labels = names, column_labels = names, annotate = true}))

--- plot.subplots
print(plot.subplots {plot.line {1, 2, 3}, plot.bar {3, 2, 1}})

--- Figure:png
local function picture() return plot.line({1, 4, 9}):png {scale = 2} end      -- needs rsvg-convert
