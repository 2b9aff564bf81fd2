"""Local programs that are almost right, and where a checker that reasons about values may be led astray.

Equal elements, sums of which nobody knows over which devices they are taken, zeros that are written into, groups that
hold the same or do not: each case is right as it stands, and each of its changes gives another value.
"""

from __future__ import annotations

from local_programs import DATA, MODEL, Case, channel, dense, manual, reduce_over

GATHER = (
    '"stablehlo.all_gather"({source}) {{{{all_gather_dim = {dim} : i64, replica_groups = {groups}, {channel}, '
    "use_global_device_ids}}}} : {types}"
)


def gather(source: str, dim: int, groups: str, types: str) -> str:
    return GATHER.format(source=source, dim=dim, groups=dense(groups), channel=channel(9), types=types).format()


def total(source: str, type_: str, result: str, dim: int = 0) -> str:
    """The sum over one dim, from `%zero`."""
    types = f"(tensor<{type_}>, tensor<f32>) -> tensor<{result}>"
    return f"stablehlo.reduce({source} init: %zero) applies stablehlo.add across dimensions = [{dim}] : {types}"


def function(signature: str, results: str, body: str, returns: str) -> str:
    return f"func.func @main({signature}) -> ({results}) {{\n{body}\n  return {returns} : {results}\n}}\n"


ZERO = "    %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
# The device's index along an axis: `divide` for data, `remainder` for model.
PLACE = """    %id = stablehlo.partition_id : tensor<ui32>
    %number = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %place = stablehlo.divide %number, %two : tensor<i32>
    %four = stablehlo.constant dense<4> : tensor<i32>
    %offset = stablehlo.multiply %place, %four : tensor<i32>
"""

SUMS = f"""{ZERO}    %few = stablehlo.constant dense<1.0> : tensor<4xf32>
    %many = stablehlo.constant dense<1.0> : tensor<8xf32>
    %1 = {total("%few", "4xf32", "f32")}
    %2 = {total("%many", "8xf32", "f32")}"""

SUMS_OF_ONES = Case(
    function(
        "%x: tensor<4xf32>",
        "tensor<4xf32>, tensor<f32>, tensor<f32>",
        f"    %0 = stablehlo.negate %x : tensor<4xf32>\n{SUMS}",
        "%0, %1, %2",
    ),
    manual(
        "%x: tensor<4xf32>",
        "%x",
        '{"data"}',
        '{"data"} |  | ',
        f"(%a: tensor<2xf32>) {{\n    %0 = stablehlo.negate %a : tensor<2xf32>\n{SUMS}",
        "%0, %1, %2 : tensor<2xf32>, tensor<f32>, tensor<f32>",
        "tensor<4xf32>, tensor<f32>, tensor<f32>",
    ),
    {"four for eight": ("sdy.return %0, %1, %2", "sdy.return %0, %1, %1"), "swapped": ("%1, %2 :", "%2, %1 :")},
)

ENDS = """    %few = stablehlo.constant dense<1.0> : tensor<2xf32>
    %many = stablehlo.constant dense<1.0> : tensor<6xf32>
    %1 = stablehlo.concatenate %few, %0, %many, dim = 0
      : (tensor<2xf32>, tensor<4xf32>, tensor<6xf32>) -> tensor<12xf32>"""

ENDS_OF_ONES = Case(
    function(
        "%x: tensor<4xf32>", "tensor<12xf32>", f"    %0 = stablehlo.negate %x : tensor<4xf32>\n{ENDS}", "%1"
    ).replace(
        "  return %1 :",
        """    %2 = stablehlo.concatenate %many, %0, %few, dim = 0
      : (tensor<6xf32>, tensor<4xf32>, tensor<2xf32>) -> tensor<12xf32>
    %3 = stablehlo.subtract %1, %2 : tensor<12xf32>
  return %3 :""",
    ),
    manual(
        "%x: tensor<4xf32>",
        "%x",
        '{"data"}',
        "{}",
        f"""(%a: tensor<2xf32>) {{
    %part = stablehlo.negate %a : tensor<2xf32>
    %0 = {gather("%part", 0, DATA, "(tensor<2xf32>) -> tensor<4xf32>")}
{ENDS}
    %2 = stablehlo.concatenate %many, %0, %few, dim = 0
      : (tensor<6xf32>, tensor<4xf32>, tensor<2xf32>) -> tensor<12xf32>
    %3 = stablehlo.subtract %1, %2 : tensor<12xf32>""",
        "%3 : tensor<12xf32>",
        "tensor<12xf32>",
    ),
    {
        "the same end twice": ("subtract %1, %2", "subtract %1, %1"),
        "the other end": ("subtract %1, %2", "subtract %2, %1"),
    },
)

