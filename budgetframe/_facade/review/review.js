// The table of `bf.review()` in a notebook, as an anywidget.
//
// Python decides: it sends the rows, the texts and which buttons work; this file draws them and
// sends what the person does. It computes no amounts. Rows travel in messages only, because a
// notebook saves the synchronised state of a widget; the one exception is `kept`, the rows that the
// user asked to save.

const ROW_HEIGHT = 28; // in pixels, and fixed: so the place of a row follows from its number
const BODY_HEIGHT = 15 * ROW_HEIGHT;
const PAGE = 14; // rows of a Page Up or Page Down
const MARGIN = 4; // rows that are drawn above and below the visible ones
const LIST_HEIGHT = 250; // of a list with its input and caption, as in review.css
const EFFECTS_SHOWN = 6;
const NO_KERNEL_AFTER = 4000; // milliseconds

// `entries` is the name of the list of choices in the "all" message.
const COLUMNS = [
  { name: "tick", title: "Tick all shown rows" },
  { name: "day", title: "Day" },
  { name: "account", title: "Account" },
  { name: "payee", title: "Payee", editor: "text" },
  { name: "memo", title: "Memo", editor: "text" },
  { name: "amount", title: "Amount", amount: true },
  { name: "category", title: "Category", editor: "list", entries: "categories" },
  { name: "flag", title: "Flag", editor: "list", entries: "flags" },
  { name: "state", title: "State", editor: "list", entries: "actions" },
];
const ASSIGNED_COLUMNS = [
  COLUMNS[0],
  { name: "group", title: "Group" },
  { name: "category", title: "Category" },
  { name: "rule", title: "Rule", optional: true },
  { name: "wanted", title: "Wanted", amount: true, optional: true },
  { name: "before", title: "Before", amount: true },
  { name: "assigned", title: "Assigned", amount: true, editor: "text" },
  COLUMNS.at(-1), // beside the amount: it says why an amount is wrong
];
// Each click on a header takes the next one. Without an order, it is that of Python.
const ORDERS = [
  { name: "none", sign: 0, arrow: "" },
  { name: "ascending", sign: 1, arrow: " ▲" },
  { name: "descending", sign: -1, arrow: " ▼" },
];
// The columns whose width is always the same; the others have the room that their texts need.
const WIDTHS = { tick: "28px", day: "84px" };
const MOST_LETTERS = 26; // that count for the width of a column
const PADDING = 1; // of a cell, in letters
const HEADER_ROOM = 4; // letters besides those of a title, which is bold: for its padding and its arrow
const HEADER = -1; // the number of the header's row
// Lumino, the event system of JupyterLab, has no shortcuts in an element with this attribute. The
// elements with the focus have it too: Ctrl+Enter and others are shortcuts of any `:focus`.
const NO_SHORTCUTS = { "data-lm-suppress-shortcuts": "true" };
const BUTTONS = { preview: "Preview", apply: "Apply", undo: "Undo", stop: "Stop" };
const KEYS = [
  ["Arrows, Page Up/Down, Home, End", "go to another cell; Ctrl+Home and Ctrl+End to the first and the last row"],
  ["Space, Shift+Space", "tick the row, or all shown rows"],
  ["Enter", "edit the cell, in all ticked rows if its row is ticked; in a title, sort by the column"],
  ["A letter", "in Category, Flag and State, open the choices that contain it"],
  ["Enter, Escape in an editor", "take the entry and go to the next row, or leave the cell as it was"],
  ["↑ in the first row, ↓ in the last one", "go to the titles and the filter, or to the buttons"],
  ["Ctrl+S", "save the notebook; nothing is sent"],
  ["?", "show or hide this list"],
];
const NOT_SENT = "The kernel does not answer, so nothing was sent. Run the cell again.";
const RUN_THE_CELL = "Run the cell to see the rows.";
const SAVED_ROWS = "These rows were saved with the notebook. Run the cell to edit them.";

const collator = new Intl.Collator(undefined, { numeric: true });
let views = 0; // gives each view its own element ids

