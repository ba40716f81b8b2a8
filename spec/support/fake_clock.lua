-- A clock for specs: its time is what the timed function says it takes.
local fake = {}
fake.__index = fake
fake.__call = function(self) return self.now end

--- A clock; work(seconds) gives a function that takes as long, and counts its calls in clock.calls.
function fake.new() return setmetatable({now = 0, calls = 0}, fake) end

function fake:work(seconds)
  return function()
    self.calls = self.calls + 1
    self.now = self.now + (type(seconds) == "function" and seconds(self.calls) or seconds)
  end
end

return fake
