// Times, bytes and shares as text, as the command line prints them.

const digits = (value) => (Math.abs(value) < 10 ? 2 : 1);

/** `2.50 ms` of picoseconds. */
export function printTime(ps) {
  if (ps === null || ps === undefined) return "–";
  if (ps === 0) return "0 s";
  for (const [unit, size] of [
    ["s", 1e12],
    ["ms", 1e9],
    ["us", 1e6],
    ["ns", 1e3],
  ])
    if (Math.abs(ps) >= size) return `${(ps / size).toFixed(digits(ps / size))} ${unit}`;
  return `${ps} ps`;
}

/** `41.2 GB`, in powers of ten. */
export function printBytes(bytes) {
  if (bytes === null || bytes === undefined) return "–";
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let scaled = bytes,
    unit = 0;
  for (; Math.abs(scaled) >= 999.95 && unit < units.length - 1; ++unit) scaled /= 1000;
  return unit === 0 ? `${bytes} B` : `${scaled.toFixed(digits(scaled))} ${units[unit]}`;
}

export const printShare = (part, whole) => (whole ? `${((100 * part) / whole).toFixed(1)}%` : "–");

/** A standard deviation in millionths, as it stands behind a figure; rounded up. */
export const printWidth = (ppm) => (ppm ? ` ± ${Math.ceil(ppm / 10_000)}%` : "");

export const printCount = (count) => count.toLocaleString("en-US");

/** A difference with its sign. */
export const printChange = (value, print) => (value === 0 ? "0" : `${value > 0 ? "+" : "−"}${print(Math.abs(value))}`);

/** One unit for all ticks of an axis: a size, and how a value reads in it. */
export function chooseUnit(most, units) {
  const [name, size] = units.find(([, each]) => most >= each) ?? units[units.length - 1];
  return { name, size };
}

export const timeUnits = [
  ["s", 1e12],
  ["ms", 1e9],
  ["us", 1e6],
  ["ns", 1e3],
  ["ps", 1],
];
export const byteUnits = [
  ["TB", 1e12],
  ["GB", 1e9],
  ["MB", 1e6],
  ["kB", 1e3],
  ["B", 1],
];

/** The room that the labels of an axis need, in pixels. */
export const roomFor = (labels) => Math.min(300, 24 + 8 * Math.max(8, ...labels.map((label) => label.length)));

/** `limit 57.1 GB`. One that the chart does not reach says so, in fewer letters where there is little room. */
export const nameLimit = (bytes, isCut, width) =>
  `limit ${printBytes(bytes)}${!isCut ? "" : width < 600 ? ", far off" : ", beyond this chart"}`;
