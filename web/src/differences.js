// Where two plans differ, and what each difference costs.

import { make, place, section, table } from "./dom.js";
import { printBytes, printChange, printTime } from "./units.js";

const change = (print) => (value) =>
  make("span", { class: value > 0 ? "worse" : value < 0 ? "better" : null }, printChange(value, print));

export function drawDifferences(plans, groups) {
  if (!groups?.length) return null;
  const [first, second] = plans;
  return section(
    "differences",
    `From ${first.name} to ${second.name}`,
    table({
      id: "differences-table",
      caption: "Values that differ",
      rows: groups,
      most: 12,
      columns: [
        {
          title: "value",
          get: (row) => row.name,
          look: "name",
          print: (name, row) => make("span", {}, make("code", {}, name), row.count > 1 ? ` ×${row.count}` : ""),
        },
        { title: first.name, get: (row) => row.first, print: (text) => make("code", {}, text), look: "whole" },
        { title: second.name, get: (row) => row.second, print: (text) => make("code", {}, text), look: "whole" },
        { title: "compute", get: (row) => row.compute_ps, print: change(printTime), number: true },
        { title: "communication", get: (row) => row.communication_ps, print: change(printTime), number: true },
        { title: "bytes", get: (row) => row.bytes, print: change(printBytes), number: true },
        { title: "source line", get: (row) => row.loc, print: place },
      ],
      filter: (row) => `${row.name} ${row.first} ${row.second} ${row.loc}`.toLowerCase(),
    }),
  );
}
