-- tags: process
-- Tests `make install` and the settings of a build. The specs compile nothing, and install a text in place of the module.
local shell = require "spec.support.shell"

-- Runs make, without the options of the make that runs the specs. Returns make's exit status and output.
local function make(arguments)
  return shell.run("unset MAKEFLAGS MAKELEVEL LUA LUA_VERSION LUA_INCDIR; make --no-print-directory -s " .. arguments)
end

local function quote(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

describe("make install", function()
  local folder
  before_each(function()
    folder = shell.folder()
    shell.passes(("mkdir %s/luatensor %s/include"):format(folder, folder))
    shell.write(folder .. "/luatensor/core.so", "the module")
  end)
  after_each(function() shell.passes("rm -r " .. folder) end)

  -- Makes one target of a build in the folder, and returns the contents of a file that make wrote there.
  local function made(target, file, arguments)
    local status, text = make(("%s BUILD=%s %s"):format(target, folder, arguments))
    assert.equal(0, status, text)
    return shell.read(folder .. "/" .. file)
  end

  -- Stores the settings of a build, with option -o, which omits the module.
  local function build(arguments) return made(("-o %s/luatensor/core.so build"):format(folder), "settings", arguments) end

  -- Installs the files, and omits the module as well. The folder `root` is the root of the installed system.
  local function install(arguments)
    return made(("-o %s/luatensor/core.so install"):format(folder), "settings", arguments or ("DESTDIR=%s/root"):format(folder))
  end

  -- Tests that the module and the command are installed for this Lua.
  local function installed_for(version)
    assert.is_true(shell.exists(("%s/root/usr/local/lib/lua/%s/luatensor/core.so"):format(folder, version)))
    assert.is_true(shell.exists(("%s/root/usr/local/share/lua/%s/luatensor/init.lua"):format(folder, version)))
    local command = shell.read(folder .. "/root/usr/local/bin/luatensor")
    assert.equal("#!/usr/bin/env lua" .. version, command:match "[^\n]*")
  end

  local function header(text) shell.write(folder .. "/include/lua.h", text) end
  local header_5_5 = "#define LUA_VERSION_MAJOR_N\t\t5\n#define LUA_VERSION_MINOR_N\t\t5\n#define LUA_VERSION_RELEASE_N\t1\n" ..
    "#define LUA_VERSION_MAJOR  LUAI_TOSTR(LUA_VERSION_MAJOR_N)\n"

  it("takes Lua 5.4 if nothing else is said", function()
    build("")
    install()
    installed_for "5.4"
  end)

  it("installs for the Lua of the build", function()
    build("LUA_VERSION=5.5")
    install()
    installed_for "5.5"
  end)

  it("installs for the Lua whose headers the build took", function()
    header(header_5_5)
    build(("LUA_INCDIR=%s/include"):format(folder))
    install()
    installed_for "5.5"
  end)

  it("installs for another Lua if that is said, and stores this Lua", function()
    build("LUA_VERSION=5.5")
    local settings = install(("LUA_VERSION=5.4 DESTDIR=%s/root"):format(folder))
    assert.equal("LAST_LUA_VERSION = 5.4", settings:match "LAST_LUA_VERSION[^\n]*")
    installed_for "5.4"
  end)

  it("finds every setting unchanged", function()
    local given = "-Wl,-rpath,'$$ORIGIN/lib' -Wl,-z,\"now\""
    local text = build("LDFLAGS=" .. quote(given))
    assert.equal("LAST_LDFLAGS = " .. given:gsub("%$", "$$"), text:match "LAST_LDFLAGS[^\n]*")
  end)

  it("takes the name of a folder as it is", function()
    for _, name in ipairs {'a "b', "a'b", "a$b", "a$(b)", "a`b", "a b\\c"} do
      install(("DESTDIR=%s PREFIX=%s"):format(quote(folder .. "/" .. name), quote("/" .. name)))
      local prefix = ("%s/%s/%s"):format(folder, name, name)
      assert.is_true(shell.exists(prefix .. "/lib/lua/5.4/luatensor/core.so"), name)
      assert.is_true(shell.exists(prefix .. "/share/lua/5.4/luatensor/data/init.lua"), name)
    end
  end)

  it("is undone by make uninstall, which leaves other files", function()
    local folders = ("DESTDIR=%s/root LIBDIR=/own"):format(folder)
    build("LUA_VERSION=5.5")
    install(folders)
    shell.write(folder .. "/root/usr/local/bin/other", "")
    local function files() return shell.passes(("cd %s/root && find . -type f -o -name '*luatensor*'"):format(folder)) end
    assert.truthy(files():find "/own/luatensor/core.so")
    local status, text = make(("uninstall BUILD=%s %s"):format(folder, folders))
    assert.equal(0, status, text)
    assert.equal("./usr/local/bin/other\n", files())

    install(folders)
    shell.write(folder .. "/root/usr/local/share/lua/5.5/luatensor/nn/other.lua", "")
    shell.passes(("make -s uninstall BUILD=%s %s"):format(folder, folders))
    assert.truthy(files():find "luatensor/nn/other%.lua\n")
    assert.falsy(files():find "init%.lua")
  end)

  it("makes folders that all users may read", function()
    shell.passes(("umask 077; tools/room %s/a/b -- Makefile"):format(folder))
    assert.equal("drwxr-xr-x\ndrwxr-xr-x\n", shell.passes(("ls -ld %s/a %s/a/b | cut -c1-10"):format(folder, folder)))
  end)

  it("names a folder where nobody may write", function()
    local status, text = shell.run "tools/room /proc/luatensor -- Makefile"
    assert.equal(1, status)
    assert.equal("luatensor: cannot write into /proc/luatensor: become root (sudo), or choose another folder " ..
      "(make install PREFIX=…, luarocks --local)", (text:gsub("%s+$", "")))
  end)

  it("refuses a relative path", function()
    local status, text = shell.run "tools/room pkg/usr -- Makefile"
    assert.equal(1, status)
    assert.equal("luatensor: pkg/usr is no absolute path: begin DESTDIR or PREFIX with /", (text:gsub("%s+$", "")))
    assert.is_false(shell.exists "pkg")
  end)

  it("names a folder that is too full, and says how much is needed", function()
    shell.passes(("truncate -s 10T %s/large"):format(folder))
    local status, text = shell.run(("tools/room %s/empty -- Makefile %s/large"):format(folder, folder))
    local enough = shell.run(("tools/room %s/empty -- Makefile"):format(folder))
    assert.equal(1, status)
    assert.is_truthy(text:find("^luatensor: " .. folder:gsub("%p", "%%%0") ..
      "/empty has %d+ MiB left and luatensor needs 10485761: make room there, or choose another folder"), text)
    assert.equal(0, enough)
  end)

  describe("of a build", function()
    -- Returns the one sentence with which `make` refuses to build.
    local function refusal(arguments)
      local status, text = make("found PKG_CONFIG=false " .. arguments)
      assert.equal(2, status, text)
      return text:match "^luatensor: ([^\n]*)\nmake: [^\n]*\n$" or text
    end

    it("without headers names the Lua that was asked for", function()
      assert.equal("no lua.h of Lua 5.5: install liblua5.5-dev, or name the folder of lua.h (LUA_INCDIR=…)", refusal "LUA_VERSION=5.5")
      assert.equal("no lua.h of Lua 5.4: install liblua5.4-dev (make deps does), or name the folder of lua.h (LUA_INCDIR=…)",
                   refusal "")
      assert.equal(("no lua.h of Lua 5.5 in %s: install liblua5.5-dev, or name the folder of lua.h (LUA_INCDIR=…)"):format(folder),
                   refusal(("LUA_VERSION=5.5 LUA_INCDIR=%s"):format(folder)))
    end)

    it("with a folder that has no OpenBLAS is refused", function()
      for _, target in ipairs {"found", folder .. "/obj/base/text.o"} do        -- every object needs `found`
        local _, text = make(("%s BUILD=%s OPENBLAS_DIR=%s/include"):format(target, folder, folder))
        assert.truthy(text:find(("luatensor: no libopenblas in %s/include: name the folder of libopenblas.so (OPENBLAS_DIR=…), " ..
          "or leave OPENBLAS_DIR out\n"):format(folder), 1, true), text)
      end
    end)

    it("for a Lua that is not supported is refused", function()
      assert.equal("Lua 5.3 is not supported: set LUA_VERSION to 5.4 or 5.5", refusal "LUA_VERSION=5.3")
      header '#define LUA_VERSION\t"Lua 5.1"\n#define LUA_RELEASE\t"Lua 5.1.4"\n'
      assert.equal("Lua 5.1 is not supported: set LUA_VERSION to 5.4 or 5.5", refusal(("LUA_INCDIR=%s/include"):format(folder)))
    end)

    it("for one Lua with the headers of another is refused", function()
      header(header_5_5)
      assert.equal(("%s/include/lua.h is of Lua 5.5, not 5.4: correct LUA_VERSION or LUA_INCDIR"):format(folder),
                   refusal(("LUA_VERSION=5.4 LUA_INCDIR=%s/include"):format(folder)))
    end)

    it("with another system's libraries stores no path of this machine in the module", function()
      local libraries = "/usr/lib64/openblas-openmp"
      shell.passes(("mkdir -p %s/system%s && touch %s/system%s/libopenblas.so"):format(folder, libraries, folder, libraries))
      local flags = made(folder .. "/luatensor/core.so.flags", "luatensor/core.so.flags", ("SYSROOT=%s/system"):format(folder))
      assert.equal(libraries, flags:match "%-rpath,(%S+)")
    end)
  end)
end)
