-- Runs the Lua blocks of the pages in docs/ and in the root folder as specs, and compares their output with the page.
--
-- Blocks of a page share their globals, as the lines of a prompt do. If a block has comments "--> text", their texts
-- are all lines that the block prints. Files whose names are in quotes go into a folder of the page's own. A block
-- below the line "<!-- part of a file -->" is a part of a source file and is compiled only.
local lt = require "luatensor"

local pages = {}

function pages.read(path)
  local file <close> = assert(io.open(path))
  return file:read "a"
end

function pages.all()
  local list, pipe = {}, assert(io.popen "find docs *.md -name '*.md' | sort")
  for path in pipe:lines() do list[#list + 1] = path end
  pipe:close()
  return list
end

local function needs_gpu(code)
  return (code:find('"cuda', 1, true) or code:find("lt.accelerator()", 1, true)) and not code:find("is_available", 1, true)
end

-- Returns the blocks of a page as a list of {code =, line =, part =, gpu =}. `line` is the number of the line "```lua".
-- `part` is true if the block is a part of a file. `gpu` is true if the block needs a GPU.
function pages.blocks(path)
  local list, code, number, before = {}, nil, 0, ""
  for line in io.lines(path) do
    number = number + 1
    if code and line:find "^```" then
      list[#list].code = table.concat(code, "\n") .. "\n"
      list[#list].gpu = needs_gpu(list[#list].code)
      code = nil
    elseif code then
      code[#code + 1] = line
    elseif line == "```lua" then
      code = {}
      list[#list + 1] = {line = number, part = before == "<!-- part of a file -->"}
    end
    before = line
  end
  return list
end

local ENDINGS <const> = {npy = true, safetensors = true, csv = true, json = true, svg = true, npz = true, lua = true, png = true}

-- Makes an environment in which the blocks of one page run, one after the other.
function pages.place()
  local place = {folder = os.tmpname()}
  assert(os.remove(place.folder))
  assert(os.execute(("mkdir '%s'"):format(place.folder)))
  place.space = setmetatable({lt = lt, nn = lt.nn, optim = lt.optim, data = lt.data, train = lt.train, plot = lt.plot},
    {__index = _G})
  return place
end

function pages.leave(place) assert(os.execute(("rm -r '%s'"):format(place.folder))) end

local function in_folder(code, folder)
  return (code:gsub('"([%w_-]+%.(%l+))"', function(name, ending)
    return ENDINGS[ending] and ("%q"):format(folder .. "/" .. name)
  end))
end

-- Slow statements of pages, with the smaller forms that specs run instead.
local SMALLER <const> = {
  ['sizes = "quick"'] = 'sizes = "tiny", parts = {}',
  ["bench.machine()"] = "bench.machine",
  ["sizes = {256, 512}"] = "sizes = {16, 32}, seconds = 0.01",
}

local function made_smaller(code)
  for large, small in pairs(SMALLER) do
    local first, last = code:find(large, 1, true)
    if first then code = code:sub(1, first - 1) .. small .. code:sub(last + 1) end
  end
  return code
end

-- Runs a block and returns the lines that it prints. An error is shown with line 1 and without a folder, as at a
-- prompt.
function pages.run(place, code)
  local lines = {}
  place.space.print = function(...)
    local words = table.pack(...)
    for i = 1, words.n do words[i] = tostring(words[i]) end
    for line in (table.concat(words, "\t") .. "\n"):gmatch "(.-)\n" do
      lines[#lines + 1] = line:gsub("stdin:%d+: ", "stdin:1: "):gsub(place.folder .. "/", "")
    end
  end
  assert(load(in_folder(made_smaller(code), place.folder), "=stdin", "t", place.space))()
  return lines
end

function pages.expected(code)
  local list = {}
  for line in code:gmatch "%-%-> ([^\n]*)" do list[#list + 1] = line end
  return #list > 0 and list or nil
end

return pages
