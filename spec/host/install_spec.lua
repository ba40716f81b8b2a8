-- tags: process
-- Tests tools/room: if `make install` cannot write into its folders, tools/room says so in one sentence before any file
-- is written.
local shell = require "spec.support.shell"

describe("make install", function()
  it("names a folder where nobody may write", function()
    local status, text = shell.run "tools/room /proc/luatensor -- Makefile"
    assert.equal(1, status)
    assert.equal("luatensor: cannot write into /proc/luatensor: become root (sudo), or choose another folder " ..
      "(make install PREFIX=…, luarocks --local)", (text:gsub("%s+$", "")))
  end)

  it("refuses a relative path", function()
    local status, text = shell.run "tools/room pkg/usr -- Makefile"
    assert.equal(1, status)
    assert.equal("luatensor: pkg/usr is no absolute path: begin DESTDIR or PREFIX with /, such as DESTDIR=$PWD/pkg/usr",
                 (text:gsub("%s+$", "")))
    assert.is_false(shell.exists "pkg")
  end)

  it("names a folder that is too full, and says how much is needed", function()
    local folder = shell.folder()
    shell.passes(("truncate -s 10T %s/large"):format(folder))
    local status, text = shell.run(("tools/room %s/empty -- Makefile %s/large"):format(folder, folder))
    local enough = shell.run(("tools/room %s/empty -- Makefile"):format(folder))
    os.execute("rm -r " .. folder)
    assert.equal(1, status)
    assert.is_truthy(text:find("^luatensor: " .. folder:gsub("%p", "%%%0") ..
      "/empty has %d+ MiB left and luatensor needs 10485761: make room there, or choose another folder"), text)
    assert.equal(0, enough)
  end)
end)
