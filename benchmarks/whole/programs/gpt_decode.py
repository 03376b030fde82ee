"""A small GPT continues a text: keys and values are kept, and decoding ends at the end token."""

import numpy as np


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layer_norm(x, g, b, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    var = x.var(axis=-1, keepdims=True)
    return g * (x - mean) / np.sqrt(var + eps) + b


class Block:
    """One layer, with its cache of keys and values."""

    def __init__(self, params, n_head, max_len):
        self.params = params
        self.n_head = n_head
        width = params["ln1_g"].shape[0]
        self.keys = np.zeros((max_len, width))
        self.values = np.zeros((max_len, width))

    def attention(self, x, pos):
        p = self.params
        width = len(x)
        head = width // self.n_head
        qkv = x @ p["w_qkv"] + p["b_qkv"]
        q, k, v = np.split(qkv, 3)
        self.keys[pos] = k
        self.values[pos] = v
        visible = np.arange(len(self.keys)) <= pos
        out = np.zeros(width)
        for h in range(self.n_head):
            part = slice(h * head, (h + 1) * head)
            scores = self.keys[:, part] @ q[part] / np.sqrt(head)
            scores = np.where(visible, scores, -1e10)
            out[part] = softmax(scores) @ self.values[:, part]
        return out @ p["w_o"] + p["b_o"]

    def __call__(self, x, pos):
        p = self.params
        x = x + self.attention(layer_norm(x, p["ln1_g"], p["ln1_b"]), pos)
        hidden = gelu(layer_norm(x, p["ln2_g"], p["ln2_b"]) @ p["w_up"] + p["b_up"])
        return x + hidden @ p["w_down"] + p["b_down"]


class GPT:
    def __init__(self, params, n_head, max_len):
        self.wte = params["wte"]
        self.wpe = params["wpe"]
        self.g, self.b = params["ln_f"]
        self.blocks = [Block(p, n_head, max_len) for p in params["blocks"]]

    def logits(self, token, pos):
        x = self.wte[token] + self.wpe[pos]
        for block in self.blocks:
            x = block(x, pos)
        return layer_norm(x, self.g, self.b) @ self.wte.T


def penalise(logits, tokens, length, penalty):
    """What has been said of late is less likely to be said again."""
    for back in range(1, 5):
        if length - back >= 0:
            token = tokens[length - back]
            if logits[token] > 0:
                logits[token] /= penalty
            else:
                logits[token] *= penalty
    return logits


def gpt_decode(params, prompt, n_head=4, max_new=32, end=0, penalty=1.3):
    """The tokens, how many there are, their log probability, and whether the end token was met."""
    max_len = len(prompt) + max_new
    model = GPT(params, n_head, max_len)
    tokens = np.full(max_len, -1)
    tokens[: len(prompt)] = prompt
    for pos in range(len(prompt)):
        logits = model.logits(prompt[pos], pos)
    length = len(prompt)
    score = 0.0
    ended = False
    while length < max_len:
        logits = penalise(logits, tokens, length, penalty)
        token = np.argmax(logits)
        score += np.log(softmax(logits)[token])
        tokens[length] = token
        length += 1
        if token == end:
            ended = True
            break
        logits = model.logits(token, length - 1)
    entropy = -np.sum(softmax(logits) * np.log(softmax(logits)))
    return tokens, length, score, ended, entropy