UPDATES = """    %zero = stablehlo.constant dense<0> : tensor<i32>
    %few = stablehlo.constant dense<1.0> : tensor<2xf32>
    %many = stablehlo.constant dense<1.0> : tensor<4xf32>
    %1 = stablehlo.dynamic_update_slice %0, %few, %zero : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
    %2 = stablehlo.dynamic_update_slice %0, %many, %zero : (tensor<8xf32>, tensor<4xf32>, tensor<i32>) -> tensor<8xf32>
    %3 = stablehlo.divide %1, %2 : tensor<8xf32>"""

UPDATES_OF_ONES = Case(
    function("%x: tensor<8xf32>", "tensor<8xf32>", f"    %0 = stablehlo.negate %x : tensor<8xf32>\n{UPDATES}", "%3"),
    manual(
        "%x: tensor<8xf32>",
        "%x",
        '{"data"}',
        "{}",
        f"""(%a: tensor<4xf32>) {{
    %part = stablehlo.negate %a : tensor<4xf32>
    %0 = {gather("%part", 0, DATA, "(tensor<4xf32>) -> tensor<8xf32>")}
{UPDATES}""",
        "%3 : tensor<8xf32>",
        "tensor<8xf32>",
    ),
    {"more ones for fewer": ("divide %1, %2", "divide %2, %2"), "swapped": ("divide %1, %2", "divide %2, %1")},
)

REPEATED = """    %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<4xf32>) -> tensor<2x4x6xf32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<4xf32>) -> tensor<6x4x2xf32>
    %3 = stablehlo.reshape %1 : (tensor<2x4x6xf32>) -> tensor<48xf32>
    %4 = stablehlo.reshape %2 : (tensor<6x4x2xf32>) -> tensor<48xf32>
    %5 = stablehlo.divide %3, %4 : tensor<48xf32>"""

RESHAPED_REPEATS = Case(
    function("%x: tensor<4xf32>", "tensor<48xf32>", f"    %0 = stablehlo.negate %x : tensor<4xf32>\n{REPEATED}", "%5"),
    manual(
        "%x: tensor<4xf32>",
        "%x",
        '{"data"}',
        "{}",
        f"""(%a: tensor<2xf32>) {{
    %part = stablehlo.negate %a : tensor<2xf32>
    %0 = {gather("%part", 0, DATA, "(tensor<2xf32>) -> tensor<4xf32>")}
{REPEATED}""",
        "%5 : tensor<48xf32>",
        "tensor<48xf32>",
    ),
    {"the other repeats": ("divide %3, %4", "divide %4, %4"), "swapped": ("divide %3, %4", "divide %4, %3")},
)

# The sum of ones is partial over any axis, that of x over data alone: so is what is made of both.
MIXED_SUMS = Case(
    function(
        "%x: tensor<4x3xf32>",
        "tensor<3xf32>",
        f"""{ZERO}    %ones = stablehlo.constant dense<1.0> : tensor<4x3xf32>
    %1 = {total("%ones", "4x3xf32", "3xf32")}
    %2 = {total("%x", "4x3xf32", "3xf32")}
    %3 = stablehlo.add %1, %2 : tensor<3xf32>""",
        "%3",
    ),
    manual(
        "%x: tensor<4x3xf32>",
        "%x",
        '{"data"}, {}',
        "{}",
        f"""(%a: tensor<2x3xf32>) {{
{ZERO}    %ones = stablehlo.constant dense<1.0> : tensor<2x3xf32>
    %1 = {total("%ones", "2x3xf32", "3xf32")}
    %2 = {total("%a", "2x3xf32", "3xf32")}
    %3 = stablehlo.add %1, %2 : tensor<3xf32>
    %4 = {reduce_over(DATA, "%3", "tensor<3xf32>")}""",
        "%4 : tensor<3xf32>",
        "tensor<3xf32>",
    ),
    {"reduced over the other axis": (dense(DATA), dense(MODEL))},
    split_ops=2,
)

