--- Changes byte strings at random, as fuzzers change valid inputs.

local random = math.random

--- Numbers at which parsers often fail, each encoded as a little-endian integer of 8 bytes and as decimal digits.
-- Numbers that fit are also encoded as an unsigned integer of 4 bytes, in both byte orders.
local EDGES = {}
for _, n in ipairs {0, 1, -1, 2, 7, 16, 17, 255, 256, 65535, 65536, 0x7fffffff, 0x80000000, 0xffffffff,
                    math.maxinteger, math.mininteger} do
  EDGES[#EDGES + 1] = ("<i8"):pack(n)
  if n >= 0 and n <= 0xffffffff then
    EDGES[#EDGES + 1] = ("<I4"):pack(n)
    EDGES[#EDGES + 1] = (">I4"):pack(n)
  end
  EDGES[#EDGES + 1] = ("%d"):format(n)
end

-- Returns a random range of bytes in the text: the 1-based position of its first byte and its length, at most `most`.
local function range(text, most)
  local at = random(#text)
  return at, random(math.min(most, #text - at + 1))
end

local function replace(text, at, n, with) return text:sub(1, at - 1) .. with .. text:sub(at + n) end

local steps = {
  function(text)                                          -- flips one bit
    local at = random(#text)
    return replace(text, at, 1, string.char(text:byte(at) ~ 1 << random(0, 7)))
  end,
  function(text) return replace(text, random(#text), 1, string.char(random(0, 255))) end,
  function(text) return replace(text, random(#text), 0, string.char(random(0, 255))) end,
  function(text)                                          -- removes some bytes
    local at, n = range(text, 16)
    return replace(text, at, n, "")
  end,
  function(text)                                          -- duplicates some bytes
    local at, n = range(text, 16)
    return replace(text, random(#text), 0, text:sub(at, at + n - 1))
  end,
  function(text)                                          -- repeats some bytes many times
    local at, n = range(text, 4)
    return replace(text, at, n, text:sub(at, at + n - 1):rep(random(64)))
  end,
  function(text)                                          -- inserts an edge number or overwrites bytes with it
    local edge = EDGES[random(#EDGES)]
    return replace(text, random(#text), random(0, 1) * #edge, edge)
  end,
  function(text)                                          -- replaces a digit
    local at = text:find("%d", random(#text))
    return at and replace(text, at, 1, tostring(random(0, 9))) or text
  end,
  function(text, other)                                   -- copies a part of another input
    local at, n = range(other, 64)
    return replace(text, random(#text), random(0, 8), other:sub(at, at + n - 1))
  end,
  function(text, other) return text:sub(1, random(#text)) .. other:sub(random(#other)) end,
  function(text) return text:sub(1, random(#text)) end,
  function(text, _, words)                                -- inserts a word of the format
    return words and replace(text, random(#text), random(0, 3), words[random(#words)]) or text
  end,
}

--- Returns a slightly changed text.
-- @string text
-- @string other another input, from which parts may be copied
-- @tparam ?table words the words of the format, which may be inserted
-- @int most the maximum number of bytes of the result
return function(text, other, words, most)
  for _ = 1, 1 << random(0, 3) do
    text = #text == 0 and string.char(random(0, 255)) or steps[random(#steps)](text, #other > 0 and other or " ", words)
  end
  return text:sub(1, most)
end
