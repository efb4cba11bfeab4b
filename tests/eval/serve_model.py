"""Serves a model with llama.cpp, in the form of OpenAI: WEIGHTS PORT TOKENS, until it is ended."""

import signal
import sys

import xllamacpp

weights, port, tokens = sys.argv[1:]
parameters = xllamacpp.CommonParams()
parameters.model.path = weights
parameters.hostnames = ["127.0.0.1"]
parameters.port = int(port)
parameters.n_ctx = int(tokens)
parameters.n_parallel = 1
parameters.n_gpu_layers = 0
# Schemas of replies and tools are enforced by the model's own template.
parameters.use_jinja = True
server = xllamacpp.Server(parameters)
signal.pause()
