-- tags: host
-- Tests luatensor.bench.idle, with files that replace those of /proc.
local core = require "luatensor.core"
local idle = require "luatensor.bench.idle"

describe("bench.idle", function()
  local open, sleep = io.open, core.sleep
  local files

  -- Sets /proc/stat to these hundredths of a second (user, system, idle, waiting for a disk), and /proc/self/stat to
  -- the hundredths of a second of this process.
  local function tell(user, system, idling, waiting, own_user, own_system)
    files["/proc/stat"] = ("cpu  %d 0 %d %d %d 0 0 0 0 0\ncpu0 1 1 1 1\n"):format(user, system, idling, waiting)
    files["/proc/self/stat"] = ("7 (lua (5.4) x) R 1 2 3 4 5 6 7 8 9 10 %d %d 0 0\n"):format(own_user, own_system)
  end

  before_each(function()
    files = {}
    rawset(io, "open", function(path, ...)
      if not path:find("^/proc/") then return open(path, ...) end
      local text = files[path]
      local function read(_, what) return what == "a" and text or text:match("^[^\n]*") end
      return text and setmetatable({read = read, close = function() end}, {__close = function() end}) or nil
    end)
  end)
  after_each(function()
    rawset(io, "open", open)
    rawset(core, "sleep", sleep)
  end)

  it("takes what this process used from what all used", function()
    tell(1000, 500, 8000, 100, 300, 20)
    local watch = idle.watch()
    -- Since the call of idle.watch, the cores were busy for 150 of 200 hundredths of a second, 100 of them with this
    -- process.
    tell(1100, 550, 8040, 110, 390, 30)
    assert.equal(0.25, watch:others())
    -- This process used all of the busy time.
    tell(1090, 510, 8100, 100, 395, 25)
    assert.equal(0, watch:others())
  end)

  it("looks at the cores that the process may use, no others", function()
    local function tell_cores(list)                    -- hundredths of a second, busy and idle, of cores 0 to 4
      local lines = {"cpu  999999 0 0 999999 0 0 0 0 0 0"}
      for i, pair in ipairs(list) do lines[i + 1] = ("cpu%d %d 0 0 %d 0 0 0 0 0 0"):format(i - 1, pair[1], pair[2]) end
      files["/proc/stat"] = table.concat(lines, "\n") .. "\nintr 5 6 7 8 9 10\n"
      files["/proc/self/stat"] = "7 (lua) x R 1 2 3 4 5 6 7 8 9 10 0 0 0 0\n"
    end
    files["/proc/self/status"] = "Name:\tlua\nCpus_allowed:\t16\nCpus_allowed_list:\t1-2,4\n"
    tell_cores{{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}
    local watch = idle.watch()
    tell_cores{{100, 0}, {0, 100}, {60, 40}, {100, 0}, {30, 70}}
    assert.equal(0.3, watch:others())                  -- cores 1, 2 and 4 were busy for 60 + 30 of 300
  end)

  it("cannot tell from very short times, or where there is no /proc", function()
    tell(1000, 500, 8000, 100, 300, 20)
    local watch = idle.watch()
    tell(1004, 500, 8005, 100, 300, 20)
    assert.is_nil(watch:others())
    files = {}
    assert.is_nil(watch:others())
    assert.is_nil(idle.watch():others())
  end)

  it("waits until others are done", function()
    local naps = 0
    tell(0, 0, 0, 0, 0, 0)
    rawset(core, "sleep", function()
      naps = naps + 1
      tell(naps < 4 and 60 * naps or 180, 0, naps < 4 and 40 * naps or 120 + 100 * (naps - 3), 0, 0, 0)
    end)
    assert.is_true(idle.await(60))
    assert.equal(4, naps)
  end)

  it("gives up on a machine that stays busy", function()
    local naps = 0
    tell(0, 0, 0, 0, 0, 0)
    rawset(core, "sleep", function()
      naps = naps + 1
      tell(100 * naps, 0, 0, 0, 0, 0)
    end)
    assert.is_false(idle.await(0))
    assert.equal(1, naps)
  end)

  it("takes a machine that tells nothing for an idle one", function()
    rawset(core, "sleep", function() end)
    assert.is_true(idle.await(0))
  end)
end)
