"""Control flow, tuples, tokens, barriers, and collectives of a single device."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

import numpy as np

from element_types import EVERYTHING, NUMBERS, small, specials, tensor_type
from op_cases.case import Case, make_case, reducer, simple

Generator = np.random.Generator
SHAPE = (2, 3)


def if_op(random: Generator) -> Iterator[Case]:
    for element in NUMBERS:
        for chosen in (True, False):
            inputs = [np.asarray(chosen), small(random, SHAPE, element), small(random, SHAPE, element)]
            kind = tensor_type(SHAPE, element)
            body = f"""%r:2 = "stablehlo.if"(%a0) ({{
                %s = stablehlo.add %a1, %a2 : {kind}
                stablehlo.return %s, %a1 : {kind}, {kind}
              }}, {{
                %d = stablehlo.subtract %a1, %a2 : {kind}
                stablehlo.return %d, %a2 : {kind}, {kind}
              }}) : (tensor<i1>) -> ({kind}, {kind})"""
            yield make_case("stablehlo.if", body, inputs, [kind, kind], str(chosen), element)


def case_op(random: Generator) -> Iterator[Case]:
    """Indices out of range take the last branch."""
    for element in NUMBERS:
        for index in (-1, 0, 1, 2, 3):
            inputs = [np.asarray(index, np.int32), small(random, SHAPE, element), small(random, SHAPE, element)]
            kind = tensor_type(SHAPE, element)
            branches = ", ".join(
                f"{{ %s = stablehlo.{op} %a1, %a2 : {kind}\n stablehlo.return %s : {kind} }}"
                for op in ("add", "subtract", "multiply")
            )
            body = f'%r = "stablehlo.case"(%a0) ({branches}) : (tensor<i32>) -> {kind}'
            yield make_case("stablehlo.case", body, inputs, [kind], f"branch {index}", element)


def while_op(random: Generator) -> Iterator[Case]:
    for element in EVERYTHING:
        for count in (0, 1, 5):
            kind = tensor_type(SHAPE, element)
            inputs = [np.asarray(count, np.int32), small(random, SHAPE, element), small(random, SHAPE, element)]
            body = f"""%zero = stablehlo.constant dense<0> : tensor<i32>
              %one = stablehlo.constant dense<1> : tensor<i32>
              %r:3 = stablehlo.while(%i = %zero, %x = %a1, %y = %a2) : tensor<i32>, {kind}, {kind}
              cond {{
                %p = stablehlo.compare LT, %i, %a0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
                stablehlo.return %p : tensor<i1>
              }} do {{
                %j = stablehlo.add %i, %one : tensor<i32>
                %s = stablehlo.add %x, %y : {kind}
                stablehlo.return %j, %y, %s : tensor<i32>, {kind}, {kind}
              }}"""
            results = ["tensor<i32>", kind, kind]
            yield make_case("stablehlo.while", body, inputs, results, f"{count} steps", element)


def barrier(random: Generator) -> Iterator[Case]:
    for element in EVERYTHING:
        inputs = [specials(element), small(random, SHAPE, element)]
        body = "%r:2 = stablehlo.optimization_barrier %a0, %a1 : {a0}, {a1}"
        results = [tensor_type(array.shape, element) for array in inputs]
        yield make_case("stablehlo.optimization_barrier", body, inputs, results)


def tuples(random: Generator) -> Iterator[Case]:
    for element in EVERYTHING:
        body = """%t = stablehlo.tuple %a0, %a1 : tuple<{a0}, {a1}>
          %r = stablehlo.get_tuple_element %t[1] : (tuple<{a0}, {a1}>) -> {a1}"""
        inputs = [small(random, (2,), element), specials(element)]
        results = [tensor_type(inputs[1].shape, element)]
        yield make_case("stablehlo.tuple", body, inputs, results, "", element)


def tokens(random: Generator) -> Iterator[Case]:
    body = """%t = stablehlo.create_token : !stablehlo.token
      %u = stablehlo.after_all %t, %t : !stablehlo.token
      %r = stablehlo.negate %a0 : {a0}"""
    array = small(random, SHAPE, "f32")
    yield make_case("stablehlo.after_all", body, [array], [tensor_type(SHAPE, "f32")])


def identifiers(random: Generator) -> Iterator[Case]:
    for op in ("partition_id", "replica_id"):
        yield simple(f"stablehlo.{op}", [], (), "ui32")


GROUPS = "replica_groups = dense<0> : tensor<1x1xi64>"


def collectives(random: Generator) -> Iterator[Case]:
    """A group of one device; more of them are in test_devices.py."""
    for element in ["i8", "i32", "ui64", "bf16", "f32", "f64"]:
        array = small(random, (2, 4), element)
        add = reducer("stablehlo.add", element)
        kind = tensor_type((2, 4), element)
        for op, attributes, region in (
            ("all_gather", "all_gather_dim = 1 : i64, ", ""),
            ("all_reduce", "", add),
            ("reduce_scatter", "scatter_dimension = 1 : i64, ", add),
            ("all_to_all", "split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 1 : i64, ", ""),
            ("collective_broadcast", "", ""),
        ):
            body = f'%r = "stablehlo.{op}"(%a0) <{{{attributes}{GROUPS}}}> {region} : ({{a0}}) -> {kind}'
            case = make_case(f"stablehlo.{op}", body, [array], [kind], "one device")
            # XLA on the CPU does not have this one.
            yield dataclasses.replace(case, expected=(array,)) if op == "collective_broadcast" else case
        body = '%r = "stablehlo.collective_permute"(%a0) <{source_target_pairs = dense<0> : tensor<1x2xi64>}>'
        yield make_case("stablehlo.collective_permute", f"{body} : ({{a0}}) -> {kind}", [array], [kind], "to itself")
        body = '%r = "stablehlo.collective_permute"(%a0) <{source_target_pairs = dense<> : tensor<0x2xi64>}>'
        yield make_case("stablehlo.collective_permute", f"{body} : ({{a0}}) -> {kind}", [array], [kind], "no pairs")


FAMILIES: list[Callable[[Generator], Iterator[Case]]] = [
    if_op, case_op, while_op, barrier, tuples, tokens, identifiers, collectives,
]  # fmt: skip
