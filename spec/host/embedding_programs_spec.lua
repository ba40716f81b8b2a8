-- tags: process
-- Runs the programs in examples/embedding, which docs/embedding.md shows. Each computes, checks itself and ends with
-- status 0.
local shell = require "spec.support.shell"

local build = os.getenv "BUILD" or "build"

local answers = {
  host = "^6.0 .*cancelled by the host", states = "5 states agree", audio = "p99.9 .* 0 bytes of Lua's heap", frame = "10 frames; then: .*taken the memory",
  prefork = "4 workers answer .* different numbers", loop = "the product's sum is 54000000",
  bundled = "^trained from a bundle",
  dlpack = "another thread got 210; the host's block was deleted 1 time"
}

describe("examples/embedding", function()
  for path in shell.passes("ls examples/embedding/*.c"):gmatch "[^\n]+" do
    local name = path:match "(%w+)%.c$"
    it("has a program that runs: " .. name, function()
      local program = ("%s/embedding/%s"):format(build, name)
      if not shell.exists(program) then return pending "make test-embedding compiles the programs" end
      assert.truthy(shell.passes(program):find(answers[name] or "no answer in this spec"))
    end)
  end
end)
