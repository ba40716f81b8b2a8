-- Runs the tour and the page about training on every device, and the blocks of all pages that need a GPU. For AMD's
-- GPUs, the word "cuda" of a block becomes "rocm".
local gpu = require "spec.support.gpu"
local pages = require "spec.support.pages"

local on_devices = {["docs/tour.md"] = true, ["docs/training.md"] = true}

for _, path in ipairs(pages.all()) do
  describe(path, function()
    local place
    lazy_setup(function() place = pages.place() end)
    lazy_teardown(function() pages.leave(place) end)

    for _, block in ipairs(pages.blocks(path)) do
      if block.gpu and not block.part or on_devices[path] then
        it(("line %d runs"):format(block.line), function()
          if block.gpu and not gpu.api.is_available() then return pending "needs a GPU" end
          local code = block.gpu and block.code:gsub("7000", "70"):gsub("3000", "30"):gsub("1000", "20") or block.code
          code = code:gsub("%f[%a]cuda%f[%A]", gpu.kind)
          local printed = table.concat(pages.run(place, code), "\n")
          local expected = code:match "print%(problem%)%s*%-%- ([^\n]+)" or code:match "print%(pcall[^\n]*%-%- ([^\n]+)"
          if expected then assert.truthy(printed:find(expected, 1, true), printed) end
        end)
      end
    end
  end)
end
