// How arguments are split: a PartitionSpec for each, and its bytes on a device.

import { make, section, table } from "./dom.js";
import { printBytes } from "./units.js";

/** Rows of all plans by name: the first plan's with the others' specs beside it. */
function join(plans) {
  const rows = new Map();
  plans.forEach((plan, side) => {
    for (const entry of plan.specs) {
      const key = `${entry.name} ${entry.type}`;
      if (!rows.has(key)) rows.set(key, { ...entry, specs: [], sizes: [] });
      rows.get(key).specs[side] = entry.spec;
      rows.get(key).sizes[side] = entry.bytes;
    }
  });
  return [...rows.values()];
}

const isEqual = (row, count) => row.specs.length === count && row.specs.every((spec) => spec === row.specs[0]);

export function drawSpecs(plans) {
  let rows = join(plans);
  if (!rows.length) return null;
  const isCompared = plans.length > 1;
  const columns = [
    {
      title: "name",
      get: (row) => row.name,
      look: "name",
      print: (name, row) => make("span", {}, make("code", {}, name), row.count > 1 ? ` ×${row.count}` : ""),
    },
    { title: "kind", get: (row) => row.kind.replaceAll("_", " "), look: "kind" },
    { title: "type", get: (row) => row.type, print: (type) => make("code", {}, type), look: "whole" },
    ...plans.map((plan, side) => ({
      title: isCompared ? `PartitionSpec (${plan.name})` : "PartitionSpec",
      get: (row) => row.specs[side] ?? "–",
      print: (spec, row) =>
        make(
          "span",
          {},
          make("code", { class: "spec" }, spec),
          isCompared ? make("span", { class: "piece" }, printBytes(row.sizes[side] ?? 0)) : null,
        ),
    })),
    // Beside other plans there is no room for one more column each: the bytes stand below the spec.
    isCompared
      ? null
      : { title: "bytes on a device", get: (row) => row.sizes[0] ?? 0, print: printBytes, number: true },
    { title: "whole", get: (row) => row.whole_bytes, print: printBytes, number: true },
  ].filter(Boolean);
  const filter = (row) => `${row.name} ${row.kind} ${row.type} ${row.specs.join(" ")}`.toLowerCase();
  const build = (shown) =>
    table({
      id: "specs-table",
      caption: "Arguments and results",
      rows: shown,
      columns,
      filter,
      sortBy: 3 + plans.length,
    });
  const holder = make("div", {}, build(rows));
  const toggle = isCompared
    ? make(
        "label",
        { class: "toggle" },
        make("input", {
          type: "checkbox",
          id: "specs-differ",
          change: (event) =>
            holder.replaceChildren(
              build(event.target.checked ? rows.filter((row) => !isEqual(row, plans.length)) : rows),
            ),
        }),
        " only those that differ",
      )
    : null;
  return section("specs", "How arguments are split", toggle, holder);
}
