--- The dtypes of real floats, in which layers compute.
return {float16 = true, bfloat16 = true, float32 = true, float64 = true}
