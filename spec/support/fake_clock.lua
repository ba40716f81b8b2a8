-- A fake clock for specs. The clock advances only when a spec calls a function that `work` returned.
local fake = {}
fake.__index = fake
fake.__call = function(self) return self.now end

--- Makes a clock. clock:work(seconds) returns a function that advances the clock by `seconds` and counts its calls in
-- clock.calls. `seconds` is a number, or a function that returns the seconds of call number clock.calls.
function fake.new() return setmetatable({now = 0, calls = 0}, fake) end

function fake:work(seconds)
  return function()
    self.calls = self.calls + 1
    self.now = self.now + (type(seconds) == "function" and seconds(self.calls) or seconds)
  end
end

return fake
