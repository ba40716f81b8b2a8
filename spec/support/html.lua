-- A small HTML parser for specs of pages, which raises errors for mistakes that a browser would accept.
local html = {}

local VOID = {meta = true, br = true, hr = true, link = true, img = true}

local function attributes_of(text)
  local attributes = {}
  for name, _, value in text:gmatch("([%w:-]+)%s*=%s*([\"'])(.-)%2") do
    assert(not attributes[name], "attribute twice: " .. name .. " in <" .. text)
    attributes[name] = value
  end
  return attributes
end

local ENTITIES = {amp = "&", lt = "<", gt = ">", quot = '"', ["#39"] = "'"}

--- Returns the text that a browser shows for escaped text.
function html.unescape(text)
  return (text:gsub("&(#?%w+);", function(name) return assert(ENTITIES[name], "unknown entity " .. name) end))
end

--- Returns the elements in order: {name, attributes, text (including the text of inner elements), path (the names of
-- the outer elements)}. Raises an error if tags do not balance.
function html.parse(page)
  local elements, open, at = {}, {}, 1
  local function text(piece)
    assert(not piece:find("<"), "stray <: " .. piece:sub(1, 80))
    for _, element in ipairs(open) do element.text = element.text .. piece end
  end
  page = page:gsub("^<!DOCTYPE html>%s*", ""):gsub("<%?xml.-%?>%s*", "")
  while true do
    local first, last, closing, name, rest = page:find("<(/?)([%a][%w]*)([^<>]*)>", at)
    if not first then break end
    text(page:sub(at, first - 1))
    at = last + 1
    if closing == "/" then
      local top = table.remove(open)
      assert(top and top.name == name, ("</%s> closes <%s>"):format(name, top and top.name or "nothing"))
    else
      local path = {}
      for i, element in ipairs(open) do path[i] = element.name end
      local element = {name = name, attributes = attributes_of(rest), text = "", path = table.concat(path, " ")}
      elements[#elements + 1] = element
      if not VOID[name] and not rest:find("/%s*$") then open[#open + 1] = element end
    end
  end
  assert(#open == 0, "left open: " .. (open[1] and open[1].name or ""))
  return elements
end

--- Returns the list of all elements with the tag `name`.
function html.all(elements, name)
  local list = {}
  for _, element in ipairs(elements) do
    if element.name == name then list[#list + 1] = element end
  end
  return list
end

--- Returns the mistakes in a page as a whole: repeated ids, headings that skip a level, scripts, and links to missing
-- ids. Links <a href="https://…"> are allowed, and images whose address contains their data. Any other reference to an
-- address outside of the page is a mistake.
function html.faults(elements)
  local faults, ids, level = {}, {}, 0
  local function fault(...) faults[#faults + 1] = string.format(...) end
  for _, element in ipairs(elements) do
    local id, heading = element.attributes.id, element.name:match("^h(%d)$")
    if id and ids[id] then fault("id twice: %s", id) end
    ids[id or ""] = true
    if heading and tonumber(heading) > level + 1 then fault("h%s after h%d: %s", heading, level, element.text) end
    level = heading and tonumber(heading) or level
    if element.name == "script" then fault("a script") end
  end
  for _, element in ipairs(elements) do
    for _, name in ipairs{"src", "href", "xlink:href"} do
      local target = element.attributes[name]
      local outward = element.name == "a" and name == "href" and target and target:find("^https://")
      local inside = element.name == "image" and target and target:find("^data:image/png;base64,")
      if target and not outward and not inside and not (target:find("^#") and ids[target:sub(2)]) then fault("<%s %s=%s>", element.name, name, target) end
    end
    if (element.attributes.style or ""):find("url(", 1, true) then fault("url( in a style") end
  end
  return faults
end

return html
