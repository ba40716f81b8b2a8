# Cases of linear layers, which make.py runs in PyTorch and writes to JSON.
case("nn.Linear(3, 2)", "nn.Linear(3, 2)", randn(4, 3))
case("nn.Linear(3, 2, bias=False)", "nn.Linear(3, 2, {bias = false})", randn(2, 4, 3))
case("nn.Linear(3, 2)", "nn.Linear(3, 2)", randn(3))
case("nn.Linear(3, 2)", "nn.Linear(3, 2)", randn(2, 1, 2, 3))
case("nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))", "nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))", randn(0, 3))
case("F.linear", "functional.linear", randn(2, 4, 3), randn(2, 3), randn(2))
