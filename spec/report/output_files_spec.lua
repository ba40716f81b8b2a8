-- tags: unsanitized uncollected host
-- Tests the output files of results and pages.
local files = require "luatensor.bench.files"
local shell = require "spec.support.shell"

local root = shell.passes("id -u") == "0\n"

local put, get = shell.write, shell.read

local folder
before_each(function() folder = shell.folder() end)
after_each(function() shell.passes(("chmod -R u+rwx %s; rm -r %s"):format(folder, folder)) end)

-- Returns the names in the folder, including names that begin with a dot.
local function names() return (shell.passes(("cd %s && ls -A"):format(folder)):gsub("\n", " ")) end

local function at(name) return folder .. "/" .. name end

describe("a file", function()
  it("is written, and nothing is left beside it", function()
    assert.is_true(files.write(at "a.json", "one"))
    assert.equal("one", get(at "a.json"))
    assert.is_true(files.write(at "a.json", "two"))
    assert.same({"two", "a.json "}, {get(at "a.json"), names()})
  end)

  it("of the user's with a name like a temporary one's stays", function()
    put(at "a.json.tmp", "mine")
    assert.equal(at "a.json", files.check(at "a.json"))
    assert.is_true(files.write(at "a.json", "text"))
    assert.same({"mine", "a.json a.json.tmp "}, {get(at "a.json.tmp"), names()})
  end)

  it("keeps its rights", function()
    put(at "a.json", "old")
    shell.passes("chmod 640 " .. at "a.json")
    files.write(at "a.json", "new")
    assert.equal("640\n", shell.passes("stat -c %a " .. at "a.json"))
  end)

  it("is what links lead to, there or not yet; the links stay", function()
    shell.passes(("cd %s && mkdir sub && ln -s sub/real.json link && ln -s $PWD/link second"):format(folder))
    for _, text in ipairs{"new", "again"} do
      assert.equal(at "second", files.check(at "second"))
      assert.is_true(files.write(at "second", text))
      assert.equal(text, get(at "sub/real.json"))
    end
    assert.equal("link second sub ", names())
    assert.equal("sub/real.json\n", shell.passes("readlink " .. at "link"))
    assert.equal("real.json\n", shell.passes("ls -A " .. at "sub"))
  end)

  it("of links in a circle is none", function()
    shell.passes(("cd %s && ln -s a b && ln -s b a"):format(folder))
    assert.same({nil, (select(2, io.open(at "a")))}, {files.check(at "a")})
  end)

  it("that is a device or a pipe is written in place", function()
    shell.passes(("ln -s /dev/null %s && mkfifo %s"):format(at "null", at "pipe"))
    assert.is_true(files.write(at "null", "text"))
    assert.is_true(files.write("/dev/null", "text"))
    assert.equal("/dev/null\n", shell.passes("readlink " .. at "null"))
    assert.equal("character special file\n", shell.passes "stat -c %F /dev/null")
    local reader = io.popen("timeout 20 cat " .. at "pipe")
    -- the check does not wait for a reader of the pipe, and does not end the reader
    assert.equal(at "pipe", files.check(at "pipe"))
    assert.is_true(files.write(at "pipe", "through"))
    assert.equal("through", reader:read "a")
    reader:close()
    assert.equal("null pipe ", names())
  end)

  it("that is a stream of the process is written in place", function()
    put(at "run.lua", [[
      local files = require "luatensor.bench.files"
      for _, path in ipairs(arg) do assert(files.check(path)); assert(files.write(path, "text\n")) end]])
    local script = "timeout 20 lua5.4 " .. at "run.lua "
    assert.equal("text\n", shell.passes(script .. "/dev/stdout"))
    assert.equal("text\n", shell.passes("exec 3>&1; " .. script .. "/dev/fd/3"))
    shell.passes(script .. "/dev/stdout > " .. at "out")
    assert.same({"text\n", "out run.lua "}, {get(at "out"), names()})
  end)

  it("that cannot be written is refused before, with its name and why", function()
    shell.passes(("mkdir %s; echo > %s"):format(at "sub", at "file"))
    local too_long = ("x"):rep(5000)
    local why_too_long = select(2, io.open(too_long)):sub(#too_long + 3)        -- C libraries word this differently
    for path, why in pairs{
      [at "sub"] = "Is a directory", [at "sub" .. "/"] = "Is a directory", [at "none/a"] = "No such file or directory",
      [at "file/a"] = "Not a directory", ["/dev/fd/99"] = "No such file or directory", [""] = "No such file or directory",
      [at(("x"):rep(300))] = why_too_long, [too_long] = why_too_long,
    } do
      for _, f in ipairs{files.check, files.write} do
        local ok, problem = f(path, "text")
        assert.same({nil, path .. ": " .. why}, {ok, problem})
      end
    end
    assert.equal("file sub ", names())
  end)

  it("that may not be written is refused; in a folder that takes no other it is written in place", function()
    if root then return pending "root may write everything" end
    shell.passes(("cd %s && echo > no && chmod 444 no && mkdir shut && echo > shut/a && chmod 555 shut"):format(folder))
    assert.same({nil, at "no" .. ": Permission denied"}, {files.check(at "no")})
    assert.same({nil, at "shut/b" .. ": Permission denied"}, {files.check(at "shut/b")})
    assert.is_true(files.write(at "shut/a", "text"))
    assert.equal("text", get(at "shut/a"))
  end)

  it("that takes nothing says so", function()
    assert.same({nil, "/dev/full: No space left on device"}, {files.write("/dev/full", "text")})
  end)

  it("is refused by the command before it measures, without a function's name", function()
    for _, path in ipairs{at "none/a.json", folder} do
      local status, output = shell.run("bin/luatensor bench 'error(1)' --json " .. path)
      assert.equal(1, status)
      assert.truthy(output:find("^luatensor: " .. path:gsub("%p", "%%%0") .. ": %u[%l ]+\n$"), output)
    end
  end)
end)
