Q, K, V = randn(2, 1, 3, 2), randn(2, 1, 5, 2), randn(2, 1, 5, 3)
SDPA = "functional.scaled_dot_product_attention"


def sdpa(options, lua, *inputs, mask=None):
    names = "q, k, v" + (", m" if mask else "")
    more = ("attn_mask=m, " if mask else "") + options
    case("lambda %s: F.scaled_dot_product_attention(q, k, v, %s)" % (names, more),
         "function(%s) return %s(q, k, v, {%s%s}) end" % (names, SDPA, "attn_mask = m, " if mask else "", lua),
         *inputs, *([mask] if mask else []))


seen = values([[True, False, True, False, True], [False, False, False, False, False], [False, True, False, False, False]])
added = fixed([[0.5, 1.0, -2.0, 0.0, 0.25], [0.0, float("-inf"), 0.0, 0.0, float("-inf")], [0.0] * 5])
case("F.scaled_dot_product_attention", SDPA, Q, K, V)
case("F.scaled_dot_product_attention", SDPA, randn(2, 3, 4), randn(2, 5, 4), randn(2, 5, 4))
case("F.scaled_dot_product_attention", SDPA, randn(3, 4), randn(5, 4), randn(5, 2))
sdpa("is_causal=True, scale=0.3", "is_causal = true, scale = 0.3", Q, K, V)
sdpa("is_causal=True", "is_causal = true", randn(1, 2, 5, 4), randn(1, 2, 3, 4), randn(1, 2, 3, 4))
sdpa("", "", Q, K, V, mask=seen)
sdpa("", "", Q, K, V, mask=added)
sdpa("", "", Q, K, V, mask=randn(2, 1, 3, 5))

SELF = ("lambda m, x: m(x, x, x, need_weights=False)", "function(m, x) return (m(x, {need_weights = false})) end")
WEIGHTS = ("lambda m, x: m(x, x, x)", "function(m, x) return m(x) end")
EACH = ("lambda m, x: m(x, x, x, average_attn_weights=False)", "function(m, x) return m(x, {average_attn_weights = false}) end")
OTHER = ("lambda m, q, k, v: m(q, k, v)", "function(m, q, k, v) return m(q, k, v) end")
MASK = ("lambda m, x, p, a: m(x, x, x, key_padding_mask=p, attn_mask=a, need_weights=False)",
        "function(m, x, p, a) return (m(x, {key_padding_mask = p, attn_mask = a, need_weights = false})) end")
FULL = ("lambda m, x, p, a: m(x, x, x, key_padding_mask=p, attn_mask=a)",
        "function(m, x, p, a) return m(x, {key_padding_mask = p, attn_mask = a}) end")
padding = values([[False, False, True], [False, True, False]])
unseen = values([[False, True, False], [False, False, True], [False, False, False]])
FIRST = ("nn.MultiheadAttention(4, 2, batch_first=True)", "nn.MultiheadAttention(4, 2, {batch_first = true})")
case("nn.MultiheadAttention(4, 2)", "nn.MultiheadAttention(4, 2)", randn(3, 2, 4), call=SELF)
case(*FIRST, randn(2, 3, 4), call=SELF)
case(*FIRST, randn(2, 3, 4), call=WEIGHTS)
case(*FIRST, randn(3, 4), call=EACH)
case("nn.MultiheadAttention(4, 2, bias=False)", "nn.MultiheadAttention(4, 2, {bias = false})", randn(3, 2, 4), call=EACH)
case("nn.MultiheadAttention(4, 2, kdim=3, vdim=5)", "nn.MultiheadAttention(4, 2, {kdim = 3, vdim = 5})",
     randn(3, 2, 4), randn(6, 2, 3), randn(6, 2, 5), call=OTHER)
case(*FIRST, randn(2, 3, 4), padding, unseen, call=MASK)
case(*FIRST, randn(2, 3, 4), padding, unseen, call=FULL)
case("nn.MultiheadAttention(4, 2)", "nn.MultiheadAttention(4, 2)", randn(3, 2, 4), padding, randn(4, 3, 3), call=FULL)
