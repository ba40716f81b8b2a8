-- Returns the CRC-32 of a string, bit by bit (ISO 3309). zip archives and PNG images contain such checksums.
return function(text)
  local crc = 0xffffffff
  for i = 1, #text do
    crc = crc ~ text:byte(i)
    for _ = 1, 8 do crc = crc >> 1 ~ (crc & 1) * 0xedb88320 end
  end
  return crc ~ 0xffffffff
end
