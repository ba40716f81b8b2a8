-- data.ImageFolder reads images from folders, which are their classes.
local lt = require "luatensor"
local helpers = require "spec.support.helpers"
local shell = require "spec.support.shell"

local data, fails = lt.data, helpers.fails

local root
setup(function()
  root = shell.folder()
  shell.passes(("mkdir -p %s/b/deep %s/a"):format(root, root))
  local function save(name, value, channels)
    lt.save(root .. "/" .. name, lt.full({channels or 3, 4, 5}, value, {dtype = "uint8"}))
  end
  save("a/2.png", 2)
  save("a/1.png", 1)
  save("b/deep/x.ppm", 4)
  save("b/y.PGM", 3, 1)
  shell.write(root .. "/b/readme.txt", "no image")
  shell.write(root .. "/notes.png", "no class")
end)
teardown(function() shell.passes("rm -r " .. root) end)

-- Returns the value of each image of x, whose pixels are equal.
local function values(x)
  assert.is_true(lt.equal_all(x:amax {2, 3, 4}, x:amin {2, 3, 4}))
  return x:amax({2, 3, 4}):totable()
end

describe("data.ImageFolder", function()
  it("finds classes and images in order", function()
    local set = data.ImageFolder(root .. "/")
    assert.same({"a", "b"}, set.classes)
    assert.same({root .. "/a/1.png", root .. "/a/2.png", root .. "/b/y.PGM", root .. "/b/deep/x.ppm"}, set.paths)
    assert.equal(4, #set)
    assert.equal("ImageFolder: 4 images of 2 classes in " .. root, tostring(set))
    local x, y = set:all()
    assert.equal("[4, 3, 4, 5]", tostring(x.shape))
    assert.equal("uint8", x.dtype)
    assert.same({1, 2, 3, 4}, values(x))
    assert.same({1, 1, 2, 2}, y:totable())
    assert.equal("int64", y.dtype)
  end)

  it("returns samples after the transform, in the wanted mode", function()
    local set = data.ImageFolder(root, {mode = "gray", transform = function(x) return x:to "float32" * 2 end})
    local x, class = set:sample(4)
    assert.equal("[1, 4, 5]", tostring(x.shape))
    assert.same({8, 2}, {x:max():item(), class})
    assert.equal(2, #data.ImageFolder(root, {extensions = {".PNG", "pgm"}}).classes)
    assert.equal(3, #data.ImageFolder(root, {extensions = {".PNG", "pgm"}}))
  end)

  it("is split by its classes", function()
    local parts = {data.split(data.ImageFolder(root), {2, 2}, {stratify = true})}
    for _, part in ipairs(parts) do
      local _, y = part:all()
      assert.same({1, 2}, y:totable())
    end
  end)

  it("gives a loader its batches", function()
    local seen = {}
    for x, y in data.Loader(data.ImageFolder(root), {batch_size = 3, shuffle = true}):batches() do
      for i, value in ipairs(values(x)) do seen[value] = y[i]:item() end
    end
    assert.same({1, 1, 2, 2}, seen)
  end)

  it("names the files that do not fit into one batch", function()
    lt.save(root .. "/b/z.png", lt.zeros(3, 5, 5, {dtype = "uint8"}))
    local set = data.ImageFolder(root)
    fails(("ImageFolder: %s/a/1.png is [3, 4, 5] uint8, %s/b/z.png is [3, 5, 5] uint8: a batch needs equal sizes; crop or "
           .. "resize them by transform"):format(root, root), set.all, set)
    lt.save(root .. "/b/z.png", lt.zeros(3, 4, 5, {dtype = "uint16"}))
    set = data.ImageFolder(root)
    fails(("ImageFolder: %s/a/1.png is [3, 4, 5] uint8, %s/b/z.png is [3, 4, 5] uint16: a batch needs one dtype; convert them by "
           .. "transform, such as to_float"):format(root, root), set.all, set)
    set = data.ImageFolder(root, {transform = function() return 1 end})
    fails(("ImageFolder: %s/a/1.png: the transform returned a number, not a tensor"):format(root), set.all, set)
    os.remove(root .. "/b/z.png")
  end)

  it("names a damaged file", function()
    shell.write(root .. "/b/z.png", "\x89PNG\r\n\x1a\n")
    local set = data.ImageFolder(root)
    fails(("load: %s/b/z.png: PNG: truncated"):format(root), set.all, set)
    os.remove(root .. "/b/z.png")
  end)

  it("says that a file is no image", function()
    for _, text in ipairs {"", "no image", "\x93NUMPY\1\0"} do
      shell.write(root .. "/b/z.png", text)
      local set = data.ImageFolder(root)
      fails(("ImageFolder: %s/b/z.png: no image of a known format (PNG, JPEG, Netpbm)"):format(root), set.all, set)
    end
    os.remove(root .. "/b/z.png")
  end)

  it("refuses a pipe", function()
    shell.passes(("mkfifo %s/b/z.png"):format(root))
    local set = data.ImageFolder(root)
    local ok, message = pcall(set.sample, set, 4)
    os.remove(root .. "/b/z.png")
    assert.is_false(ok)
    assert.truthy(message:find("/b/z.png: not a plain file", 1, true), message)
  end)

  it("names the image of an error in a transform", function()
    local set = data.ImageFolder(root, {transform = function(x) return x[1][9] end})
    local ok, message = pcall(set.sample, set, 2)
    assert.is_false(ok)
    assert.truthy(message:find(("ImageFolder: %s/a/2.png: transform: "):format(root), 1, true), message)
  end)

  it("leaves out hidden files and folders", function()
    shell.passes(("mkdir -p %s/.ipynb_checkpoints && cp %s/a/1.png %s/.ipynb_checkpoints && cp %s/a/1.png %s/a/._1.png")
                 :format(root, root, root, root, root))
    local set = data.ImageFolder(root)
    shell.passes(("rm -r %s/.ipynb_checkpoints %s/a/._1.png"):format(root, root))
    assert.same({{"a", "b"}, 4}, {set.classes, #set})
  end)

  it("refuses folders without classes or images", function()
    fails("ImageFolder: /nowhere: No such file or directory", data.ImageFolder, "/nowhere")
    fails("ImageFolder: " .. root .. "/a: no folders, which would be the classes", data.ImageFolder, root .. "/a")
    fails("ImageFolder: " .. root .. "/a: no images", data.ImageFolder, root, {extensions = {"ppm"}})
    fails("ImageFolder: path expected, got nil", data.ImageFolder)
    fails("sample: the number: 5 is out of range", data.ImageFolder(root).sample, data.ImageFolder(root), 5)
    shell.passes(("ln -s . %s/b/deep/loop"):format(root))
    local ok, message = pcall(data.ImageFolder, root)
    shell.passes(("rm %s/b/deep/loop"):format(root))
    assert.is_false(ok)
    assert.truthy(message:find("more than 40 folders within each other", 1, true), message)
  end)
end)
