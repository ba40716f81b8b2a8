# Cases of activations, which make.py runs in PyTorch and writes to JSON.
for name in ["ReLU", "ReLU6", "SELU", "SiLU", "Mish", "Sigmoid", "Tanh", "Hardsigmoid", "Hardswish", "Softsign", "LogSigmoid",
             "GELU", "LeakyReLU", "Hardtanh", "ELU", "CELU", "Softplus", "PReLU"]:
    case(f"nn.{name}()", f"nn.{name}()", uniform(-8, 8, 2, 6), device=name in ["ReLU", "GELU"],
         **({"tol64": 1e-6} if name == "Hardsigmoid" else {}))         # PyTorch's 1/6 is a float32
case("nn.GELU(approximate='tanh')", "nn.GELU{approximate = 'tanh'}", uniform(-8, 8, 12))
case("nn.LeakyReLU(0.2)", "nn.LeakyReLU{negative_slope = 0.2}", randn(3, 0))
case("nn.ELU(0.5)", "nn.ELU{alpha = 0.5}", randn(6), device=False)
case("nn.CELU(0.5)", "nn.CELU{alpha = 0.5}", randn(6), device=False)
case("nn.Hardtanh(-0.5, 2)", "nn.Hardtanh{min_val = -0.5, max_val = 2}", randn(8), device=False)
case("nn.Softplus(2, 5)", "nn.Softplus{beta = 2, threshold = 5}", uniform(-4, 4, 8), device=False)
case("nn.Threshold(0.1, 20)", "nn.Threshold(0.1, 20)", randn(8), device=False)
case("nn.PReLU(3)", "nn.PReLU{num_parameters = 3}", randn(2, 3, 2))
case("nn.GLU()", "nn.GLU()", randn(2, 4))
case("nn.GLU(1)", "nn.GLU(2)", randn(2, 4, 3))
case("nn.Softmax(1)", "nn.Softmax{dim = 2}", randn(2, 4, 3))
case("nn.Softmax(-1)", "nn.Softmax()", uniform(-1000, 1000, 2, 4))
case("nn.LogSoftmax(0)", "nn.LogSoftmax(1)", randn(4, 3))
case("nn.Softmin(1)", "nn.Softmin()", randn(4, 3))
case("lambda x: F.softmax(x, 0)", "functional.softmax", randn())
case("lambda x: F.leaky_relu(x, 0.3)", "function(x) return functional.leaky_relu(x, {negative_slope = 0.3}) end", randn(5))
