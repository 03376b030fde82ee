"""A multilayer perceptron learns spirals: layers as classes, Adam, minibatches, early stopping."""

import numpy as np


class Dense:
    def __init__(self, W, b):
        self.W = W.copy()
        self.b = b.copy()

    def forward(self, x):
        self.x = x
        return x @ self.W + self.b

    def backward(self, grad):
        self.dW = self.x.T @ grad
        self.db = grad.sum(axis=0)
        return grad @ self.W.T

    def parameters(self):
        return [(self.W, self.dW), (self.b, self.db)]


class ReLU:
    def forward(self, x):
        self.mask = x > 0
        return np.where(self.mask, x, 0)

    def backward(self, grad):
        return grad * self.mask

    def parameters(self):
        return []


class Network:
    def __init__(self, weights):
        self.layers = []
        for k, (W, b) in enumerate(weights):
            if k > 0:
                self.layers.append(ReLU())
            self.layers.append(Dense(W, b))

    def forward(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x

    def backward(self, grad):
        for layer in reversed(self.layers):
            grad = layer.backward(grad)

    def parameters(self):
        return [pair for layer in self.layers for pair in layer.parameters()]


class Adam:
    def __init__(self, lr, beta1=0.9, beta2=0.999, eps=1e-8):
        self.lr, self.beta1, self.beta2, self.eps = lr, beta1, beta2, eps
        self.t = 0
        self.m = None
        self.v = None

    def step(self, parameters):
        if self.m is None:
            self.m = [np.zeros_like(p) for p, _ in parameters]
            self.v = [np.zeros_like(p) for p, _ in parameters]
        self.t += 1
        for i, (p, g) in enumerate(parameters):
            self.m[i] = self.beta1 * self.m[i] + (1 - self.beta1) * g
            self.v[i] = self.beta2 * self.v[i] + (1 - self.beta2) * g**2
            m_hat = self.m[i] / (1 - self.beta1**self.t)
            v_hat = self.v[i] / (1 - self.beta2**self.t)
            p -= self.lr * m_hat / (np.sqrt(v_hat) + self.eps)


def cross_entropy(logits, labels):
    """The loss and its gradient."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    probs = np.exp(shifted)
    probs /= probs.sum(axis=1, keepdims=True)
    n = len(labels)
    loss = -np.mean(np.log(probs[np.arange(n), labels]))
    grad = probs.copy()
    grad[np.arange(n), labels] -= 1
    return loss, grad / n


def accuracy(net, X, y):
    return np.mean(np.argmax(net.forward(X), axis=1) == y)


def neural_net(weights, X, y, X_val, y_val, epochs=40, batch=20, lr=0.01, patience=5):
    """Losses of each epoch, epochs made, the best one, both accuracies and the last layer's weights."""
    net = Network(weights)
    optimiser = Adam(lr)
    history = np.full((epochs, 2), np.nan)
    best_loss = np.inf
    best_epoch = waited = 0
    done = 0
    for epoch in range(epochs):
        running = 0.0
        for start in range(0, len(X), batch):
            logits = net.forward(X[start : start + batch])
            loss, grad = cross_entropy(logits, y[start : start + batch])
            net.backward(grad)
            optimiser.step(net.parameters())
            running += loss
        val_loss, _ = cross_entropy(net.forward(X_val), y_val)
        history[epoch] = running / (len(X) // batch), val_loss
        done = epoch + 1
        if val_loss < best_loss - 1e-4:
            best_loss = val_loss
            best_epoch = epoch
            waited = 0
        else:
            waited += 1
            if waited >= patience:
                break
    return (
        history,
        done,
        best_epoch,
        best_loss,
        accuracy(net, X, y),
        accuracy(net, X_val, y_val),
        net.layers[-1].W,
    )
