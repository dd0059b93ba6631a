"""Metrics of predicted ratings, from their definitions: the score is the prediction, the grade the rating."""

from __future__ import annotations

from math import sqrt
from statistics import fmean


def errors(scores, grades):
    """Prediction minus rating, of the items that have both."""
    return [score - grade for score, grade in zip(scores, grades, strict=True) if grade is not None]


def mae(scores, grades, judged, no_prediction="null"):
    found = errors(scores, grades)
    return fmean(map(abs, found)) if found else None


def rmse(scores, grades, judged, no_prediction="null"):
    found = errors(scores, grades)
    return sqrt(fmean(error * error for error in found)) if found else None


def rating_bias(scores, grades, judged, no_prediction="null"):
    found = errors(scores, grades)
    return fmean(found) if found else None


def prediction_coverage(grades, judged):
    return sum(1 for grade in grades if grade is not None) / len(judged) if judged else 0


METRICS = {function.__name__: function for function in (mae, rmse, rating_bias, prediction_coverage)}
