-- Checks the disassembled kernels of the ARM64 build: the loops that gcc is expected to vectorise must have NEON
-- instructions. tools/test_arm64 runs this file on the machine that built the kernels. No other suite runs this file.

local shell = require "spec.support.shell"

local KERNELS = os.getenv "ARM64_KERNELS" or "build/arm64/obj/cpu/kernels"
local OBJDUMP = os.getenv "OBJDUMP" or "aarch64-linux-gnu-objdump"

-- Returns the functions of an object by name, each as a list of {address, mnemonic, operands}.
local function functions_of(object)
  local functions, current = {}, nil
  for line in shell.passes(("%s -d --no-show-raw-insn %s/%s.base.o"):format(OBJDUMP, KERNELS, object)):gmatch "[^\n]+" do
    local name = line:match "^%x+ <(.*)>:$"
    local address, mnemonic, operands = line:match "^%s*(%x+):%s+(%S+)%s*(.*)$"
    if name then
      current = {}
      functions[name] = current
    elseif address then
      current[#current + 1] = {address = tonumber(address, 16), mnemonic = mnemonic, operands = operands}
    end
  end
  return functions
end

-- If instruction i is a branch that jumps back to an instruction of the same function, returns the index of that
-- instruction. Otherwise returns nil or false.
local function back_target(instructions, index_of, i)
  local target = index_of[tonumber(instructions[i].operands:match "(%x+) <" or "", 16)]
  local is_branch = instructions[i].mnemonic:find "^b" or instructions[i].mnemonic:find "^[ct]bn?z$"
  return is_branch and target and target <= i and target
end

-- Returns the innermost loops of a function, each as a list of its instructions.
local function inner_loops(instructions)
  local index_of, loops, inner = {}, {}, {}
  for i, one in ipairs(instructions) do index_of[one.address] = i end
  for i in ipairs(instructions) do
    local first = back_target(instructions, index_of, i)
    if first then loops[#loops + 1] = {first = first, last = i} end
  end
  for _, loop in ipairs(loops) do
    local holds_another = false
    for _, other in ipairs(loops) do
      holds_another = holds_another or (other ~= loop and other.first >= loop.first and other.last <= loop.last)
    end
    if not holds_another then inner[#inner + 1] = table.move(instructions, loop.first, loop.last, 1, {}) end
  end
  return inner
end

-- True if one of the loops has an instruction with this mnemonic and this arrangement of lanes, such as "fadd 4s".
local function has(loops, wanted)
  local mnemonic, lanes = wanted:match "^(%S+) (%S+)$"
  for _, loop in ipairs(loops) do
    for _, one in ipairs(loop) do
      if one.mnemonic:find("^" .. mnemonic .. "2?$") and one.operands:find("v%d+%." .. lanes) then return true end
    end
  end
  return false
end

-- True if one of the loops computes with or copies whole NEON registers. Arithmetic names a register v1.4s, a copy
-- names it q1.
local function is_vectorised(loops)
  for _, loop in ipairs(loops) do
    for _, one in ipairs(loop) do
      if one.operands:find "%f[%w]v%d+%.%d+%a" or one.operands:find "%f[%w]q%d+" then return true end
    end
  end
  return false
end

-- The instructions that the loops of functions must have. The names are patterns, because gcc may inline the loop over
-- a row or over columns.
local expected = {
  map = {
    add_float32 = "fadd 4s", add_float64 = "fadd 2d", add_int32 = "add 4s", add_int64 = "add 2d", add_int8 = "add 16b",
    multiply_float32 = "fmul 4s", multiply_float64 = "fmul 2d", multiply_int32 = "mul 4s", multiply_complex64 = "fmul 4s",
    divide_float32 = "fdiv 4s", sqrt_float64 = "fsqrt 2d", floor_float32 = "frintm 4s", exp_float32 = "fmla 4s", exp_float64 = "fmla 2d",
    tanh_float32 = "fmla [42][sd]", sin_float32 = "fmla 4s", log_float64 = "fmla 2d", erf_float32 = "fmla 4s", less_float32 = "fcmgt 4s",
    less_float64 = "fcmgt 2d", equal_int32 = "cmeq 4s", where_float32 = "b[si][lt]f? 16b", bitwise_and_int32 = "and 16b",
    isnan_float32 = "fcmeq 4s",
  },
  convert = {
    float32_to_float64 = "fcvtl 2d", float64_to_float32 = "fcvtn [24]s", float32_to_float16 = "fcvtn 4h", float16_to_float32 = "fcvtl 4s",
    bfloat16_to_float32 = "shl+l? 4s", int32_to_float32 = "scvtf 4s", int64_to_float64 = "scvtf 2d", uint8_to_float32 = "[us]cvtf 4s",
    float32_to_int32 = "fcvtzs 4s", float64_to_int64 = "fcvtzs 2d", float32_to_uint8 = "fcvtzs 4s", int8_to_int32 = "sxtl 4s",
  },
  reduce = {
    total_row_float32 = "fmla 2d", total_row_float64 = "fmla 2d", ["sum_[cf]%w+_int32"] = "saddw 2d", ["sum_[cf]%w+_uint8"] = "uaddw 2d",
    top_row_float32 = "fcmgt 4s", largest_row_int32 = "smax 4s", norm_2__row_float32 = "fmul 2d", ["any_[cf]%w+_float32"] = "orr 16b",
  },
  scan = {cumulative_sum_scan_float32 = "fadd 2d"},
}

-- Functions whose loops stay scalar, as patterns, with the reason.
local scalar = {
  map = {
    ["^multiply_u?int64$"] = "NEON multiplies no 64-bit integers", ["^square_u?int64$"] = "NEON multiplies no 64-bit integers",
    ["^floor_divide_u?int64$"] = "NEON divides no integers", ["^remainder_u?int64$"] = "NEON divides no integers",
    ["^pow_u?int"] = "the loop over an exponent's bits differs from element to element",
    ["_complex"] = "branches for infinite and huge parts, on x86, too",
    ["_bool$"] = "gcc 12 makes no vectors of _Bool, on x86, too",
  },
  convert = {["^u?int64_to_float32$"] = "NEON would round twice", ["^u?int64_to_complex64$"] = "NEON would round twice",
             ["^complex%d+_to_complex%d+$"] = "copies, which the library makes in another way"},
}

local function scalar_because(object, name)
  for pattern, reason in pairs(scalar[object]) do
    if name:find(pattern) then return reason end
  end
end

-- Patterns that find the kernel's name in a symbol of each object file. The symbol map_add_float32 contains the name
-- add_float32; the symbol float32_to_int8 is a name itself.
local kernel_of = {map = "^map_(.*)$", convert = "^(%w+_to_%w+)$"}

describe("the ARM64 build", function()
  for object, rows in pairs(expected) do
    it("computes by NEON in " .. object .. ".c", function()
      local functions, missing = functions_of(object), {}
      for name, wanted in pairs(rows) do
        local found = false
        for symbol, instructions in pairs(functions) do
          local plain = symbol:gsub("%..*", ""):gsub("^map_", "")
          found = found or (plain:find("^" .. name .. "$") and has(inner_loops(instructions), wanted))
        end
        if not found then missing[#missing + 1] = ("%s has no %s in a loop"):format(name, wanted) end
      end
      table.sort(missing)
      assert.same({}, missing)
    end)
  end

  for object, pattern in pairs(kernel_of) do
    it("has vectors in every loop of " .. object .. ".c that can have them", function()
      local slow, kernels = {}, 0
      for symbol, instructions in pairs(functions_of(object)) do
        local name, loops = symbol:match(pattern), inner_loops(instructions)
        if name then
          kernels = kernels + 1
          if #loops > 0 and not is_vectorised(loops) and not scalar_because(object, name) then slow[#slow + 1] = name end
        end
      end
      table.sort(slow)
      assert.same({}, slow)
      assert.is_true(kernels > 200)
    end)
  end
end)
