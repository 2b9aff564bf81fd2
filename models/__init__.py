"""The zoo: small JAX programs that stand for what people train and serve.

`models.registry` lists them, `python -m models.export` writes them as StableHLO text, `python -m models.check`
runs the tiny ones and checks counts and schedules, `python -m models.table` prints the README's table.
"""
