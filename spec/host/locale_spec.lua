-- tags: process
-- Tests that all results are the same as in the C locale, in a locale with a decimal comma, letters beyond ASCII and
-- another alphabetical order.
local shell = require "spec.support.shell"

local COMMA = "de_DE.ISO-8859-1"

local folder
setup(function() folder = shell.folder() end)
teardown(function() shell.passes("rm -r " .. folder) end)

-- Returns the output of the script in a locale, and the bytes of the file that the script wrote. A locale other than C
-- must have been compiled into the folder before.
local function run(locale)
  shell.passes(("mkdir -p %s/%s"):format(folder, locale))
  local output = shell.passes(("LOCPATH=%s LUATENSOR_MEMORY_LIMIT=1.5G tools/lua spec/support/scripts/locale.lua %s %s/%s"):format(
    folder, locale, folder, locale))
  return output, shell.read(("%s/%s/run.safetensors"):format(folder, locale))
end

local EXPECTED = [=[
the same text the same numbers
0.1 -1e+300 "é\n]=] .. "\127" .. [=["
5 A a b z
1.25 2.5 10
numbers are read
x.csv: line 1, column 1: no float: "1,5"; na_values = {...} names missing values, types = {...} another type
x.csv: line 1, column 1: no float: "1,234"; na_values = {...} names missing values, types = {...} another type
  a    b/1.5  inf/1 row, 2 columns
[1.50, 2.25]  float32 [2] cpu
[1.0e-09, 1.5e+00]  float64 [2] cpu
1.5-0.25i  complex128 cpu
Dropout(p = 0.25)
full: 1.5 does not fit int8
uniform: 3 to 1.5 is no range
dropout: p: a number from 0 to 1 expected, got 1.5
ones: size: 1.5 is not an integer
[1.75]  float32 [1] cpu
]=]

describe("the locale", function()
  it("C gives what is expected", function()
    local output = run "C"
    assert.equal(EXPECTED, output:gsub("spec/support/scripts/locale.lua:%d+: ", ""):sub(1, #EXPECTED))
    assert.matches("\n%[2, 1%]\n8411\nthe limit is read\n$", output)
  end)

  it("changes nothing, neither output nor files", function()
    if shell.run(("localedef -i de_DE -f ISO-8859-1 %s/%s"):format(folder, COMMA)) > 1 then
      return pending "localedef makes a locale for this; make deps installs locales"
    end
    local plain, plain_file = run "C"
    local comma, comma_file = run(COMMA)
    assert.equal(plain, comma)
    assert.equal(plain_file, comma_file)
  end)
end)
