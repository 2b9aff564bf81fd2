"""Writes docs/rules.md from the rules themselves: `python scripts/rules_doc.py [--check]`.

Rules, reasons and counts come from validating the instances of test/Rules, so the document cannot say anything that was
not executed; only the explanations of what is missing stand here.
"""

from __future__ import annotations

import argparse
import re
import sys
from typing import Any

import validate_rules
from sources import ROOT

DOCUMENT = ROOT / "docs" / "rules.md"
COUNT, SEED = 100, 1

# Splits that would be right and are not offered, op by op.
MISSING = {
    "chlo.ragged_dot": "Where the ragged dim is a batching one, nobody reads the sizes of the groups: they could be "
    "split, alone or together with what is, and no work would be",
    "stablehlo.convolution": "Spatial dims whose stride, dilations and padding happen to keep windows apart, other "
    "than those of patches, strided kernels of size one and their gradients",
    "stablehlo.pad": "Negative padding that leaves nothing of the operand",
    "stablehlo.reduce_window": "Windows that are padded or dilated just so that each lies in one piece",
    "stablehlo.scatter": "Where indices are promised to be unique and two results have different combiners, of which "
    "one can stand for both (or of unsigned numbers, as maximum): a reduced factor has one combiner",
    "stablehlo.select_and_scatter": "Windows that are padded just so that each lies in one piece",
}

HEAD = """# Rules

The partitioning rule of every op: which factors (loop indices) it has, how they map to the dims of its operands and
results, and so what a mesh axis may split. `partita rules FILE` prints those of a program. This page is written by
`scripts/rules_doc.py` from the rules themselves; do not edit it.

A rule reads like an einsum: `([a,k],[k,b])->([a,b]) reduce(add)={k}`. `(ab)` is a dim made of two factors, major to
minor; `_` a dim of size one or one that nothing may split. Factors that stand in no group are *parallel*: each device
computes its piece of the result. *reduce* factors give partial results that are combined over the devices with the op
named. *replicate* factors are never split. *window* factors need elements of their neighbours in a way
that no exchange is built for, and are not split. Some ops talk to other devices by themselves: *halo(2,0)* says that a
piece takes two rows from the pieces before it and none from those behind, *moved(16)* that row i of the result is row
i + 16 of the operands, one behind the other, and comes from the device that has it, *reversed* that devices swap their
pieces, *prefix* that a piece is combined with the totals of all before it (or behind it), of which devices gather one
row each, and *fold* that partial results are gathered and combined by the op itself, so that all devices have its
result.

What a device computes for a split is defined once, next to the rule (`partita/Program/Rules`): lowering emits it, and
`make rules` executes it. Each instance of an op is evaluated as a whole and in parts, over meshes of 2, 3, 4, 2x2, 2x3,
2x4 and 2x2x2 devices, every factor and set of factors; the parts put together must be the whole, bit by bit, on inputs
that are exact in any order, on special ones (infinities, NaNs, zeros of both signs, extreme integers, indices out of
range), and in exact mode. Three things do not count: which NaN a computation gives, the sign of a zero that is a sum,
and, where a convolution has a halo, what zeros beyond the ends give with infinities and NaNs of the kernel.
"""

TABLE = """
| op | example of a rule | not split, and why | instances | splits validated |
| --- | --- | --- | --: | --: |
"""