BRANCHES = """%{name} = "stablehlo.if"(%{p}) ({{
      stablehlo.return %1 : tensor<3xf32>
    }}, {{
      stablehlo.return %2 : tensor<3xf32>
    }}) : (tensor<i1>) -> tensor<3xf32>"""

MIXED_BRANCHES = Case(
    function(
        "%x: tensor<4x3xf32>, %which: tensor<i1>",
        "tensor<3xf32>",
        f"""{ZERO}    %ones = stablehlo.constant dense<1.0> : tensor<4x3xf32>
    %1 = {total("%ones", "4x3xf32", "3xf32")}
    %2 = {total("%x", "4x3xf32", "3xf32")}
    {BRANCHES.format(name="3", p="which")}""",
        "%3",
    ),
    manual(
        "%x: tensor<4x3xf32>, %which: tensor<i1>",
        "%x, %which",
        '{"data"}, {} | ',
        "{}",
        f"""(%a: tensor<2x3xf32>, %b: tensor<i1>) {{
{ZERO}    %ones = stablehlo.constant dense<1.0> : tensor<2x3xf32>
    %1 = {total("%ones", "2x3xf32", "3xf32")}
    %2 = {total("%a", "2x3xf32", "3xf32")}
    {BRANCHES.format(name="3", p="b")}
    %4 = {reduce_over(DATA, "%3", "tensor<3xf32>")}""",
        "%4 : tensor<3xf32>",
        "tensor<3xf32>",
    ),
    {"reduced over the other axis": (dense(DATA), dense(MODEL))},
    split_ops=2,
)

# Each device repeats its rows half as often; those who share rows may add up, others not.
SUMMED_REPEATS = Case(
    function(
        "%x: tensor<4xf32>",
        "tensor<4xf32>",
        f"""{ZERO}    %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
    %1 = {total("%0", "4x6xf32", "4xf32", 1)}""",
        "%1",
    ),
    manual(
        "%x: tensor<4xf32>",
        "%x",
        '{"data"}',
        '{"data"}',
        f"""(%a: tensor<2xf32>) {{
{ZERO}    %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
    %1 = {total("%0", "2x3xf32", "2xf32", 1)}
    %2 = {reduce_over(MODEL, "%1", "tensor<2xf32>")}""",
        "%2 : tensor<2xf32>",
        "tensor<4xf32>",
    ),
    {"rows of others": (dense(MODEL), dense(DATA)), "not at all": ("return %2", "return %1")},
    split_ops=3,
)

GATHERED_REPEATS = Case(
    function(
        "%x: tensor<4xf32>",
        "tensor<4x6xf32>",
        "    %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>",
        "%0",
    ),
    manual(
        "%x: tensor<4xf32>",
        "%x",
        '{"data"}',
        '{"data"}, {}',
        f"""(%a: tensor<2xf32>) {{
    %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<2xf32>) -> tensor<2x3xf32>
    %1 = {gather("%0", 1, MODEL, "(tensor<2x3xf32>) -> tensor<2x6xf32>")}""",
        "%1 : tensor<2x6xf32>",
        "tensor<4x6xf32>",
    ),
    {"repeats of other rows": (dense(MODEL), dense(DATA))},
    split_ops=2,
)

SCATTER = """"stablehlo.scatter"(%zeros, %a, %b) ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %s = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
          scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
      : (tensor<8xf32>, tensor<8x1xi32>, tensor<8xf32>) -> tensor<8xf32>"""

