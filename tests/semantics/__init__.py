"""Does the retracing policy hold, row by row of the measured cases of TensorFlow?"""
