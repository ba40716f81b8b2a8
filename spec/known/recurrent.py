X, X2 = randn(4, 3, 5), randn(4, 5)
LSTM = ("lambda m, x, h, c: m(x, (h, c))", "function(m, x, h, c) return m(x, h, c) end")
STATE = ("lambda m, x, h: m(x, h)", "function(m, x, h) return m(x, h) end")

case("nn.RNN(5, 4)", "nn.RNN(5, 4)", X)
case("nn.RNN(5, 4, nonlinearity='relu', num_layers=2, bias=False)",
     "nn.RNN(5, 4, {nonlinearity = 'relu', num_layers = 2, bias = false})", X, randn(2, 3, 4), call=STATE)
case("nn.RNN(5, 4, bidirectional=True, batch_first=True)", "nn.RNN(5, 4, {bidirectional = true, batch_first = true})",
     randn(3, 4, 5), randn(2, 3, 4), call=STATE)
case("nn.LSTM(5, 4)", "nn.LSTM(5, 4)", X)
case("nn.LSTM(5, 4, num_layers=2, bidirectional=True)", "nn.LSTM(5, 4, {num_layers = 2, bidirectional = true})",
     X, randn(4, 3, 4), randn(4, 3, 4), call=LSTM)
case("nn.LSTM(5, 4, bias=False, batch_first=True)", "nn.LSTM(5, 4, {bias = false, batch_first = true})", randn(3, 4, 5))
case("nn.LSTM(5, 4)", "nn.LSTM(5, 4)", X2, randn(1, 4), randn(1, 4), call=LSTM)
case("nn.LSTM(5, 4, num_layers=2, proj_size=2)", "nn.LSTM(5, 4, {num_layers = 2, proj_size = 2})", X)
case("nn.GRU(5, 4)", "nn.GRU(5, 4)", X)
case("nn.GRU(5, 4, num_layers=2, bidirectional=True)", "nn.GRU(5, 4, {num_layers = 2, bidirectional = true})",
     X, randn(4, 3, 4), call=STATE)
case("nn.GRU(5, 4, bias=False)", "nn.GRU(5, 4, {bias = false, fused = false})", X2, randn(1, 4), call=STATE)
case("nn.RNNCell(5, 4)", "nn.RNNCell(5, 4)", randn(3, 5), randn(3, 4), call=STATE)
case("nn.LSTMCell(5, 4)", "nn.LSTMCell(5, 4)", randn(3, 5), randn(3, 4), randn(3, 4), call=LSTM)
case("nn.GRUCell(5, 4)", "nn.GRUCell(5, 4, {fused = false})", randn(5), randn(4), call=STATE)