# Zeros are all equal; what was written into them is not.
WRITTEN_ZEROS = Case(
    function(
        "%a: tensor<8x1xi32>, %b: tensor<8xf32>",
        "tensor<8xf32>",
        f"    %zeros = stablehlo.constant dense<0.0> : tensor<8xf32>\n    %0 = {SCATTER}",
        "%0",
    ),
    manual(
        "%i: tensor<8x1xi32>, %u: tensor<8xf32>",
        "%i, %u",
        "{}, {} | {}",
        '{"data"}',
        f"""(%a: tensor<8x1xi32>, %b: tensor<8xf32>) {{
    %zeros = stablehlo.constant dense<0.0> : tensor<8xf32>
    %0 = {SCATTER}
{PLACE}    %1 = stablehlo.dynamic_slice %0, %offset, sizes = [4] : (tensor<8xf32>, tensor<i32>) -> tensor<4xf32>""",
        "%1 : tensor<4xf32>",
        "tensor<8xf32>",
    ),
    {"piece of another device": ("divide %number", "remainder %number")},
)

UPDATED_ZEROS = Case(
    function(
        "%u: tensor<2xf32>, %i: tensor<i32>",
        "tensor<8xf32>",
        """    %zeros = stablehlo.constant dense<0.0> : tensor<8xf32>
    %0 = stablehlo.dynamic_update_slice %zeros, %u, %i
      : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>""",
        "%0",
    ),
    manual(
        "%u: tensor<2xf32>, %i: tensor<i32>",
        "%u, %i",
        "{} | ",
        '{"data"}',
        f"""(%a: tensor<2xf32>, %b: tensor<i32>) {{
    %zeros = stablehlo.constant dense<0.0> : tensor<8xf32>
    %0 = stablehlo.dynamic_update_slice %zeros, %a, %b : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
{PLACE}    %1 = stablehlo.dynamic_slice %0, %offset, sizes = [4] : (tensor<8xf32>, tensor<i32>) -> tensor<4xf32>""",
        "%1 : tensor<4xf32>",
        "tensor<8xf32>",
    ),
    {"piece of another device": ("divide %number", "remainder %number")},
)

# The offset of the last of four devices is 192, which i8 does not have.
NARROW_OFFSETS = Case(
    function("%x: tensor<256xf32>", "tensor<256xf32>", "    %0 = stablehlo.negate %x : tensor<256xf32>", "%0"),
    manual(
        "%x: tensor<256xf32>",
        "%x",
        "{}",
        '{"data", "model"}',
        """(%a: tensor<256xf32>) {
    %id = stablehlo.partition_id : tensor<ui32>
    %number = stablehlo.convert %id : (tensor<ui32>) -> tensor<i16>
    %size = stablehlo.constant dense<64> : tensor<i16>
    %offset = stablehlo.multiply %number, %size : tensor<i16>
    %piece = stablehlo.dynamic_slice %a, %offset, sizes = [64] : (tensor<256xf32>, tensor<i16>) -> tensor<64xf32>
    %0 = stablehlo.negate %piece : tensor<64xf32>""",
        "%0 : tensor<64xf32>",
        "tensor<256xf32>",
    ),
    {"offsets that overflow": ("i16", "i8")},
    split_ops=2,
)

# Pieces that stay where they are; a chunk of each that goes to each other device is not the same.
STAYING = Case(
    function("%x: tensor<8xf32>", "tensor<8xf32>", "    %0 = stablehlo.sine %x : tensor<8xf32>", "%0"),
    manual(
        "%x: tensor<8xf32>",
        "%x",
        '{"data"}',
        '{"data"}',
        """(%a: tensor<4xf32>) {
    %0 = stablehlo.sine %a : tensor<4xf32>
    %1 = stablehlo.optimization_barrier %0 : tensor<4xf32>""",
        "%1 : tensor<4xf32>",
        "tensor<8xf32>",
    ),
    {
        "chunks exchanged in place": (
            "stablehlo.optimization_barrier %0 : tensor<4xf32>",
            f""""stablehlo.all_to_all"(%0) {{split_dimension = 0 : i64, concat_dimension = 0 : i64,
        split_count = 2 : i64, replica_groups = {dense(DATA)}, {channel(1)}}} : (tensor<4xf32>) -> tensor<4xf32>""",
        ),
    },
    split_ops=2,
)

