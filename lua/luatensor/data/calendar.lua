--- Dates and times as texts of ISO 8601, in UTC.

local calendar = {}

-- Returns the date in the calendar of a number of days since 1970-01-01. Years begin in March here, so that the leap
-- day is a year's last day; 400 years have 146097 days.
local function date_of(days)
  local d = days + 719468
  local era = d // 146097
  local of_era = d - era * 146097
  local year = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
  local of_year = of_era - (365 * year + year // 4 - year // 100)
  local month = (5 * of_year + 2) // 153
  local day = of_year - (153 * month + 2) // 5 + 1
  month = month < 10 and month + 3 or month - 9
  return ("%04d-%02d-%02d"):format(year + era * 400 + (month <= 2 and 1 or 0), month, day)
end

-- Returns the fewest digits of a fraction, such as ".5", that give the same number of seconds; "" for 0.
local function fraction_text(whole, seconds)
  for digits = 1, seconds > whole and 9 or 0 do
    local text = ("%%.%df"):format(digits):format(seconds - whole)
    if text:sub(1, 1) == "0" and whole + tonumber(text) == seconds then return text:sub(2) end
  end
  return ""
end

--- Returns the text of a number of seconds since 1970, such as 2008-01-01T12:00:00Z.
function calendar.time(seconds)
  local whole = math.floor(seconds)
  local rest = whole % 86400
  return ("%sT%02d:%02d:%02d%sZ"):format(date_of(whole // 86400), rest // 3600, rest // 60 % 60, rest % 60,
                                        fraction_text(whole, seconds))
end

--- Returns the text of a number of days since 1970: a date, or a time if the number is no integer.
function calendar.date(days)
  return days % 1 == 0 and date_of(math.tointeger(days)) or calendar.time(days * 86400)
end

return calendar
