MASK = "[[False, True, True], [False, False, True], [False, False, False]]"
CAUSAL = ("lambda m, x: m(x, src_mask=torch.tensor(%s))" % MASK,
          "function(m, x) return m(x, {is_causal = true}) end")
STACK = ("lambda m, x: m(x, mask=torch.tensor(%s))" % MASK,
         "function(m, x, u) return m(x, {mask = lt.tensor(%s):to(tostring(x.device))}) end"
         % MASK.replace("[", "{").replace("]", "}").lower())
PADDING = ("lambda m, x, p: m(x, src_key_padding_mask=p)", "function(m, x, p) return m(x, {src_key_padding_mask = p}) end")
DECODE = ("lambda m, x, y: m(x, y, tgt_mask=torch.tensor(%s))" % MASK,
          "function(m, x, y) return m(x, y, {tgt_is_causal = true}) end")
LAYER = "nn.TransformerEncoderLayer(4, 2, dim_feedforward=6, dropout=0, %s)"
OURS = "nn.TransformerEncoderLayer(4, 2, {dim_feedforward = 6, dropout = 0, %s})"
case(LAYER % "", OURS % "", randn(3, 2, 4))
case(LAYER % "batch_first=True, norm_first=True, activation='gelu'",
     OURS % "batch_first = true, norm_first = true, activation = 'gelu'", randn(2, 3, 4), call=CAUSAL)
case(LAYER % "batch_first=True", OURS % "batch_first = true", randn(2, 3, 4),
     values([[False, False, True], [False, True, False]]), call=PADDING)
case("nn.TransformerEncoder(%s, 2, norm=nn.LayerNorm(4))" % LAYER % "bias=False",
     "nn.TransformerEncoder(%s, 2, {norm = nn.LayerNorm(4)})" % OURS % "bias = false", randn(3, 2, 4), call=STACK)
case("nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, dim_feedforward=6, dropout=0), 2)",
     "nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, {dim_feedforward = 6, dropout = 0}), 2)",
     randn(3, 2, 4), randn(5, 2, 4), call=DECODE, tol32=1e-4)
