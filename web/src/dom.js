// Elements, tables and sections.

/** An element: `make("td", {class: "number"}, "1")`. Attributes that are functions listen; null ones are left out. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** A part of the page with its heading. */
export function section(id, title, ...children) {
  return make(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    make("h2", { id: `${id}-title` }, title),
    ...children,
  );
}

/** Gives parts of a drawing that have a name a role, too, as names alone mean nothing there. */
export function addRoles(drawing) {
  for (const part of drawing.querySelectorAll("[aria-label]"))
    part.setAttribute("role", part.tagName === "g" ? "group" : "img");
  return drawing;
}

/** A chart with a sentence that says what it shows. */
export function figure(label, chart, note) {
  chart.setAttribute("role", "img");
  chart.setAttribute("aria-label", label);
  addRoles(chart);
  return make("figure", {}, chart, note ? make("figcaption", {}, note) : null);
}

const mostPrinted = 500;

const collapse = (text) => text.replace(/\[\d+(?:(?::|, )\d+)+(?:, \.\.\.)?\]/g, "[*]").replace(/\d+/g, "*");

/** A row may stand for names that differ in numbers, which it has as `*` or `[0:24]`: any of them finds it. */
function hasAll(text, words) {
  const collapsed = collapse(text);
  return words.every((word) => text.includes(word) || collapsed.includes(collapse(word)));
}

/** Numbers begin with the largest. */
const fallsFirst = ({ number, ascending }) => Boolean(number && !ascending);

/**
 * A table. A column is {title, get, print, number, look}: `get` gives the value of a row, by which it is sorted, `print`
 * what the cell shows, `look` its class. With `filter`, which gives the text of a row, a field above the table leaves the
 * rows in whose text all its words are.
 */
export function table({ id, columns, rows, filter, sortBy, most = 25, caption }) {
  const state = { by: sortBy ?? null, turned: false, words: [], most };
  const body = make("tbody");
  const count = make("p", { class: "count", "aria-live": "polite" });
  const headers = columns.map((column, index) => {
    const sort = () => {
      const turned = state.by === index ? !state.turned : false;
      Object.assign(state, { by: index, turned });
      show();
    };
    return make(
      "th",
      { scope: "col", class: column.number ? "number" : null },
      make("button", { type: "button", click: sort }, column.title),
    );
  });
  const more = make("button", {
    type: "button",
    class: "more",
    click: () => {
      state.most = Infinity;
      show();
    },
  });

  function order(list) {
    if (state.by === null) return list;
    const { get, number } = columns[state.by];
    const sign = fallsFirst(columns[state.by]) === !state.turned ? -1 : 1;
    return [...list].sort((a, b) => {
      const [x, y] = [get(a), get(b)];
      return sign * (number ? x - y : String(x).localeCompare(String(y), "en"));
    });
  }

  function show() {
    const found = order(filter ? rows.filter((row) => hasAll(filter(row), state.words)) : rows);
    body.replaceChildren(...found.slice(0, state.most).map((row) => printRow(columns, row)));
    headers.forEach((header, index) => {
      const falls = fallsFirst(columns[index]) === !state.turned;
      header.setAttribute("aria-sort", state.by !== index ? "none" : falls ? "descending" : "ascending");
    });
    count.textContent = filter ? `${found.length} of ${rows.length} rows` : "";
    more.hidden = found.length <= state.most;
    more.textContent = `Show all ${found.length} rows`;
  }

  const field = filter
    ? make("input", {
        type: "search",
        id: `${id}-filter`,
        placeholder: "Filter",
        "aria-label": `Filter: ${caption}`,
        input: (event) => {
          state.words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
          show();
        },
      })
    : null;
  // On paper nobody can press a button.
  window.addEventListener("beforeprint", () => {
    state.most = Math.max(state.most, mostPrinted);
    show();
  });
  show();
  return make(
    "div",
    { class: "table", id },
    field,
    filter ? count : null,
    make(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
      make("table", {}, make("caption", {}, caption), make("thead", {}, make("tr", {}, headers)), body),
    ),
    more,
  );
}

function printRow(columns, row) {
  const cells = columns.map(({ title, get, print, number, look }) => {
    const value = get(row);
    const shown = print ? print(value, row) : String(value ?? "–");
    return make(
      "td",
      {
        class: number ? "number" : (look ?? null),
        "data-title": title,
        "data-value": typeof value === "object" ? null : value,
      },
      shown,
    );
  });
  return make("tr", { id: row.rowId ?? null, tabindex: row.rowId ? -1 : null }, cells);
}

/** A place in a source file; a link where the path is whole. */
export function place(loc) {
  if (!loc) return "–";
  const found = /^(\/[^:]*):(\d+)/.exec(loc);
  const short = loc.replace(/^.*\/([^/]*\/[^/]*)$/, "$1");
  return found
    ? make(
        "a",
        { href: `file://${encodeURI(found[1])}#L${found[2]}`, title: loc, target: "_blank", rel: "noopener" },
        short,
      )
    : make("span", { title: loc }, short);
}
