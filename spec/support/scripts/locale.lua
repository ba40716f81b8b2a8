-- lua locale.lua LOCALE FOLDER writes, reads, prints and compares in a locale. host/locale_spec.lua has the expected
-- output, which is the same in every locale.
assert(os.setlocale(arg[1]), "no such locale: " .. arg[1])
local lt = require "luatensor"
local core, data, json, nn = require "luatensor.core", require "luatensor.data", require "luatensor.io.json", require "luatensor.nn"
local folder = arg[2]

local function say(...) io.write(table.concat({...}, " "), "\n") end
local function said(f, ...)
  local _, message = pcall(f, ...)
  say((tostring(message):gsub("^.-/(%w+%.csv)", "%1")))
end
local function csv(text, options)
  local path = folder .. "/x.csv"
  local file <close> = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  return data.read_csv(path, options)
end

-- Writes and reads files.
lt.save(folder .. "/run.safetensors", {text = "À\u{80}É", half = 1.5, tiny = 2.5e-300, b = lt.ones(1), B = lt.zeros(1)})
local run = lt.load(folder .. "/run.safetensors")
say(run.text == "À\u{80}É" and "the same text" or "another text", run.half == 1.5 and run.tiny == 2.5e-300 and "the same numbers" or "others")
say(json.number(0.1), json.number(-1e300), json.quote "é\n\127")
local classes = csv("b 1\nA 2\na 3\n\xe9 4\nz 5\n", {header = false, delimiter = " "}).column1.levels
say(#classes, classes[1], classes[2], classes[3], classes[4])
classes = csv("2.5 1\n10 2\n1.25 3\n", {types = {[1] = "category"}, delimiter = " "}).column1.levels
say(table.concat(classes, " "))
say(csv("1.5;-2.5e-3\n", {delimiter = ";"}):tensor():equal(lt.tensor {{1.5, -2.5e-3}}) and "numbers are read" or "misread")
said(csv, "1,5;2\n", {delimiter = ";", header = false, types = "float"})
said(csv, '"1,234",2\n', {header = false, types = "float"})
data.write_csv(folder .. "/x.csv", lt.tensor {{1.5, 1e300}}, {names = {"a", "b"}})
say((tostring(data.read_csv(folder .. "/x.csv")):gsub("\n", "/")))

-- Prints tensors and error messages.
say(tostring(lt.tensor {1.5, 2.25}))
say(tostring(lt.tensor({1e-9, 1.5}, {dtype = "float64"})))
say(tostring(lt.complex(1.5, -0.25)))
say(tostring(nn.Dropout(0.25)))
said(lt.full, {1}, 1.5, {dtype = "int8"})
said(lt.uniform, 3, 1.5, 2)
said(nn.functional.dropout, lt.ones(1), {p = 1.5})
said(lt.ones, 1.5)

-- Parses texts of expressions.
say(tostring(lt.elementwise("float32 x", "x * 1.5 + .25")(lt.ones(1))))
said(lt.elementwise, "float32 \xe9", "\xe9 + 1")
said(lt.einsum, "\xe9", lt.ones(1))
say(tostring(lt.einsum("aB", lt.ones(1, 2)).shape))
say(("%d"):format(nn.functional.gelu(lt.ones(1), {approximate = "tanh"}):multiply(1e4):item() // 1))
say(core.available_memory "cpu" <= 1.5 * 2 ^ 30 and "the limit is read" or "misread")
