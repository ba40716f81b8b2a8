-- Writes a C header that contains all Lua files of luatensor as bytecode without debug information, for bundled.c:
--
--   lua5.4 bundle.lua ../../lua > bundle.h

local root = arg[1] or error "the folder that contains luatensor/init.lua, as the first argument"

-- Returns the name of the module in a file: "luatensor.nn" for luatensor/nn/init.lua.
local function name_of(path)
  return (path:sub(#root + 2):gsub("%.lua$", ""):gsub("/init$", ""):gsub("/", "."))
end

local function c_bytes(code)
  local out = {}
  for i = 1, #code, 4096 do
    out[#out + 1] = table.concat({code:byte(i, i + 4095)}, ",", 1, math.min(4096, #code - i + 1))
  end
  return table.concat(out, ",\n")
end

local pipe <close> = assert(io.popen(("find '%s/luatensor' -name '*.lua' | sort"):format(root)))
local rows = {}
for path in pipe:lines() do
  local code = string.dump(assert(loadfile(path)), true)
  local k = #rows + 1
  io.write(("static const unsigned char code_%d[] = {\n%s};\n"):format(k, c_bytes(code)))
  rows[k] = ('  {"%s", code_%d, sizeof code_%d},\n'):format(name_of(path), k, k)
end
io.write("static const struct { const char *name; const unsigned char *code; size_t size; } bundle[] = {\n",
         table.concat(rows), "  {NULL, NULL, 0}\n};\n")