/** The text without case and accents, so that "cafe" finds "Café". */
function simplify(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Whether the simplified text has all words of the query, in any order. */
function matches(text, query) {
  return simplify(query).split(/\s+/).every((word) => text.includes(word));
}

function searchText(row, columns) {
  const texts = columns.slice(1).map(({ name }) => row[name]);
  return simplify([...texts, ...Object.values(row.suggestion), row.note, row.problem].join(" "));
}

/** What is suggested for a cell; a changed cell needs no suggestion. */
function suggestionFor(row, name) {
  return row.changed.includes(name) ? "" : row.suggestion[name] ?? "";
}

/** The number of letters that a cell shows, as far as they count for the width of its column. */
function lettersIn(row, name) {
  const [text, suggestion] = [row[name].length + 2 * row.changed.includes(name), suggestionFor(row, name).length + 1];
  const letters = name === "state" ? row.problem.length + text + suggestion + 0.8 * row.note.length : Math.max(text, suggestion);
  return Math.min(letters, MOST_LETTERS);
}

/** The classes of a header or cell after `bf-review-`; amounts of all columns look alike. */
function classOf(kind, name, amount) {
  return [kind, name, ...(amount && name !== "amount" ? ["amount"] : [])].join(" bf-review-");
}

function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

/** What is said of rows that cannot be edited; the reasons are what one row is, and what several are. */
function staying(reasons) {
  const ones = reasons.map(([one]) => one);
  return [...new Map(reasons)].map(([one, many]) => {
    const number = ones.filter((each) => each === one).length;
    return number === 1 ? `${one} stays as it was` : `${number.toLocaleString("en")} ${many} stay as they were`;
  });
}

/** The background behind an element: what lies above the page must not be transparent. */
function backgroundBehind(element) {
  for (let node = element; node; node = node.parentElement ?? node.getRootNode().host) {
    const colour = element.ownerDocument.defaultView.getComputedStyle(node).backgroundColor;
    if (colour && !/transparent|rgba|\//.test(colour)) return colour;
  }
  return "Canvas";
}

/** Scroll as little as needed to show what lies between start and end; `side` is Top or Left.
 * Not scrollIntoView: it would scroll the notebook too. */
function reveal(scroller, side, start, end, size) {
  const name = `scroll${side}`;
  scroller[name] = Math.max(end - size, Math.min(scroller[name], start));
}

class Review {
  constructor(model, el) {
    this.model = model;
    this.document = el.ownerDocument;
    this.id = `bf-review-${++views}`;
    this.rows = new Map(); // by id, in the order of Python
    this.shown = []; // ids, filtered and sorted
    this.sort = { name: "", order: 0 }; // the column, and a number of ORDERS
    this.active = { row: 0, column: COLUMNS.findIndex((column) => column.name === "category") };
    this.entries = {}; // the choices of each list column
    this.summary = null;
    this.held = false; // the mouse is pressed on the grid
    this.stopping = false; // nothing more is sent after the present request
    this.longest = {}; // the number of letters of each column
    this.pressed = false; // a button was pressed, and Python has not answered yet
    this.readOnly = false; // rows that a notebook has kept, without a kernel
    this.editor = null;
    this.top = 0; // where the rows were scrolled to
    this.build(el);
    // A notebook takes the cells outside its window out of the page. They come back scrolled to 0,
    // which no event tells but that of their size.
    this.resized = new this.document.defaultView.ResizeObserver(() => {
      this.scroller.scrollTop = this.top;
      this.drawRows();
    });
    this.resized.observe(this.scroller);
    this.receive = (message) => this.onMessage(message);
    model.on("msg:custom", this.receive);
    this.timer = setTimeout(() => this.onSilence(), NO_KERNEL_AFTER);
    this.send({ type: "ready" });
  }

  /** Send a message; the model throws an error after a restart of the kernel. */
  send(message) {
    try {
      this.model.send(message);
    } catch {
      this.message.textContent = NOT_SENT;
      this.readOnly = true;
      if (this.summary) this.drawButtons();
    }
  }

  remove() {
    clearTimeout(this.timer);
    this.model.off("msg:custom", this.receive);
    this.resized.disconnect();
    this.editor = null; // so that the removal, which takes the focus away, confirms no text
    this.root.remove();
  }

  /** An element. Children that are strings become texts, so no name is ever read as markup. */
  make(tag, name, attributes = {}, ...children) {
    const element = this.document.createElement(tag);
    if (name) element.className = `bf-review-${name}`;
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  build(el) {
    this.waiting = this.make("div", "waiting", {}, "Reading the rows…");
    this.title = this.make("strong", "title");
    this.filter = this.make("input", "filter", {
      type: "search", placeholder: "Filter", "aria-label": "Filter the rows",
    });
    this.countLine = this.make("span", "count");
    this.keys = this.make("table", "keys", { id: `${this.id}-keys`, hidden: "", "aria-label": "Keys" },
      ...KEYS.map(([keys, action]) => this.make("tr", "", {},
        this.make("th", "", { scope: "row" }, keys), this.make("td", "", {}, action))));
    this.help = this.make("button", "button bf-review-help", {
      ...NO_SHORTCUTS, type: "button", title: "Keys", "aria-label": "Keys", "aria-expanded": false,
      "aria-controls": this.keys.id,
    }, "?");
    this.headerRow = this.make("div", "row", { role: "row", "aria-rowindex": 1, "data-row": HEADER });
    this.body = this.make("div", "body", { role: "rowgroup" });
    this.scroller = this.make("div", "scroller", { role: "presentation", tabindex: -1 }, this.body);
    this.grid = this.make("div", "grid", {
      ...NO_SHORTCUTS, role: "grid", tabindex: 0, "aria-multiselectable": true,
    }, this.make("div", "head", { role: "rowgroup" }, this.headerRow), this.scroller);
    this.setColumns(COLUMNS);
    this.left = this.make("div", "left");
    this.status = this.make("div", "status", { role: "status" });
    this.changes = this.make("div", "changes");
    this.effects = this.make("table", "effects", { "aria-label": "Effects" });
    this.moreEffects = this.make("table", "effects", { "aria-label": "More effects" });
    this.moreTitle = this.make("summary", "");
    this.more = this.make("details", "more", {}, this.moreTitle, this.moreEffects);
    this.warnings = this.make("ul", "warnings");
    this.message = this.make("div", "message", { "aria-live": "polite" });
    this.progress = this.make("progress", "progress", { "aria-label": "Sent changes" });
    this.buttons = Object.entries(BUTTONS).map(([name, title]) =>
      this.make("button", `button bf-review-${name}`, { ...NO_SHORTCUTS, type: "button", "data-name": name }, title));
    this.content = this.make("div", "content", { hidden: "" },
      this.make("div", "top", {}, this.title, this.filter, this.countLine),
      this.left, this.keys, this.grid, this.status, this.changes, this.effects, this.more, this.warnings,
      this.make("div", "buttons", {}, ...this.buttons, this.progress), this.message,
      this.help); // so that Tab goes from the filter to the rows; it is shown above them
    this.root = this.make("div", "", NO_SHORTCUTS, this.waiting, this.content);
    this.root.className = "bf-review";
    this.root.style.setProperty("--bf-review-row-height", `${ROW_HEIGHT}px`);
    this.root.style.setProperty("--bf-review-body-height", `${BODY_HEIGHT}px`);
    el.append(this.root);
    this.filter.addEventListener("input", () => {
      this.active.row = 0;
      this.arrange();
    });
    this.scroller.addEventListener("scroll", () => {
      this.top = this.scroller.scrollTop;
      this.drawRows();
    });
    this.grid.addEventListener("pointerdown", () => this.hold());
    this.grid.addEventListener("click", (event) => this.onClick(event));
    this.help.addEventListener("click", () => this.toggleKeys());
    this.root.addEventListener("keydown", (event) => this.onKey(event));
    for (const button of this.buttons) button.addEventListener("click", () => this.press(button));
  }

  setColumns(columns) {
    this.columns = columns;
    this.headers = columns.map(({ name, amount }, index) => this.make("div", classOf("header", name, amount), {
      role: "columnheader", id: `${this.id}-header-${index}`, "aria-colindex": index + 1,
      "data-column": index,
    }));
    this.headerRow.replaceChildren(...this.headers);
    this.grid.setAttribute("aria-colcount", columns.length);
  }

  // ---- Messages of Python

  onMessage(message) {
    clearTimeout(this.timer);
    if (message.type === "progress") {
      this.progress.max = message.total;
      this.progress.value = message.done;
      this.say(`${message.done} of ${count(message.total, "change")} sent.`);
    } else if (message.type === "all") {
      if (this.summary && !this.readOnly) return; // it answers another view, and would close an editor
      this.readOnly = false;
      this.drawAll(message);
    } else {
      for (const row of message.rows) this.rows.set(row.id, row);
      this.fitColumns(message.rows);
      if (message.categories) this.entries.category = message.categories; // with new amounts
      this.drawSummary(message.summary);
      // Not sorted or filtered again: an edited row would move away from the cursor.
      if (!this.held) this.drawRows();
    }
  }

  onSilence() {
    const kept = this.model.get("kept");
    if (kept && Object.keys(kept).length) {
      this.readOnly = true;
      this.drawAll(kept);
      this.say(SAVED_ROWS);
    } else {
      this.waiting.textContent = RUN_THE_CELL;
    }
  }

  /** Show what was done; a screen reader reads it aloud. */
  say(text) {
    this.status.textContent = text;
  }

  // ---- Drawing

  drawAll(message) {
    this.closeEditor(); // its rows may be gone
    if (message.month) {
      this.setColumns(ASSIGNED_COLUMNS.filter(({ name, optional }) => !optional || message.rows.some((row) => row[name])));
      this.active.column = this.columns.findIndex((column) => column.editor);
    }
    this.rows = new Map(message.rows.map((row) => [row.id, row]));
    this.longest = {};
    this.fitColumns(message.rows);
    for (const { name, entries } of this.columns) if (entries) this.entries[name] = message[entries];
    this.title.textContent = message.title;
    this.grid.setAttribute("aria-label", message.title);
    this.waiting.hidden = true;
    this.content.hidden = false;
    this.drawSummary(message.summary);
    this.arrange();
  }

  /** Give each column room for its longest text: Memo may be empty while State has a reason. */
  fitColumns(rows) {
    const columns = this.columns.map(({ name, title, amount }) => {
      if (WIDTHS[name]) return WIDTHS[name];
      const longest = rows.reduce((most, row) => Math.max(most, lettersIn(row, name)), this.longest[name] ?? title.length);
      this.longest[name] = longest;
      const least = Math.max(title.length + HEADER_ROOM, amount ? longest + 1 : 0);
      return `minmax(${least}ch, ${longest + PADDING}fr)`;
    });
    this.root.style.setProperty("--bf-review-columns", columns.join(" "));
  }

  /** Filter and sort the rows, then draw them. */
  arrange() {
    const rows = [...this.rows.values()].filter((row) => matches(searchText(row, this.columns), this.filter.value));
    const { name, order } = this.sort;
    rows.sort((a, b) => ORDERS[order].sign * (name in a.milliunits
      ? a.milliunits[name] - b.milliunits[name] : collator.compare(a[name], b[name])));
    this.shown = rows.map((row) => row.id);
    this.active.row = Math.min(this.active.row, this.shown.length - 1);
    this.body.style.height = `${this.shown.length * ROW_HEIGHT}px`;
    this.grid.setAttribute("aria-rowcount", this.shown.length + 1);
    this.drawHeader();
    this.drawActive();
  }

  drawHeader() {
    this.columns.slice(1).forEach(({ name, title }, index) => {
      const order = ORDERS[this.sort.name === name ? this.sort.order : 0];
      const header = this.headers[index + 1];
      header.setAttribute("aria-sort", order.name);
      header.replaceChildren(title, this.make("span", "arrow", { "aria-hidden": true }, order.arrow));
    });
  }

  /** Draw the visible rows: a page with thousands of elements would be slow. */
  drawRows() {
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / ROW_HEIGHT) - MARGIN);
    const visible = this.shown.slice(first, first + BODY_HEIGHT / ROW_HEIGHT + 1 + 2 * MARGIN);
    this.body.style.paddingTop = `${first * ROW_HEIGHT}px`;
    this.body.replaceChildren(...visible.map((id, index) => this.makeRow(this.rows.get(id), first + index)));
    const ticked = this.tickedRows().length;
    const all = this.shown.length > 0 && this.shown.every((id) => this.rows.get(id).ticked);
    this.headers[0].replaceChildren(this.makeBox(all, COLUMNS[0].title));
    this.countLine.textContent =
      `${this.shown.length.toLocaleString("en")} of ${count(this.rows.size, "row")}, ${ticked} ticked`;
    this.grid.querySelector(".bf-review-active")?.classList.remove("bf-review-active");
    const cell = this.activeCell();
    cell?.classList.add("bf-review-active");
    if (cell) this.grid.setAttribute("aria-activedescendant", cell.id);
    else this.grid.removeAttribute("aria-activedescendant"); // it is scrolled out of the page
    this.placeEditor();
  }

  makeRow(row, index) {
    const states = ["struck", "ticked", "problem"].filter((name) => row[name]);
    return this.make("div", ["row", ...states].join(" bf-review-"), {
      role: "row", "aria-rowindex": index + 2, "aria-selected": Boolean(row.ticked), "data-row": index,
    }, ...this.columns.map((column, number) => this.makeCell(row, index, column, number)));
  }

  makeCell(row, index, { name, editor, amount }, number) {
    const cell = this.make("div", classOf("cell", name, amount), {
      role: "gridcell", id: `${this.id}-${index}-${number}`, "aria-colindex": number + 1,
      "data-column": number,
    });
    if (name === "tick") {
      cell.setAttribute("aria-label", row.ticked ? "ticked" : "not ticked");
      cell.append(this.makeBox(row.ticked, "Tick the row"));
      return cell;
    }
    cell.setAttribute("aria-readonly", !editor || name in row.fixed);
    const texts = [row[name]]; // what a screen reader says
    const suggestion = suggestionFor(row, name);
    // A suggested category stands alone: there is no room for that of a row without one beside it.
    if (name !== "category" || !suggestion) cell.append(row[name], suggestion ? " " : "");
    if (row.changed.includes(name)) {
      cell.classList.add("bf-review-changed");
      cell.prepend(this.make("span", "mark", {}, "✱ "));
      texts.push("changed");
    }
    if (suggestion) {
      cell.append(this.make("em", "suggestion", {}, `${suggestion}?`));
      texts.push(`suggestion: ${suggestion}`);
    }
    if (name === "state") {
      if (row.note) cell.append(" ", this.make("small", "note", {}, row.note));
      if (row.problem) cell.prepend(this.make("span", "sign", {}, `⚠ ${row.problem} `));
      texts.unshift(row.problem);
      texts.push(row.note);
    }
    if (row.struck) texts.push("struck through");
    const label = texts.filter(Boolean).join(", ");
    if (label !== row[name]) cell.setAttribute("aria-label", label);
    if (label) cell.title = label;
    return cell;
  }

  makeBox(ticked, label) {
    return this.make("span", "box", { role: "checkbox", "aria-checked": Boolean(ticked), "aria-label": label },
      ticked ? "✓" : "");
  }

  /** Scroll to the active cell and draw. */
  drawActive() {
    const top = this.active.row * ROW_HEIGHT; // of the header: above the rows
    if (this.active.row !== HEADER) reveal(this.scroller, "Top", top, top + ROW_HEIGHT, BODY_HEIGHT);
    this.drawRows();
    const cell = this.activeCell();
    if (cell) reveal(this.grid, "Left", cell.offsetLeft, cell.offsetLeft + cell.offsetWidth, this.grid.clientWidth);
  }

  activeCell() {
    const { row, column } = this.active;
    return this.grid.querySelector(`[data-row="${row}"] > [data-column="${column}"]`);
  }

  drawSummary(summary) {
    if (this.summary?.revision !== summary.revision || summary.phase === "ready") this.pressed = false;
    this.summary = summary;
    const sending = summary.phase === "sending";
    this.stopping &&= sending;
    // Python sends one request, and asks whether to send the next.
    if (summary.go_on && !this.readOnly) this.send({ type: this.stopping ? "stop" : "go_on", revision: summary.revision });
    this.progress.hidden = !sending;
    this.message.textContent = summary.message;
    this.drawButtons();
    if (sending) {
      // The sums stay as they were: without them the buttons would move away under the mouse.
      this.closeEditor();
      return;
    }
    this.progress.removeAttribute("value"); // the next one starts without a number
    this.changes.textContent = summary.changes;
    this.left.textContent = summary.left ?? "";
    this.left.classList.toggle("bf-review-sign", Boolean(summary.too_much));
    const rows = summary.effects.map((texts) => this.make("tr", "", {},
      ...texts.map((text) => this.make("td", "", {}, text))));
    const more = rows.splice(EFFECTS_SHOWN);
    this.effects.replaceChildren(this.make("caption", "", {}, "Available, before and after"), ...rows);
    this.moreEffects.replaceChildren(...more);
    this.moreTitle.textContent = count(more.length, "more effect");
    this.effects.hidden = !rows.length;
    this.more.hidden = !more.length;
    this.warnings.replaceChildren(...summary.warnings.map((text) => this.make("li", "", {}, text)));
  }

  /** `aria-disabled` and not `disabled`: a disabled button loses the focus, and the next keys of the
   * person would be shortcuts of the notebook. */
  drawButtons() {
    const sending = this.summary.phase === "sending";
    for (const button of this.buttons) {
      const { name } = button.dataset;
      const enabled = name === "stop" ? !this.stopping : !this.locked() && !this.pressed && this.summary[name];
      button.setAttribute("aria-disabled", !enabled);
      const hidden = this.readOnly || (name === "stop" && !sending);
      if (hidden && button.getRootNode().activeElement === button) this.grid.focus({ preventScroll: true });
      button.hidden = hidden;
    }
  }

  locked() {
    return this.readOnly || this.summary.phase === "sending";
  }

  // ---- What the person does

  press(button) {
    if (button.getAttribute("aria-disabled") === "true") return;
    if (button.dataset.name === "stop") {
      this.stopping = true;
      this.say("Stops before the next request.");
      this.drawButtons();
      return;
    }
    this.pressed = true;
    this.drawButtons();
    this.send({ type: button.dataset.name, revision: this.summary.revision });
  }

  toggleKeys() {
    this.keys.hidden = !this.keys.hidden;
    this.help.setAttribute("aria-expanded", !this.keys.hidden);
  }

  tickedRows() {
    return [...this.rows.values()].filter((row) => row.ticked);
  }

  tick(ids, ticked) {
    if (!ids.length || this.refused()) return;
    // Drawn at once, because the next key may edit all ticked rows.
    for (const id of ids) this.rows.set(id, { ...this.rows.get(id), ticked });
    this.send({ type: "tick", rows: ids, ticked });
    this.drawRows();
    this.say(`${count(ids.length, "row")} ${ticked ? "ticked" : "not ticked"}, ${this.tickedRows().length} in all.`);
  }

  tickShown() {
    const rows = this.shown.map((id) => this.rows.get(id));
    const ticked = rows.some((row) => !row.ticked);
    this.tick(rows.filter((row) => row.ticked !== ticked).map((row) => row.id), ticked);
  }

  /** Whether nothing can be edited now; says why. */
  refused() {
    if (this.readOnly) this.say(SAVED_ROWS);
    else if (this.locked()) this.say("The changes are being sent. Edit when that is done.");
    return this.locked();
  }

  activate(row, column) {
    const moved = row !== this.active.row;
    this.active = { row, column };
    this.drawActive();
    if (moved) this.say(this.rows.get(this.shown[row])?.problem ?? ""); // its cell may be too narrow
  }

  /** What a click or Enter does in the active header or cell. */
  open(text = "") {
    const { row, column } = this.active;
    if (this.columns[column].name === "tick") {
      if (row === HEADER) this.tickShown();
      else this.tickActive();
    } else if (row === HEADER) {
      this.sortBy(this.columns[column]);
    } else {
      this.edit(this.rows.get(this.shown[row]), this.columns[column], text);
    }
  }

  tickActive() {
    const row = this.rows.get(this.shown[this.active.row]);
    this.tick([row.id], !row.ticked);
  }

  sortBy({ name, title }) {
    const order = this.sort.name === name ? (this.sort.order + 1) % ORDERS.length : 1;
    this.sort = { name, order };
    this.arrange();
    this.say(order ? `Sorted by ${title}, ${ORDERS[order].name}.` : "In the original order.");
  }

  /** Keep the rows until the mouse is released: a cell that is replaced before gets no click. */
  hold() {
    this.held = true;
    const release = () => setTimeout(() => { // after the click
      this.held = false;
      this.drawRows();
    });
    for (const name of ["pointerup", "pointercancel"]) this.document.addEventListener(name, release, { once: true });
  }

  onClick(event) {
    const cell = event.target.closest("[data-column]");
    if (!cell) return;
    const row = Number(cell.parentElement.dataset.row);
    const column = Number(cell.dataset.column);
    const again = row === this.active.row && column === this.active.column;
    this.grid.focus({ preventScroll: true });
    this.activate(row, column);
    if (again || row === HEADER || this.columns[column].name === "tick") this.open();
  }

  onKey(event) {
    if (event.isComposing) return;
    if (event.key === "s" && (event.ctrlKey || event.metaKey)) {
      this.passOn(event);
      return;
    }
    const { target } = event;
    const plain = !(event.ctrlKey || event.metaKey || event.altKey);
    let used = false;
    if (target === this.editor?.input) used = plain && this.onEditorKey(event);
    else if (target === this.filter) used = plain && this.onFilterKey(event);
    else if (this.buttons.includes(target)) used = plain && this.onButtonKey(event, target);
    else if (this.grid.contains(target)) used = this.onGridKey(event, plain);
    if (used) event.preventDefault();
    if (used || plain) event.stopPropagation(); // the notebook has shortcuts of one letter
  }

  /** Repeat a shortcut of the notebook above the table, in which there are no shortcuts. */
  passOn(event) {
    event.stopPropagation();
    if (!this.root.parentNode.dispatchEvent(new event.constructor(event.type, event))) event.preventDefault();
  }

  onGridKey({ key, ctrlKey, shiftKey }, plain) {
    const { row, column } = this.active;
    const last = { row: this.shown.length - 1, column: this.columns.length - 1 };
    const rowOf = (number) => Math.min(last.row, Math.max(0, number));
    if (ctrlKey && key === "Home") this.activate(rowOf(0), 0);
    else if (ctrlKey && key === "End") this.activate(last.row, last.column);
    else if (!plain) return false;
    else if (key === "ArrowUp" && row === HEADER) this.filter.focus();
    else if (key === "ArrowUp") this.activate(row - 1, column);
    else if (key === "ArrowDown" && row === last.row) this.enabledButtons()[0]?.focus();
    else if (key === "ArrowDown") this.activate(row + 1, column);
    else if (key === "ArrowLeft") this.activate(row, Math.max(0, column - 1));
    else if (key === "ArrowRight") this.activate(row, Math.min(column + 1, last.column));
    else if (key === "PageUp") this.activate(rowOf(row - PAGE), column);
    else if (key === "PageDown") this.activate(rowOf(row + PAGE), column);
    else if (key === "Home") this.activate(row, 0);
    else if (key === "End") this.activate(row, last.column);
    else if (key === "?") this.toggleKeys();
    else if (key === " " && shiftKey) this.tickShown();
    else if (key === " " && row !== HEADER) this.tickActive();
    else if (key === " " || key === "Enter") this.open();
    else if (key.length === 1 && row !== HEADER && this.columns[column].editor === "list") this.open(key);
    else return false;
    return true;
  }

  onFilterKey({ key }) {
    if (key !== "ArrowDown" && key !== "Escape") return false;
    this.grid.focus();
    return true;
  }

  onButtonKey({ key }, button) {
    const enabled = this.enabledButtons();
    if (key === "ArrowUp") {
      this.grid.focus();
      return true;
    }
    // A pressed button keeps the focus while it is disabled, so its place counts among all buttons.
    const place = (other) => this.buttons.indexOf(other);
    if (key === "ArrowLeft") enabled.findLast((other) => place(other) < place(button))?.focus();
    else if (key === "ArrowRight") enabled.find((other) => place(other) > place(button))?.focus();
    else return false;
    return true;
  }

  enabledButtons() {
    return this.buttons.filter((button) => !button.hidden && button.getAttribute("aria-disabled") === "false");
  }

  // ---- Editors: an input above the cell, outside the rows, which are drawn again at any time

  edit(row, column, text) {
    if (this.refused()) return;
    const reason = row.fixed[column.name];
    if (!column.editor || reason) {
      this.say(`${column.title} cannot be edited in this ${reason ? `row: it is ${reason[0]}` : "table"}.`);
      return;
    }
    const rows = row.ticked ? this.tickedRows() : [row];
    const targets = rows.filter((other) => !other.fixed[column.name]);
    const reasons = rows.map((other) => other.fixed[column.name]).filter(Boolean);
    const shown = new Set(this.shown);
    const hidden = targets.filter((other) => !shown.has(other.id)).length;
    const caption = `${column.title} for ${row.ticked ? count(targets.length, "ticked row") : "this row"}`
      + (hidden ? `, ${hidden} of them not shown` : "");
    const input = this.make("input", "input", { type: "text", "aria-label": caption, autocomplete: "off" });
    const element = this.make("div", `editor bf-review-${column.editor}`, {}, input,
      this.make("div", "caption", { "aria-hidden": true }, caption));
    this.editor = { input, element, column, ids: targets.map((other) => other.id), left: staying(reasons) };
    const [present, suggestion] = [row[column.name], suggestionFor(row, column.name)];
    if (column.editor === "list") this.buildList(text, suggestion || present);
    else input.value = present || suggestion;
    this.editor.before = input.value;
    input.addEventListener("focusout", () => this.onFocusOut(input));
    this.root.style.setProperty("--bf-review-background", backgroundBehind(this.root));
    this.grid.after(element); // so that Tab goes on to what is below the table
    this.placeEditor();
    input.focus({ preventScroll: true });
    if (column.editor === "text") input.select();
  }

  /** Put the editor over its cell. A list opens upwards if there is room only above. */
  placeEditor() {
    if (!this.editor) return;
    const cell = this.activeCell()?.getBoundingClientRect();
    if (!cell) {
      this.closeEditor(); // its row is scrolled away
      return;
    }
    const { element, column } = this.editor;
    const root = this.root.getBoundingClientRect();
    const below = Math.min(root.bottom, this.document.defaultView.innerHeight) - cell.top;
    const above = cell.bottom - Math.max(root.top, 0);
    const up = column.editor === "list" && below < LIST_HEIGHT && above >= LIST_HEIGHT;
    element.classList.toggle("bf-review-up", up);
    element.style.top = up ? "" : `${cell.top - root.top}px`;
    element.style.bottom = up ? `${root.bottom - cell.bottom}px` : "";
    // A short table grows for its list: a notebook cuts off what is below an output.
    const needed = cell.top - root.top + LIST_HEIGHT;
    this.root.style.minHeight = column.editor === "list" && !up ? `${needed}px` : "";
    element.style.minWidth = `${cell.width}px`;
    element.style.left = `${Math.min(cell.left - root.left, Math.max(0, root.width - element.offsetWidth))}px`;
  }

  /** A combobox: the list has the entries with all typed words, and the first is chosen. */
  buildList(text, current) {
    const { editor } = this;
    const list = this.make("div", "list", { role: "listbox", id: `${this.id}-list`, "aria-label": "Choices" });
    for (const [name, value] of Object.entries({
      role: "combobox", "aria-expanded": "true", "aria-controls": list.id, "aria-autocomplete": "list",
    })) editor.input.setAttribute(name, value);
    editor.element.append(list);
    editor.list = list;
    editor.input.value = text;
    editor.input.addEventListener("input", () => this.filterList());
    list.addEventListener("mousedown", (event) => event.preventDefault()); // the input keeps the focus
    list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) this.confirm(editor.matches[Number(option.dataset.index)]);
    });
    this.filterList();
    // Without a typed text, the suggestion or else the present value is chosen, if its name is unique.
    const same = text ? [] : editor.matches.filter((entry) => simplify(entry.label) === simplify(current));
    if (same.length === 1) this.choose(editor.matches.indexOf(same[0]));
  }

  filterList() {
    const { editor } = this;
    const typed = simplify(editor.input.value.trim());
    // Names that start with the text come first, and the choice that clears ("no category") last.
    const rank = ({ label, value }) => (value === null ? 2 : simplify(label).startsWith(typed) ? 0 : 1);
    editor.matches = this.entries[editor.column.name].filter((entry) =>
      matches(simplify(entry.text ?? entry.label), typed));
    if (typed) editor.matches.sort((a, b) => rank(a) - rank(b));
    const options = editor.matches.map((entry, index) => this.make("div", "option",
      { role: "option", id: `${this.id}-option-${index}`, "data-index": index },
      this.make("span", "label", {}, entry.label),
      this.make("span", "group", {}, entry.group ?? ""),
      this.make("span", "available", {}, entry.available ?? "")));
    editor.list.replaceChildren(...(options.length ? options : [this.make("div", "none", {}, "No entry has this text.")]));
    this.choose(0);
  }

  choose(index) {
    const { editor } = this;
    editor.chosen = index;
    for (const option of editor.list.querySelectorAll("[role=option]")) {
      option.setAttribute("aria-selected", Number(option.dataset.index) === index);
    }
    const option = editor.list.children[index];
    if (!option.id) { // the text that there is no entry
      editor.input.removeAttribute("aria-activedescendant");
      return;
    }
    editor.input.setAttribute("aria-activedescendant", option.id);
    const { offsetTop, offsetHeight } = option;
    reveal(editor.list, "Top", offsetTop, offsetTop + offsetHeight, editor.list.clientHeight);
  }

  onEditorKey({ key }) {
    const { editor } = this;
    if (key === "Escape") {
      this.closeEditor();
      this.say("Not changed.");
    } else if ((key === "Enter" || key === "Tab") && !editor.list) this.confirm(this.typedEntry());
    else if (key === "Tab") this.closeEditor();
    else if (key === "Enter") this.confirm(editor.matches[editor.chosen]);
    else if (editor.list && editor.matches.length && (key === "ArrowDown" || key === "ArrowUp")) {
      const step = key === "ArrowDown" ? 1 : -1;
      this.choose((editor.chosen + step + editor.matches.length) % editor.matches.length);
    } else return false;
    return true;
  }

  typedEntry() {
    const text = this.editor.input.value.trim();
    return { value: text || null, label: text || "no text" };
  }

  /** Leaving a text field confirms a changed text, as in other tables; leaving a list changes nothing. */
  onFocusOut(input) {
    if (this.editor?.input !== input || input.getRootNode().activeElement === input) return; // another window
    if (!this.editor.list && input.value !== this.editor.before) this.say(this.sendEdit(this.typedEntry()));
    this.closeEditor(false);
  }

  /** Send the entry and go on with the next row. Without an entry, the list has no match: stay. */
  confirm(entry) {
    if (!entry) return;
    const done = this.sendEdit(entry);
    this.closeEditor();
    const { row, column } = this.active;
    this.activate(Math.min(row + 1, this.shown.length - 1), column);
    this.say(done);
  }

  /** Send an edit and return what was done. */
  sendEdit({ value, label }) {
    const { ids, column, left } = this.editor;
    this.send({ type: "edit", rows: ids, column: column.name, value });
    return [`${column.title} of ${count(ids.length, "row")}: ${label}`, ...left].join("; ");
  }

  closeEditor(focus = true) {
    const { editor } = this;
    if (!editor) return;
    this.editor = null; // before its removal, which takes the focus away
    editor.element.remove();
    this.root.style.minHeight = "";
    if (focus) this.grid.focus({ preventScroll: true });
  }
}

function render({ model, el }) {
  const review = new Review(model, el);
  return () => review.remove();
}

export default { render };
