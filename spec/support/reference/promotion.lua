-- The rules of promotion. The rules of the Python array API standard 2025.12 ("Type Promotion Rules") are copied by
-- hand. For pairs of dtypes that the standard leaves undefined, luatensor has its own rules.
local dtype = require "spec.support.reference.dtype"

-- The promoted dtype of each pair of dtypes. The standard leaves pairs of different kinds undefined, such as an
-- integer and a float.
local table_text = [[
          bool     uint8    uint16   uint32   uint64   int8     int16    int32    int64    float16  bfloat16 float32  float64
bool      bool     uint8    uint16   uint32   uint64   int8     int16    int32    int64    float16  bfloat16 float32  float64
uint8     uint8    uint8    uint16   uint32   uint64   int16    int16    int32    int64    float16  bfloat16 float32  float64
uint16    uint16   uint16   uint16   uint32   uint64   int32    int32    int32    int64    float16  bfloat16 float32  float64
uint32    uint32   uint32   uint32   uint32   uint64   int64    int64    int64    int64    float16  bfloat16 float32  float64
uint64    uint64   uint64   uint64   uint64   uint64   float64  float64  float64  float64  float16  bfloat16 float32  float64
int8      int8     int16    int32    int64    float64  int8     int16    int32    int64    float16  bfloat16 float32  float64
int16     int16    int16    int32    int64    float64  int16    int16    int32    int64    float16  bfloat16 float32  float64
int32     int32    int32    int32    int64    float64  int32    int32    int32    int64    float16  bfloat16 float32  float64
int64     int64    int64    int64    int64    float64  int64    int64    int64    int64    float16  bfloat16 float32  float64
float16   float16  float16  float16  float16  float16  float16  float16  float16  float16  float16  float32  float32  float64
bfloat16  bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 float32  bfloat16 float32  float64
float32   float32  float32  float32  float32  float32  float32  float32  float32  float32  float32  float32  float32  float64
float64   float64  float64  float64  float64  float64  float64  float64  float64  float64  float64  float64  float64  float64
]]

local promotions = {}
local columns
for line in table_text:gmatch "[^\n]+" do
  local cells = {}
  for cell in line:gmatch "%S+" do cells[#cells + 1] = cell end
  if not columns then
    columns = cells
  else
    local row = {}
    assert(#cells == #columns + 1, "a row of the table of another length")
    for i, column in ipairs(columns) do row[column] = cells[i + 1] end
    promotions[cells[1]] = row
  end
end

local promotion = {default_float = "float32"}

function promotion.pair(a, b) return promotions[a][b] end

-- Returns the promoted dtype of a list of operands: dtype names of tensors, or "weak integer", "weak float", "weak
-- boolean" for Lua values.
function promotion.of(operands)
  local result
  for _, d in ipairs(operands) do
    if not d:find "^weak" then result = result and promotions[result][d] or d end
  end
  for _, d in ipairs(operands) do
    local kind = result and dtype.info[result].kind
    if d == "weak integer" and (kind == "bool" or not kind) then
      result = "int64"
    elseif d == "weak float" and kind ~= "float" then
      result = promotion.default_float
    elseif d == "weak boolean" and not kind then
      result = "bool"
    end
  end
  return result
end

-- Returns the dtype in which an op of class `class` (ops.def) computes for operands promoted to `name`. Returns nil
-- if the op refuses these operands.
function promotion.compute(class, name)
  for _, d in ipairs(dtype.classes[class]) do
    if d == name then return name end
  end
  if class == "FLOAT" or class == "REALFLOAT" then return promotion.default_float end
end

-- Returns the dtype of the results of sum and prod for operands of dtype `name`.
function promotion.accumulate(name)
  local kind = dtype.info[name].kind
  if kind == "float" then return name end
  return kind == "uint" and "uint64" or "int64"
end

return promotion
