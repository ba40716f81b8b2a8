-- tags: process
-- Checks what docs/coverage.md says about plugins of PJRT: all functions are called again for two dtypes.

local coverage = dofile "tools/coverage.lua"

local DTYPES = {"float32", "int64"}

describe("docs/coverage.md", function()
  if not os.getenv "LUATENSOR_PJRT_XLA" then
    return pending "no plugin: make deps-pjrt installs some, and make test-pjrt runs this spec"
  end
  it("says which calls the CPU computes for a plugin's device", function()
    local file <close> = assert(io.open "docs/coverage.md")
    local section, differ = coverage.section_of(file:read "a"), {}
    for name, row in pairs(coverage.measure_hosted("xla", DTYPES)) do
      for dtype, families in pairs(row) do
        local says = coverage.families_of(section, name, dtype)
        if says ~= families then differ[#differ + 1] = ("%s of %s: %q, not %q: make coverage"):format(name, dtype, families, says) end
      end
    end
    assert.same({}, differ)
  end)
end)
