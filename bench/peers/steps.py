"""The PyTorch versions of the training steps in bench/steps.lua, for the performance table."""

import torch
from torch import nn
from torch.nn import functional


def step_of(model, optimizer, x, y):
    """Returns a function that makes one step: forward pass, cross-entropy loss, backward pass, update."""
    def step():
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss
    return step


def sgd(model):
    return torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)


def adam(model):
    return torch.optim.Adam(model.parameters(), lr=1e-4)


def mlp(batch, widths):
    layers = []
    for i in range(len(widths) - 1):
        layers.append(nn.Linear(widths[i], widths[i + 1]))
        if i < len(widths) - 2:
            layers.append(nn.ReLU())
    model = nn.Sequential(*layers)
    return step_of(model, sgd(model), torch.randn(batch, widths[0]), torch.randint(0, widths[-1], (batch,)))


def cnn():
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * 7 * 7, 10))
    return step_of(model, adam(model), torch.randn(32, 1, 28, 28), torch.randint(0, 10, (32,)))


class Recurrent(nn.Module):
    def __init__(self, width, hidden, classes):
        super().__init__()
        self.lstm, self.head = nn.LSTM(width, hidden), nn.Linear(hidden, classes)

    def forward(self, x):
        return self.head(self.lstm(x)[0][-1])


def lstm():
    model = Recurrent(64, 128, 10)
    return step_of(model, adam(model), torch.randn(32, 32, 64), torch.randint(0, 10, (32,)))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attend(self, x):
        n, length, width = x.shape
        q, k, v = self.qkv(x).reshape(n, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4).unbind()
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(n, length, width))

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.down(functional.gelu(self.up(self.norm2(x))))


class Transformer(nn.Module):
    def __init__(self, vocabulary, length, width, heads, layers):
        super().__init__()
        self.token, self.position = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary)

    def forward(self, x):
        h = self.token(x) + self.position(torch.arange(x.shape[1]))
        return self.head(self.norm(self.blocks(h))).flatten(0, 1)


def transformer():
    model = Transformer(65, 128, 128, 4, 2)
    return step_of(model, adam(model), torch.randint(0, 65, (8, 128)), torch.randint(0, 65, (1024,)))