# A sum of bytes wraps; taken in wider integers it does not.
WIDE_SUMS = Case(
    function(
        "%x: tensor<4x8xi8>, %w: tensor<8xi8>",
        "tensor<4xi32>",
        """    %large = stablehlo.constant dense<64> : tensor<4x8xi8>
    %scaled = stablehlo.multiply %x, %large : tensor<4x8xi8>
    %0 = stablehlo.dot_general %scaled, %w, contracting_dims = [1] x [0]
      : (tensor<4x8xi8>, tensor<8xi8>) -> tensor<4xi8>
    %1 = stablehlo.convert %0 : (tensor<4xi8>) -> tensor<4xi32>""",
        "%1",
    ),
    manual(
        "%x: tensor<4x8xi8>, %w: tensor<8xi8>",
        "%x, %w",
        '{}, {"data"} | {"data"}',
        "{}",
        f"""(%a: tensor<4x4xi8>, %b: tensor<4xi8>) {{
    %large = stablehlo.constant dense<64> : tensor<4x4xi8>
    %scaled = stablehlo.multiply %a, %large : tensor<4x4xi8>
    %0 = stablehlo.dot_general %scaled, %b, contracting_dims = [1] x [0]
      : (tensor<4x4xi8>, tensor<4xi8>) -> tensor<4xi8>
    %1 = {reduce_over(DATA, "%0", "tensor<4xi8>", element="i8")}
    %2 = stablehlo.convert %1 : (tensor<4xi8>) -> tensor<4xi32>""",
        "%2 : tensor<4xi32>",
        "tensor<4xi32>",
    ),
    {
        "converted before the sum": (
            f"""%1 = {reduce_over(DATA, "%0", "tensor<4xi8>", element="i8")}
    %2 = stablehlo.convert %1 : (tensor<4xi8>) -> tensor<4xi32>""",
            f"""%1 = stablehlo.convert %0 : (tensor<4xi8>) -> tensor<4xi32>
    %2 = {reduce_over(DATA, "%1", "tensor<4xi32>", element="i32")}""",
        ),
    },
    split_ops=2,
)

WIDE_REDUCE = """"stablehlo.reduce"({source}, %none) ({{
      ^bb0(%p: tensor<i32>, %q: tensor<i32>):
        %s = stablehlo.add %p, %q : tensor<i32>
        stablehlo.return %s : tensor<i32>
      }}) {{dimensions = array<i64: 1>}} : (tensor<4x6xi8>, tensor<i32>) -> tensor<4xi32>"""

WIDE_REDUCTION = Case(
    function(
        "%x: tensor<4x8xi8>, %w: tensor<8x6xi8>",
        "tensor<4xi32>",
        f"""    %large = stablehlo.constant dense<64> : tensor<4x8xi8>
    %scaled = stablehlo.multiply %x, %large : tensor<4x8xi8>
    %0 = stablehlo.dot_general %scaled, %w, contracting_dims = [1] x [0]
      : (tensor<4x8xi8>, tensor<8x6xi8>) -> tensor<4x6xi8>
    %none = stablehlo.constant dense<0> : tensor<i32>
    %1 = {WIDE_REDUCE.format(source="%0")}""",
        "%1",
    ),
    manual(
        "%x: tensor<4x8xi8>, %w: tensor<8x6xi8>",
        "%x, %w",
        '{}, {"data"} | {"data"}, {}',
        "{}",
        f"""(%a: tensor<4x4xi8>, %b: tensor<4x6xi8>) {{
    %large = stablehlo.constant dense<64> : tensor<4x4xi8>
    %scaled = stablehlo.multiply %a, %large : tensor<4x4xi8>
    %0 = stablehlo.dot_general %scaled, %b, contracting_dims = [1] x [0]
      : (tensor<4x4xi8>, tensor<4x6xi8>) -> tensor<4x6xi8>
    %none = stablehlo.constant dense<0> : tensor<i32>
    %1 = {reduce_over(DATA, "%0", "tensor<4x6xi8>", element="i8")}
    %2 = {WIDE_REDUCE.format(source="%1")}""",
        "%2 : tensor<4xi32>",
        "tensor<4xi32>",
    ),
    {
        "summed up in wider integers first": (
            f"""%1 = {reduce_over(DATA, "%0", "tensor<4x6xi8>", element="i8")}
    %2 = {WIDE_REDUCE.format(source="%1")}""",
            f"""%1 = {WIDE_REDUCE.format(source="%0")}
    %2 = {reduce_over(DATA, "%1", "tensor<4xi32>", element="i32")}""",
        ),
    },
    split_ops=2,
)

