-- tags: uncollected many-kernels
-- Checks docs/coverage.md: all functions are called again on the CPU and, if the GPU is emulated, on the GPU.

local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local gpu = require "spec.support.gpu"

local annotate = dofile "tools/annotate.lua"
local coverage = dofile "tools/coverage.lua"

local function read_page()
  local file = assert(io.open "docs/coverage.md")
  local text = file:read "a"
  file:close()
  return text
end

describe("docs/coverage.md", function()
  lt.set_default_device "cpu"
  local cpu = coverage.measure "cpu"
  local emulated = gpu.emulator and coverage.measure(gpu.kind)
  lt.set_default_device(helpers.device)

  it("says what works on the CPU", function()
    local rows = coverage.read(read_page())
    for name, cells in pairs(cpu) do
      assert.is_table(rows[name], name .. ": make coverage")
      for k, dtypes in ipairs(coverage.columns()) do
        for _, dtype in ipairs(dtypes) do
          local letters = coverage.plain(coverage.letters(name, cells[dtype], ""))
          assert.equal(rows[name][k], letters, ("%s of %s: make coverage"):format(name, dtype))
        end
      end
    end
  end)

  it("names no function that is not there", function()
    for name in pairs(coverage.read(read_page())) do assert.is_table(cpu[name], name .. ": make coverage") end
  end)

  gpu.it_nvidia("is what make coverage writes", function()
    assert.equal(coverage.markdown(cpu, emulated, coverage.section_of(read_page())), read_page(), "make coverage")
  end)

  gpu.it_nvidia("and the reference say the same about waiting", function()
    local _, docs = annotate.collect()
    local differ = {}
    for name in pairs(emulated) do
      local waits = coverage.waits(name, emulated)
      local says = name:find "^linalg%." and waits           -- the page's legend of the letter L explains these
        or table.concat(docs[name].text, " "):lower():find "wait" ~= nil
      if says ~= waits then differ[#differ + 1] = name .. (waits and " waits and does not say so" or " says that it waits") end
    end
    assert.same({}, differ)
  end)

  gpu.it_emulated("is right that the rest says so", function()
    for name, cells in pairs(emulated) do
      for dtype, cell in pairs(cells) do
        if cpu[name][dtype].works and not cell.works then
          local library = gpu.kind == "rocm" and name:find "^linalg%."   -- AMD's library may be missing, or lack a function
          local why = library and "" or ' for %w+; use x:to%("cpu"%)$'
          assert.matches(("^not available on %s:0%s"):format(gpu.kind, why), cell.why, name)
        end
      end
    end
  end)
end)
