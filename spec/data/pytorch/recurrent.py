X, X2 = randn(3, 2, 3), randn(3, 3)
LSTM = ("lambda m, x, h, c: m(x, (h, c))", "function(m, x, h, c) return m(x, h, c) end")
STATE = ("lambda m, x, h: m(x, h)", "function(m, x, h) return m(x, h) end")

case("nn.RNN(3, 2)", "nn.RNN(3, 2)", X)
case("nn.RNN(3, 2, nonlinearity='relu', num_layers=2, bias=False)",
     "nn.RNN(3, 2, {nonlinearity = 'relu', num_layers = 2, bias = false})", X, randn(2, 2, 2), call=STATE)
case("nn.RNN(3, 2, bidirectional=True, batch_first=True)", "nn.RNN(3, 2, {bidirectional = true, batch_first = true})",
     randn(2, 3, 3), randn(2, 2, 2), call=STATE)
case("nn.LSTM(3, 2)", "nn.LSTM(3, 2)", X)
case("nn.LSTM(3, 2, num_layers=2, bidirectional=True)", "nn.LSTM(3, 2, {num_layers = 2, bidirectional = true})",
     X, randn(4, 2, 2), randn(4, 2, 2), call=LSTM)
case("nn.LSTM(3, 2, bias=False, batch_first=True)", "nn.LSTM(3, 2, {bias = false, batch_first = true})", randn(2, 3, 3))
case("nn.LSTM(3, 2)", "nn.LSTM(3, 2)", X2, randn(1, 2), randn(1, 2), call=LSTM)
case("nn.LSTM(3, 2, num_layers=2, proj_size=1)", "nn.LSTM(3, 2, {num_layers = 2, proj_size = 1})", X)
case("nn.GRU(3, 2)", "nn.GRU(3, 2)", X)
case("nn.GRU(3, 2, num_layers=2, bidirectional=True)", "nn.GRU(3, 2, {num_layers = 2, bidirectional = true})",
     X, randn(4, 2, 2), call=STATE)
case("nn.GRU(3, 2, bias=False)", "nn.GRU(3, 2, {bias = false, fused = false})", X2, randn(1, 2), call=STATE)
case("nn.RNNCell(3, 2)", "nn.RNNCell(3, 2)", randn(2, 3), randn(2, 2), call=STATE)
case("nn.LSTMCell(3, 2)", "nn.LSTMCell(3, 2)", randn(2, 3), randn(2, 2), randn(2, 2), call=LSTM)
case("nn.GRUCell(3, 2)", "nn.GRUCell(3, 2, {fused = false})", randn(3), randn(2), call=STATE)
