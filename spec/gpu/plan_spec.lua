-- tags: unsanitized unplugged
-- Tests how the host passes plans to kernels, by a separate program (spec/support/plan_check.c).
local assert = require "luassert"

describe("plans of kernels", function()
  it("keep every offset, whatever the pieces, and divide by products", function()
    local checked = assert(io.popen("build/spec/plan_check"))
    assert.equal("ok\n", checked:read "a")
    assert.is_true(checked:close())
  end)
end)
