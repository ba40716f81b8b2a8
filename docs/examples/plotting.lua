--- plot.line, Figure:text
print(plot.line({1, 4, 9, 16}, {title = "Squares"}):text {width = 40, height = 8})

--- Figure:svg
plot.line({1, 4, 9}):svg():sub(1, 19)  --> <?xml version="1.0"

--- Figure:save
local function save_loss(losses)
  plot.line(losses, {title = "Loss", xlabel = "step", yscale = "log"}):save("loss.svg")
end