# A sum of no elements is zero on every device, so that it may be reduced or not.
EMPTY_SUMS = Case(
    function(
        "%x: tensor<8x4xf32>, %w: tensor<4x0xf32>, %y: tensor<8xf32>",
        "tensor<8xf32>, tensor<8x4xf32>",
        f"""{ZERO}    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<8x4xf32>, tensor<4x0xf32>) -> tensor<8x0xf32>
    %1 = {total("%0", "8x0xf32", "8xf32", 1)}
    %2 = stablehlo.add %1, %y : tensor<8xf32>
    %3 = stablehlo.negate %x : tensor<8x4xf32>""",
        "%2, %3",
    ),
    manual(
        "%x: tensor<8x4xf32>, %w: tensor<4x0xf32>, %y: tensor<8xf32>",
        "%x, %w, %y",
        '{}, {"data"} | {"data"}, {} | {}',
        '{} | {}, {"data"}',
        f"""(%a: tensor<8x2xf32>, %b: tensor<2x0xf32>, %c: tensor<8xf32>) {{
{ZERO}    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<8x2xf32>, tensor<2x0xf32>) -> tensor<8x0xf32>
    %1 = {total("%0", "8x0xf32", "8xf32", 1)}
    %2 = {reduce_over(DATA, "%1", "tensor<8xf32>")}
    %3 = stablehlo.add %2, %c : tensor<8xf32>
    %4 = stablehlo.negate %a : tensor<8x2xf32>""",
        "%3, %4 : tensor<8xf32>, tensor<8x2xf32>",
        "tensor<8xf32>, tensor<8x4xf32>",
    ),
    {
        "what is whole summed up too": (
            f"""%2 = {reduce_over(DATA, "%1", "tensor<8xf32>")}
    %3 = stablehlo.add %2, %c : tensor<8xf32>""",
            f"""%2 = stablehlo.add %1, %c : tensor<8xf32>
    %3 = {reduce_over(DATA, "%2", "tensor<8xf32>")}""",
        ),
    },
)

# An update without elements is not done at all.
EMPTY_UPDATE = Case(
    function(
        "%x: tensor<8x2xf32>, %u: tensor<8x0xf32>, %i: tensor<i32>",
        "tensor<8x2xf32>",
        """    %0 = stablehlo.negate %x : tensor<8x2xf32>
    %1 = stablehlo.dynamic_update_slice %0, %u, %i, %i
      : (tensor<8x2xf32>, tensor<8x0xf32>, tensor<i32>, tensor<i32>) -> tensor<8x2xf32>""",
        "%1",
    ),
    manual(
        "%x: tensor<8x2xf32>, %u: tensor<8x0xf32>, %i: tensor<i32>",
        "%x, %u, %i",
        '{"data"}, {} | {}, {} | ',
        '{"data"}, {}',
        """(%a: tensor<4x2xf32>, %b: tensor<8x0xf32>, %c: tensor<i32>) {
    %0 = stablehlo.negate %a : tensor<4x2xf32>""",
        "%0 : tensor<4x2xf32>",
        "tensor<8x2xf32>",
    ),
    {"what was before": ("return %0", "return %a")},
)

TRICKY = {
    "sums of ones": SUMS_OF_ONES,
    "ends of ones": ENDS_OF_ONES,
    "updates of ones": UPDATES_OF_ONES,
    "reshaped repeats": RESHAPED_REPEATS,
    "mixed sums": MIXED_SUMS,
    "mixed branches": MIXED_BRANCHES,
    "summed repeats": SUMMED_REPEATS,
    "gathered repeats": GATHERED_REPEATS,
    "written zeros": WRITTEN_ZEROS,
    "updated zeros": UPDATED_ZEROS,
    "narrow offsets": NARROW_OFFSETS,
    "staying": STAYING,
    "wide sums": WIDE_SUMS,
    "wide reduction": WIDE_REDUCTION,
    "empty sums": EMPTY_SUMS,
    "empty update": EMPTY_UPDATE,
}
