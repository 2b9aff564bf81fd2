"""Programs of other packages at the sizes that people train and serve, as shapes: no weights are made.

    python -m models.others.full.export FOLDER [--only REGEX] [--list]

writes each as StableHLO text, FOLDER/<name>.mlir, as `partita.plan` would trace it for GPUs.
"""
