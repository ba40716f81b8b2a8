--- The dtypes of real floats: what layers compute with.
return {float16 = true, bfloat16 = true, float32 = true, float64 = true}
