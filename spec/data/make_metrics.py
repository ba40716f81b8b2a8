# Writes spec/data/metrics.json, results of scikit-learn's sklearn.metrics, for spec/nn/metrics_spec.lua.
import warnings

import numpy as np
import sklearn
from sklearn import metrics

import as_json

warnings.simplefilter("ignore")
random = np.random.default_rng(20261127)
rows = []


def classes(n, count, absent=None):
    """Classes from 1 to count; the targets lack the class `absent`, and so do the predictions."""
    allowed = [c for c in range(1, count + 1) if c != absent]
    target = random.choice(allowed, n)
    predicted = np.where(random.random(n) < 0.6, target, random.choice(allowed, n))
    return predicted, target


def measures(predicted, target, **options):
    """Precision, recall and F1."""
    options["zero_division"] = 0
    return [np.atleast_1d(f(target, predicted, **options)).tolist()
            for f in (metrics.precision_score, metrics.recall_score, metrics.f1_score)]


for n, count, absent in (40, 3, None), (25, 5, 4), (1, 1, None), (200, 10, None):
    predicted, target = classes(n, count, absent)
    labels = list(range(1, count + 1))
    rows.append({"kind": "classes", "classes": count, "predicted": predicted.tolist(), "target": target.tolist(),
                 "accuracy": metrics.accuracy_score(target, predicted),
                 "matrix": metrics.confusion_matrix(target, predicted, labels=labels).tolist(),
                 "macro": measures(predicted, target, average="macro"),
                 "micro": measures(predicted, target, average="micro"),
                 "weighted": measures(predicted, target, average="weighted"),
                 "none": measures(predicted, target, average=None, labels=labels)})

for n, share in (30, 0.5), (12, 0.0), (9, 1.0):
    target = (random.random(n) < share).astype(int)
    predicted = np.where(random.random(n) < 0.7, target, 1 - target)
    rows.append({"kind": "binary", "predicted": predicted.tolist(), "target": target.tolist(),
                 "binary": measures(predicted, target, average="binary")})

for n, count in (30, 5), (8, 3):
    scores = random.integers(-64, 65, (n, count)) / 64 + np.arange(count) / 1024     # no two scores are equal
    target = random.integers(0, count, n)
    rows.append({"kind": "top", "scores": scores.tolist(), "target": (target + 1).tolist(),
                 "top": [metrics.top_k_accuracy_score(target, scores, k=k, labels=range(count))
                         for k in range(1, count)]})

for n, levels in (50, 1000), (60, 5), (20, 1), (2, 9):
    scores = random.integers(0, levels, n) / 8
    target = random.integers(0, 2, n)
    target[:2] = 0, 1
    rows.append({"kind": "auc", "scores": scores.tolist(), "target": target.tolist(),
                 "auc": metrics.roc_auc_score(target, scores)})


def regression(predicted, target):
    rows.append({"kind": "regression", "predicted": predicted.tolist(), "target": target.tolist(),
                 "r2": metrics.r2_score(target, predicted),
                 "squared": metrics.mean_squared_error(target, predicted),
                 "absolute": metrics.mean_absolute_error(target, predicted)})


for shape in (20,), (15, 3):
    target = random.integers(-64, 65, shape) / 16
    regression(target + random.integers(-16, 17, shape) / 16, target)
regression(np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, 2.0]))
regression(np.array([2.0, 2.0]), np.array([2.0, 2.0]))

as_json.write("metrics", {"scikit-learn": sklearn.__version__, "rows": rows}, 2)
