-- Compiles the programs of a folder for a topology of devices, and counts the results:
--
--      tools/lua spec/pjrt/aot.lua --label v5e:2x2 COMPILER PLUGIN FOLDER TOPOLOGY
--
-- COMPILER is the program of aot.c. It prints a line for each file: the file, a tab, and `compiled` or why not. A program
-- that the plugin refuses is a failure, unless the table `known` has its message.

-- The refusals that are known: {a pattern of the message, the reason}.
local known = {
  {"rewriting is not implemented: %%dot[.%d]* = [su]64", "the compiler has no products of 64-bit integers; on a TPU the CPU computes them"},
}

local compiler, plugin, folder, topology = table.unpack(arg, 3)

local function quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- Returns the reason of a known refusal, or nil.
local function reason(message)
  for _, row in ipairs(known) do
    if message:find(row[1]) then return row[2] end
  end
end

local passed, failed, skipped = 0, 0, 0
local log = folder .. "/" .. topology .. ".log"                -- the plugin's own messages
local pipe = assert(io.popen(("TPU_SKIP_MDS_QUERY=1 %s %s %s %s/*.mlir 2>%s"):format(quoted(compiler), quoted(plugin), quoted(topology),
                                                                                   quoted(folder), quoted(log))))
for line in pipe:lines() do
  local file, message = line:match "^(.-)\t(.*)$"
  if message == "compiled" then
    passed = passed + 1
  elseif reason(message) then
    skipped = skipped + 1
    print(("skipped: %s for %s: %s"):format(file, topology, reason(message)))
  else
    failed = failed + 1
    print(("FAILED %s for %s: %s"):format(file, topology, message))
  end
end
if not pipe:close() then
  failed = failed + 1
  print(("FAILED %s: see %s"):format(topology, log))
end
print(("%d passed, %d failed, %d skipped"):format(passed, failed, skipped))
os.exit(failed == 0)
