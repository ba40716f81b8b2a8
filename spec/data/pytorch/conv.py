# Cases of convolutions, which make.py runs in PyTorch and writes to JSON.
case("nn.Conv2d(2, 3, 3, padding=1)", "nn.Conv2d(2, 3, 3, {padding = 1})", randn(2, 2, 4, 5))
case("nn.Conv2d(2, 4, (3, 2), stride=(2, 1), padding=(1, 0), bias=False)",
     "nn.Conv2d(2, 4, {3, 2}, {stride = {2, 1}, padding = {1, 0}, bias = false})", randn(1, 2, 5, 4))
case("nn.Conv2d(4, 4, 3, groups=4, dilation=2, padding='same')",
     "nn.Conv2d(4, 4, 3, {groups = 4, dilation = 2, padding = \"same\"})", randn(1, 4, 5, 5))
case("nn.Conv2d(2, 2, 3)", "nn.Conv2d(2, 2, 3)", randn(2, 4, 4))
case("nn.Conv1d(2, 3, 4, padding='same')", "nn.Conv1d(2, 3, 4, {padding = \"same\"})", randn(2, 2, 7))
case("nn.Conv1d(2, 4, 3, stride=2, groups=2)", "nn.Conv1d(2, 4, 3, {stride = 2, groups = 2})", randn(2, 9))
case("nn.ConvTranspose2d(2, 3, 3, stride=2, padding=1, output_padding=1)",
     "nn.ConvTranspose2d(2, 3, 3, {stride = 2, padding = 1, output_padding = 1})", randn(1, 2, 3, 3))
case("nn.ConvTranspose1d(4, 2, 3, groups=2, dilation=2)", "nn.ConvTranspose1d(4, 2, 3, {groups = 2, dilation = 2})",
     randn(2, 4, 4))
