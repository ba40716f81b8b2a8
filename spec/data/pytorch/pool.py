# Cases of pooling, which make.py runs in PyTorch and writes to JSON.
case("nn.MaxPool2d(2)", "nn.MaxPool2d(2)", randn(1, 2, 4, 5))
case("nn.MaxPool2d(3, stride=2, padding=1, ceil_mode=True)",
     "nn.MaxPool2d(3, {stride = 2, padding = 1, ceil_mode = true})", randn(1, 2, 6, 5))
case("nn.MaxPool2d(2, stride=1, dilation=2)", "nn.MaxPool2d(2, {stride = 1, dilation = 2})", randn(2, 5, 4))
case("nn.MaxPool1d(3, stride=2)", "nn.MaxPool1d(3, {stride = 2})", randn(2, 2, 8))
case("nn.AvgPool2d(3, stride=2, padding=1)", "nn.AvgPool2d(3, {stride = 2, padding = 1})", randn(1, 2, 5, 6))
case("nn.AvgPool2d(3, stride=2, padding=1, ceil_mode=True, count_include_pad=False)",
     "nn.AvgPool2d(3, {stride = 2, padding = 1, ceil_mode = true, count_include_pad = false})", randn(1, 2, 6, 6))
case("nn.AvgPool2d(3, stride=2, padding=1, ceil_mode=True)",
     "nn.AvgPool2d(3, {stride = 2, padding = 1, ceil_mode = true})", randn(1, 1, 6, 6))
case("nn.AvgPool1d(3, padding=1)", "nn.AvgPool1d(3, {padding = 1})", randn(2, 2, 7))
case("nn.AdaptiveAvgPool2d((3, 2))", "nn.AdaptiveAvgPool2d {3, 2}", randn(1, 2, 7, 5))
case("nn.AdaptiveAvgPool2d((None, 3))", "nn.AdaptiveAvgPool2d {false, 3}", randn(2, 3, 4))
case("nn.AdaptiveMaxPool2d(2)", "nn.AdaptiveMaxPool2d(2)", randn(1, 2, 5, 3))
case("nn.AdaptiveMaxPool1d(3)", "nn.AdaptiveMaxPool1d(3)", randn(2, 2, 7))
