# Cases of normalisation layers, which make.py runs in PyTorch and writes to JSON.
case("nn.LayerNorm(5)", "nn.LayerNorm(5)", randn(3, 5))
case("nn.LayerNorm([4, 5])", "nn.LayerNorm {4, 5}", randn(2, 3, 4, 5), device=False)
case("nn.LayerNorm(20)", "nn.LayerNorm(20)", randn(20), device=False)
case("nn.LayerNorm(5, bias=False)", "nn.LayerNorm(5, {bias = false})", randn(2, 5), device=False)
case("nn.LayerNorm(5, elementwise_affine=False, eps=0.1)", "nn.LayerNorm(5, {elementwise_affine = false, eps = 0.1})",
     randn(2, 5), device=False)
case("nn.LayerNorm(3)", "nn.LayerNorm(3)", randn(0, 3), device=False)
case("nn.RMSNorm(5, eps=1e-5)", "nn.RMSNorm(5, {eps = 1e-5})", randn(3, 5))
case("nn.RMSNorm([2, 3])", "nn.RMSNorm {2, 3}", randn(3, 2, 3), device=False)
case("nn.RMSNorm(3, elementwise_affine=False)", "nn.RMSNorm(3, {elementwise_affine = false})", randn(2, 3), device=False)
case("nn.GroupNorm(2, 4)", "nn.GroupNorm(2, 4)", randn(2, 4, 3))
case("nn.GroupNorm(2, 6)", "nn.GroupNorm(2, 6)", randn(3, 6), device=False)
case("nn.GroupNorm(1, 2, affine=False)", "nn.GroupNorm(1, 2, {affine = false})", randn(2, 2, 3, 3), device=False)
case("nn.GroupNorm(4, 4)", "nn.GroupNorm(4, 4)", randn(1, 4, 20), device=False)
for text, shape in [("1d(3)", (5, 3)), ("1d(2)", (3, 2, 20)), ("2d(3)", (2, 3, 2, 3)), ("3d(2)", (2, 2, 2, 1, 3))]:
    for evaluation in [False, True]:
        case(f"nn.BatchNorm{text}", f"nn.BatchNorm{text}", randn(*shape), eval=evaluation, device=text in ["1d(3)", "2d(3)"])
case("nn.BatchNorm1d(3, momentum=None)", "nn.BatchNorm1d(3, {momentum = false})", randn(4, 3), device=False)
case("nn.BatchNorm1d(3, momentum=0.5, eps=0.1)", "nn.BatchNorm1d(3, {momentum = 0.5, eps = 0.1})", randn(4, 3), device=False)
case("nn.BatchNorm1d(3, affine=False)", "nn.BatchNorm1d(3, {affine = false})", randn(4, 3), device=False)
case("nn.BatchNorm1d(3, track_running_stats=False)", "nn.BatchNorm1d(3, {track_running_stats = false})", randn(4, 3),
     eval=True, device=False)
case("nn.InstanceNorm1d(2)", "nn.InstanceNorm1d(2)", randn(2, 2, 4), device=False)
case("nn.InstanceNorm2d(2, affine=True)", "nn.InstanceNorm2d(2, {affine = true})", randn(2, 2, 3, 4), device=False)
case("nn.InstanceNorm3d(2)", "nn.InstanceNorm3d(2)", randn(1, 2, 2, 1, 2), device=False)
case("lambda x: F.normalize(x)", "functional.normalize", randn(3, 4), device=False)
case("lambda x: F.normalize(x, p=1, dim=0)", "function(x) return functional.normalize(x, {p = 1, dim = 1}) end", randn(3, 4),
     device=False)
case("nn.LocalResponseNorm(2)", "nn.LocalResponseNorm(2)", randn(2, 4, 3), device=False)
case("nn.LocalResponseNorm(3, alpha=0.5, k=2.0)", "nn.LocalResponseNorm(3, {alpha = 0.5, k = 2})", randn(1, 5, 2, 2), device=False)
