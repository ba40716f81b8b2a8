# Cases of losses, which make.py runs in PyTorch and writes to JSON.
pair = (randn(3, 4), randn(3, 4))
for name, lua in [("MSELoss", ""), ("L1Loss", ""), ("SmoothL1Loss", ""), ("HuberLoss", "")]:
    for kind in ["mean", "sum", "none"]:
        case(f"nn.{name}(reduction='{kind}')", f"nn.{name}{{reduction = '{kind}'}}", *pair,
             device=name == "MSELoss" and kind == "mean")
case("nn.MSELoss()", "nn.MSELoss()", randn(0, 2), randn(0, 2))
case("nn.MSELoss()", "nn.MSELoss()", randn(), randn())
case("nn.SmoothL1Loss(beta=0.3)", "nn.SmoothL1Loss{beta = 0.3}", *pair, device=False)
case("nn.SmoothL1Loss(beta=0)", "nn.SmoothL1Loss{beta = 0}", *pair, device=False)
case("nn.HuberLoss(delta=0.5)", "nn.HuberLoss{delta = 0.5}", *pair, device=False)

some = uniform(0.02, 0.98, 3, 4)
case("nn.BCELoss()", "nn.BCELoss()", some, some, device=False)
case("nn.BCELoss()", "nn.BCELoss()", values([0.0, 1.0, 0.0, 1.0]), fixed([0.0, 1.0, 1.0, 0.0]), device=False, float64=True,
     tol64=1e-8)                    # PyTorch's 1e-12 is a float32
case("lambda x, y, w: F.binary_cross_entropy(x, y, w)",
     "function(x, y, w) return functional.binary_cross_entropy(x, y, {weight = w}) end", some, fixed(some), fixed(uniform(0, 2, 4)),
     device=False)
case("nn.BCEWithLogitsLoss()", "nn.BCEWithLogitsLoss()", uniform(-9, 9, 3, 4), some)
case("nn.BCEWithLogitsLoss(reduction='sum')", "nn.BCEWithLogitsLoss{reduction = 'sum'}", values([-900.0, 900.0]), fixed([1.0, 0.0]))
case("lambda x, y, w, p: F.binary_cross_entropy_with_logits(x, y, w, pos_weight=p)",
     "function(x, y, w, p) return functional.binary_cross_entropy_with_logits(x, y, {weight = w, pos_weight = p}) end",
     uniform(-9, 9, 3, 4), fixed(some), fixed(uniform(0, 2, 4)), fixed(uniform(0, 3, 4)), device=False)
for kind in ["mean", "batchmean", "sum", "none"]:
    case(f"nn.KLDivLoss(reduction='{kind}')", f"nn.KLDivLoss{{reduction = '{kind}'}}", uniform(-3, 0, 3, 4), some, device=False)
case("nn.KLDivLoss(log_target=True)", "nn.KLDivLoss{log_target = true}", uniform(-3, 0, 3, 4), uniform(-3, 0, 3, 4), device=False)
case("nn.KLDivLoss()", "nn.KLDivLoss()", uniform(-3, 0, 3), fixed([0.0, 0.4, 0.6]), device=False)

for name in ["NLLLoss", "CrossEntropyLoss"]:
    for kind in ["mean", "sum", "none"]:
        case(f"nn.{name}(reduction='{kind}')", f"nn.{name}{{reduction = '{kind}'}}", randn(4, 3), classes(3, 4))
    case(f"nn.{name}()", f"nn.{name}()", randn(3), classes(3))
    case(f"nn.{name}()", f"nn.{name}()", randn(2, 3, 2, 2), classes(3, 2, 2, 2))
    case(f"nn.{name}()", f"nn.{name}()", randn(0, 3), classes(3, 0))
    case(f"nn.{name}()", f"nn.{name}()", randn(4, 3), indices([0, -100, 2, 1]))
    case(f"nn.{name}(ignore_index=1)", f"nn.{name}{{ignore_index = 2}}", randn(2, 3, 2), indices([[0, 1], [2, 1]]))
    for kind in ["mean", "sum", "none"]:
        case(f"nn.{name}(torch.rand(3), reduction='{kind}')", f"nn.{name}{{weight = lt.ones(3), reduction = '{kind}'}}", randn(5, 3),
             indices([0, 2, -100, 1, 1]))
case("nn.CrossEntropyLoss()", "nn.CrossEntropyLoss()", uniform(-2000, 2000, 3, 4), classes(4, 3))
case("nn.CrossEntropyLoss()", "nn.CrossEntropyLoss()", randn(3, 4), probabilities(3, 4))
case("nn.CrossEntropyLoss(torch.rand(4), reduction='none')", "nn.CrossEntropyLoss{weight = lt.ones(4), reduction = 'none'}",
     randn(2, 4, 3), probabilities(2, 4, 3))
for kind in ["mean", "sum", "none"]:
    case(f"nn.CrossEntropyLoss(reduction='{kind}', label_smoothing=0.1)",
         f"nn.CrossEntropyLoss{{reduction = '{kind}', label_smoothing = 0.1}}", randn(4, 3), indices([0, -100, 2, 1]))
    case(f"nn.CrossEntropyLoss(torch.rand(3), reduction='{kind}', label_smoothing=0.2)",
         f"nn.CrossEntropyLoss{{weight = lt.ones(3), reduction = '{kind}', label_smoothing = 0.2}}", randn(2, 3, 2), classes(3, 2, 2))
case("nn.CrossEntropyLoss(label_smoothing=0.3)", "nn.CrossEntropyLoss{label_smoothing = 0.3}", randn(3, 4), probabilities(3, 4))
