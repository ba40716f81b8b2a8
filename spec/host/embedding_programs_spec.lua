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

local library = build .. "/libluatensor.a"

describe("the static library", function()
  it("exports only the entry function and the functions for devices", function()
    if not shell.exists(library) then return pending "make static makes the library" end
    if build:find "sanitize" then return pending "a build with SANITIZE also exports the functions of make fuzz" end
    local names = {}
    for name in shell.passes("nm -g --defined-only " .. library):gmatch "%x+ %u (%S+)" do names[#names + 1] = name end
    table.sort(names)
    assert.same({"luaopen_luatensor_core", "luatensor_add_device", "luatensor_host_device"}, names)
  end)

  -- Returns the options of docs/embedding.md that link a program statically with the library, or nil and the
  -- reason why this is impossible.
  local function static_options()
    if not shell.exists(library) or not shell.exists(build .. "/embedding/bundle.h") then
      return nil, "make test-embedding makes the library and the bundle"
    elseif build:find "sanitize" then
      return nil, "a sanitizer needs shared libraries"
    end
    local blas = shell.passes(("ldd %s/luatensor/core.so"):format(build)):match "libopenblas%.so%.0 => (%S+)/"
    if not blas or not shell.exists(blas .. "/libopenblas.a") then return nil, "no libopenblas.a here" end
    local options = shell.read "docs/embedding.md":match "in this order: `(.-)`":gsub("\n", " ")
    for name in options:gmatch "%-l(%S+)" do
      local path = shell.passes(("cc -print-file-name=lib%s.a"):format(name)):match "[^\n]+"
      if name ~= "openblas" and not shell.exists(path) then return nil, ("no lib%s.a here"):format(name) end
    end
    return (options:gsub("%-Lfolder", "-L" .. blas))
  end

  it("makes a fully static program", function()
    local options, reason = static_options()
    if not options then return pending(reason) end
    local program = os.tmpname()
    shell.passes(("cc -O1 -I%s/embedding $(pkg-config --cflags lua5.4) -o %s examples/embedding/bundled.c %s %s"):format(
      build, program, library, options))
    local output = shell.passes(program)
    os.remove(program)
    assert.truthy(output:find(answers.bundled), output)
  end)
end)

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
