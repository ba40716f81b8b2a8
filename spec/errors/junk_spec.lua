-- Calls functions with senseless arguments, in a separate process, because a crash would end the whole run.
describe("no input crashes", function()
  local seeds = {1, 2, os.time()}
  for _, seed in ipairs(seeds) do
    it("in 4000 calls with seed " .. seed, function()
      local pipe = assert(io.popen(("lua5.4 spec/support/fuzz/junk.lua %d 4000 2>&1"):format(seed)))
      local text = pipe:read("a")
      local ok, how, code = pipe:close()
      assert.is_true(ok, ("seed %d: %s %s: %s"):format(seed, how, code, text))
      local results = tonumber(text:match("^(%d+) of 4000 calls gave results\n$"))
      assert.is_true(results > 400, text)              -- more than a tenth of the calls succeed
    end)
  end
end)