FRAME = """
## Custom calls

A call is split by what is known of its target: batch dims of LAPACK kinds (`lapack_*_ffi`, `cusolver_*_ffi`,
`hipsolver_*_ffi`, `Qr`, `Eigh` and the like, or any target with `num_batch_dims`), every dim of annotations, attention
kernels as below. The user's rules come first, `--rule TARGET='([b,i])->([b,i]) flops=1024'`, then the table of kernels,
then an `sdy.sharding_rule` on the op. Kernels that are compiled for their shapes (`tpu_custom_call`, `mosaic_gpu*`,
`__gpu$xla.gpu.triton*`, `triton_kernel_call*`, `__cudnn$*`) are split only where the table says how, and a rule for one
is refused (exit code 69). Unknown targets are kept whole, counted and reported. The evaluator has no LAPACK; the tests
execute batches and their pieces with XLA instead.

**Attention kernels** (`partita/Program/Rules/KernelCalls.h`) are split over batch and heads; the heads of the queries
are split with those of the keys. The sizes in their configuration become those of the pieces. They cost 2 B N p (D + V)
flops forward (p pairs of queries and keys: T S, half of that under a causal mask, T w in a window of w keys), 2.5 times
as many backward, at the machine's rate of products, and the traffic of their operands and results.

- `__cudnn$fmha*` (`jax.nn.dot_product_attention` with `implementation="cudnn"`): batch and heads. With dropout, fp8 and
  packed sequences all is whole; so is the batch, or the heads, where a bias lacks it and its gradient is used.
- `te_fused_attn_forward_ffi`, `te_fused_attn_backward_ffi` (Transformer Engine): heads, of separate operands without
  bias and dropout. The batch is whole: lengths are summed up through it.
- `tpu_custom_call`: all is whole. Its price is the `cost_estimate` of its author, or that of splash attention by its
  name.

**Flops** of other calls are those of their rule (`flops=N`, for the whole call) or of the frontend attribute
`partita_flops`; calls of LAPACK and cuSOLVER (`cholesky`, `lu`, `qr`, `eigh`, `svd`) are priced as what they compute
([cost.md](cost.md)), annotations by their traffic. Calls without any have *no price*: their traffic is counted, reports
begin with them, time and memory are lower limits, and the exit code is 12.

## Ops without a rule of their own

`stablehlo.while`, `stablehlo.case`, `stablehlo.if` and `sdy.manual_computation` are taken apart: their values are
cells, their bodies' ops have rules; `stablehlo.return` and `sdy.return` end such bodies. `func.call` and
`sdy.named_computation` are inlined, `stablehlo.composite` too unless its name starts with `partita.kernel.`: then it
has the rule that it states. `stablehlo.tuple` and `stablehlo.get_tuple_element` do not survive import.
`sdy.data_flow_edge` and `sdy.func_data_flow_edge` are identities of every dim, like those in the table;
`sdy.sharding_group` takes any split and gives nothing; `sdy.mesh` is no computation.

Dynamic ops (`stablehlo.dynamic_reshape`, `stablehlo.dynamic_iota`, `stablehlo.dynamic_gather`,
`stablehlo.dynamic_conv`, `stablehlo.dynamic_pad`, `stablehlo.dynamic_broadcast_in_dim`,
`stablehlo.real_dynamic_slice`, `stablehlo.set_dimension_size`, `chlo.dynamic_reshape`) are refused unless their shapes
are constant. Quantized values are not executed: `stablehlo.uniform_quantize` and `stablehlo.uniform_dequantize` are
elementwise, sums of quantized results stay whole.

Collectives that the program brings along stay as they are over the axes they use. In a manual computation that is all
that is said of them. Outside of one, all devices run the program in lock step on the same arguments: the collectives in
the table are kept on whole values, and `stablehlo.partition_id` and what they make of it, or leave each device a part
of, stay whole too, until all devices have one value again. Of these `partita plan` refuses (exit code 69) what has then
no meaning: a result that depends on the device, groups of replicas (an op without a channel, or with one but without
`use_global_device_ids`), groups that do not cover the mesh. Outside of manual computations it refuses also
`stablehlo.replica_id`, `stablehlo.cross-replica-sum`, `stablehlo.async_start`, `stablehlo.async_done`, and the sums of
a program that is partitioned already: `sdy.all_reduce`, `sdy.reduce_scatter`, `sdy.replicated_to_unreduced`,
`sdy.sharded_to_unreduced`. Shardy's ops that only move a value, `sdy.all_gather`, `sdy.all_slice`, `sdy.all_to_all` and
`sdy.collective_permute`, are read as `sdy.reshard` to the sharding that they name.
"""


def escape(text: str) -> str:
    return text.replace("|", "\\|")


def richest(rules: list[str]) -> str:
    """An example that shows much: the one with the most factors, then the shortest."""
    return min(rules, key=lambda rule: (-len(set(re.findall(r"[a-z]", rule.split(" ")[0]))), len(rule), rule))


def row(op: str, t: validate_rules.Tally) -> str:
    whole = "; ".join(t.whole)
    return f"| `{op}` | `{escape(richest(t.rules))}` | {escape(whole)} | {t.instances} | {t.splits} |\n"


def whole_reports() -> list[dict[str, Any]]:
    """Of the ops that are not generated; those with a batch that no evaluator runs count as not validated."""
    reports = validate_rules.validate_file(ROOT / "test" / "Rules" / "Inputs" / "whole.mlir")
    return [r for r in reports if r["function"].startswith(r["op"].replace(".", "_"))]


def build() -> str:
    generated = validate_rules.tally(validate_rules.validate_grammar(validate_rules.OPS, COUNT, SEED))
    text = HEAD + TABLE + "".join(row(op, t) for op, t in generated.items())
    text += "\n## Not executed one by one\n\n| op | example of a rule | not split, and why |\n| --- | --- | --- |\n"
    for report in whole_reports():
        text += f"| `{report['op']}` | `{report['rule']}` | {escape(report['whole'])} |\n"
    text += FRAME + "\n## Splits that are missing\n\nRight, found by trying, and not offered:\n\n"
    for op, t in generated.items():
        if t.missing:
            text += f"- `{op}`: {len(t.missing)} of {t.instances} instances. {MISSING.get(op, 'Not explained')}.\n"
    return text


def is_current() -> bool:
    return DOCUMENT.is_file() and DOCUMENT.read_text() == build()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="do not write; exit code 1 if the document is out of date")
    if parser.parse_args().check:
        return 0 if is_current() else 1
    DOCUMENT.write_text(build())
    return 0


if __name__ == "__main__":
    sys.exit(main())
