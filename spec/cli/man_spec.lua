-- tags: process texts
-- Tests that the man page, which packages install, has the texts of --help.
local shell = require "spec.support.shell"

describe("the man page", function()
  it("is that of the command: make man writes it", function()
    assert.equal(shell.passes "tools/lua tools/man.lua", shell.read "bin/luatensor.1")
  end)
  it("has no character that roff takes for a command", function()
    if shell.run "command -v groff" ~= 0 then return pending "no groff here" end
    assert.equal("", shell.passes "groff -man -Tutf8 -ww bin/luatensor.1 2>&1 >/dev/null")
  end)
end)
