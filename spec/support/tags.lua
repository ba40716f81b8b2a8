-- The tags of a spec decide in which suites of spec.mk the spec runs. The first line of a spec lists its tags, as in
-- "-- tags: process blas". A spec without tags runs in every suite that selects specs by excluding tags.
local tags = {}

tags.meanings = {
  -- Tags of specs that suites exclude.
  process = "starts processes, or replaces malloc: runs in the plain build on the CPU alone",
  texts = "about documentation, pages and help, which no other build and no device changes",
  host = "about the CPU, Lua or the process: not on a GPU",
  unsanitized = "weighs the process, measures times, starts what has no sanitizer, or has sanitize-emulated: not under one on the CPU",
  built = "loads C modules or starts programs that were built for lua5.4: not on other Luas",
  uncollected = "makes very many tensors, counts collections or has its own: not with a collection at every few tensors",
  unplugged = "about GPUs, graphs, streams or names of devices, or compares bits: not on a device of a plugin of PJRT",
  ["many-kernels"] = "compiles most kernels, for what other specs test, too: on the emulated GPU only with FULL=1",
  unemulated = "factorizes large matrices, which takes more than 6 minutes under qemu: not on ARM64",

  -- Tags of specs that suites select.
  kernels = "kernels, again on the CPU's other tables",
  blas = "products of matrices, again on OpenBLAS's own threads",
  smoke = "a minute of the emulated GPU for make test",
  late = "what emulated operations that run as late as they may could break",
  ["sanitize-emulated"] = "what a sanitizer looks at on the emulated GPU",
  leaking = "starts compilers, which leak: under a sanitizer without a search for leaks",
  ["two-gpus"] = "again on two emulated GPUs",
  lanes = "again on AMD's emulated GPU with warps of 64 threads",
  ["no-cublas"] = "again on own kernels in place of cuBLAS",
  ["no-cudnn"] = "again on own kernels in place of cuDNN",
  divided = "takes long: a share of the cases in make test, all in make test-all",
  exhaustive = "every element, in make test-all",
}

local function set_of(words, where)
  local set = {}
  for word in words:gmatch "[^%s,]+" do
    if not tags.meanings[word] then error(("%s: no tag %q; spec/support/tags.lua has them all"):format(where, word), 0) end
    set[word] = true
  end
  return set
end

-- Returns the tags of the spec file as a set: a table whose keys are the tags.
local function read(path)
  local file <close> = assert(io.open(path))
  return set_of((file:read "l" or ""):match "^%-%- tags:(.*)" or "", path)
end

local function is_any(set, others)
  for word in pairs(set) do if others[word] then return true end end
  return false
end

--- Returns the paths of specs that have one of the tags in `with` and none of the tags in `without`. Both are texts in
-- which commas separate the tags. If `with` is empty, all specs without the tags in `without` are returned.
function tags.select(paths, with, without)
  local wanted, unwanted, selected = set_of(with, "--with"), set_of(without, "--without"), {}
  for _, path in ipairs(paths) do
    local set = read(path)
    if (with == "" or is_any(set, wanted)) and not is_any(set, unwanted) then selected[#selected + 1] = path end
  end
  return selected
end

return tags
