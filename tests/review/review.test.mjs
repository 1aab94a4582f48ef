// The table of `bf.review()`, driven as a person drives it: with keys, clicks and typed text. The
// place of Python is taken by the messages that the table sends and receives.
import assert from "node:assert/strict";
import test from "node:test";
import { Window } from "happy-dom";
import review from "../../budgetframe/_facade/review/review.js";

const CATEGORIES = [
  { value: null, label: "no category", group: "", available: "", text: "no category" },
  { value: "c1", label: "Groceries", group: "Everyday", available: "120.00", text: "Groceries Everyday" },
  { value: "c2", label: "Café", group: "Fun", available: "12.00", text: "Café Fun" },
  { value: "c3", label: "Rent", group: "Bills", available: "0.00", text: "Rent Bills" },
];
const SUMMARY = {
  revision: 1, phase: "ready", changes: "", effects: [], warnings: [], message: "",
  preview: true, apply: true, undo: false,
};
const PART = { category: ["a part of a split", "parts of splits"] };

function row(id, values = {}) {
  return {
    id, day: "2026-01-02", account: "Checking", payee: `Shop ${id}`, memo: "", amount: "-1.00",
    milliunits: { amount: -1000 }, category: "", flag: "", state: "cleared", note: "", problem: "", ticked: false,
    changed: [], fixed: {}, suggestion: {}, struck: false, ...values,
  };
}

function everything(rows, summary = {}) {
  return {
    type: "all", title: "Rows to review", rows, categories: CATEGORIES,
    flags: [{ value: null, label: "no flag" }, { value: "red", label: "red" }],
    actions: [{ value: "approve", label: "approve" }], summary: { ...SUMMARY, ...summary },
  };
}

/** A table on an empty page; it gets the message, if there is one. */
function open(message, kept = {}) {
  const window = new Window();
  const { document, KeyboardEvent, Event } = window;
  const observers = new Set(); // happy-dom has no layout, so nothing is ever resized in it
  window.ResizeObserver = class {
    constructor(resized) { this.resized = resized; }
    observe() { observers.add(this); }
    disconnect() { observers.delete(this); }
  };
  const el = document.createElement("div");
  document.body.append(el);
  const handlers = new Set();
  const sent = [];
  const model = {
    get: (name) => (name === "kept" ? kept : undefined),
    send: (content) => sent.push(content),
    on: (name, handler) => name === "msg:custom" && handlers.add(handler),
    off: (name, handler) => handlers.delete(handler),
  };
  const close = review.render({ model, el });
  const table = {
    el, sent, handlers, observers, close, document,
    receive: (content) => handlers.forEach((handler) => handler(content)),
    find: (selector) => el.querySelector(selector),
    texts: (selector) => [...el.querySelectorAll(selector)].map((element) => element.textContent),
    column: (name) => table.texts(`[role=gridcell].bf-review-${name}`),
    header: (name) => el.querySelector(`[role=columnheader].bf-review-${name}`),
    cell: (name, number = 0) => el.querySelectorAll(`[role=gridcell].bf-review-${name}`)[number],
    status: () => el.querySelector("[role=status]").textContent,
    active: () => document.getElementById(table.find("[role=grid]").getAttribute("aria-activedescendant")),
    /** Press keys ("End", "ctrl+End") in the focused element; " " and Enter click a button, as in a browser. */
    press: (...keys) => keys.map((key) => {
      const target = document.activeElement;
      const [name, modifier] = key.split("+").reverse();
      const options = { key: name, bubbles: true, cancelable: true, [`${modifier}Key`]: true };
      const event = new KeyboardEvent("keydown", options);
      if (target.dispatchEvent(event) && target.tagName === "BUTTON" && " Enter".includes(name)) target.click();
      return event;
    }),
    type: (text, input = document.activeElement) => {
      input.value = text;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    },
    scroll: (top) => {
      const scroller = el.querySelector(".bf-review-scroller");
      scroller.scrollTop = top;
      scroller.dispatchEvent(new Event("scroll"));
    },
  };
  if (message) table.receive(message);
  table.find("[role=grid]").focus();
  sent.length = message ? 0 : sent.length; // without the "ready"
  return table;
}

test("a view asks for the rows and draws them as a grid", () => {
  const table = open();
  assert.deepEqual(table.sent, [{ type: "ready" }]);
  assert.equal(table.find(".bf-review-waiting").textContent, "Reading the rows…");
  table.receive(everything([row(7, { ticked: true }), row(8)]));
  const grid = table.find("[role=grid]");
  assert.equal(grid.getAttribute("aria-label"), "Rows to review");
  assert.equal(grid.getAttribute("aria-rowcount"), "3");
  assert.equal(grid.getAttribute("aria-colcount"), "9");
  assert.deepEqual(table.texts("[role=columnheader]"),
    ["", "Day", "Account", "Payee", "Memo", "Amount", "Category", "Flag", "State"]);
  const rows = [...table.el.querySelectorAll("[role=row][aria-selected]")];
  assert.deepEqual(rows.map((element) => element.getAttribute("aria-selected")), ["true", "false"]);
  assert.deepEqual(rows.map((element) => element.getAttribute("aria-rowindex")), ["2", "3"]);
  assert.deepEqual(table.column("payee"), ["Shop 7", "Shop 8"]);
  assert.equal(table.find(".bf-review-count").textContent, "2 of 2 rows, 1 ticked");
});

test("changes, suggestions, problems and notes are texts, not only colours", () => {
  const table = open(everything([row(1, {
    memo: "lunch", changed: ["memo"], suggestion: { category: "Rent" }, problem: "changed elsewhere",
    note: "transfer", struck: true,
  })]));
  assert.deepEqual(["memo", "category", "state"].map((name) => table.cell(name).textContent),
    ["✱ lunch", "Rent?", "⚠ changed elsewhere cleared transfer"]);
  assert.deepEqual(["memo", "category", "state"].map((name) => table.cell(name).getAttribute("aria-label")), [
    "lunch, changed, struck through", "suggestion: Rent, struck through",
    "changed elsewhere, cleared, transfer, struck through",
  ]);
  assert.ok(table.cell("day").parentElement.classList.contains("bf-review-struck"));
});

test("names with markup are texts", () => {
  const markup = "<img src=x onerror=alert(1)>";
  const texts = { payee: markup, memo: markup, problem: markup, note: markup, suggestion: { category: markup } };
  const message = everything([row(1, texts)], { message: markup, warnings: [markup], effects: [[markup, "1", "2"]] });
  message.title = markup;
  message.categories = [{ value: "c1", label: markup, group: markup, available: markup, text: markup }];
  const table = open(message);
  table.press("Enter");
  assert.equal(table.find("[role=option] .bf-review-label").textContent, markup);
  assert.equal(table.cell("payee").textContent, markup);
  assert.equal(table.find("img"), null);
});

test("of 5,000 rows, the page has the visible ones", () => {
  const table = open(everything(Array.from({ length: 5000 }, (_, index) => row(index))));
  assert.deepEqual([table.column("payee").length, table.column("payee")[0]], [24, "Shop 0"]);
  table.scroll(28 * 2000);
  assert.ok(table.column("payee").length <= 24);
  assert.equal(table.column("payee")[4], "Shop 2000");
  assert.equal(table.find("[role=rowgroup].bf-review-body").style.height, "140000px");
  table.press("ctrl+End");
  assert.equal(table.active().parentElement.getAttribute("aria-rowindex"), "5001");
});

test("a table that comes back into the page shows the same rows", () => {
  const table = open(everything(Array.from({ length: 50 }, (_, index) => row(index))));
  table.scroll(28 * 20);
  table.find(".bf-review-scroller").scrollTop = 0; // as a browser does, without an event
  table.observers.forEach((observer) => observer.resized());
  assert.equal(table.find(".bf-review-scroller").scrollTop, 560);
  assert.equal(table.column("payee")[4], "Shop 20");
});

test("a click on a header sorts up, down and not", () => {
  const amounts = [["9.00", 9000], ["-10.00", -10000], ["1,000.00", 1000000]];
  const table = open(everything(amounts.map(([amount, milliunits], id) => row(id, { amount, milliunits: { amount: milliunits } }))));
  const seen = [];
  for (let clicks = 0; clicks < 3; clicks += 1) {
    table.header("amount").click();
    seen.push([table.header("amount").getAttribute("aria-sort"), ...table.column("amount")]);
  }
  assert.deepEqual(seen, [
    ["ascending", "-10.00", "9.00", "1,000.00"], ["descending", "1,000.00", "9.00", "-10.00"],
    ["none", "9.00", "-10.00", "1,000.00"],
  ]);
});

test("the filter wants all words, in any order, without case and accents", () => {
  const table = open(everything([row(1, { payee: "Café Nord" }), row(2, { payee: "Café Süd" }), row(3)]));
  table.type("nord CAFE", table.find("[type=search]"));
  assert.deepEqual(table.column("payee"), ["Café Nord"]);
  assert.equal(table.find(".bf-review-count").textContent, "1 of 3 rows, 0 ticked");
});

test("a changed row stays in its place", () => {
  const table = open(everything([row(1, { payee: "B" }), row(2, { payee: "A" })]));
  table.header("payee").click();
  table.receive({ type: "rows", rows: [row(2, { payee: "C" })], summary: { ...SUMMARY, revision: 2 } });
  assert.deepEqual(table.column("payee"), ["C", "B"]);
});

test("a click or a space ticks a row, Shift+Space the shown rows", () => {
  const table = open(everything([row(1), row(2), row(3, { payee: "Bakery" })]));
  table.cell("tick", 1).click();
  table.press(" ", "ArrowUp", " ");
  table.type("shop", table.find("[type=search]"));
  table.press("shift+ ");
  table.header("tick").click();
  assert.deepEqual(table.sent, [
    { type: "tick", rows: [2], ticked: true }, { type: "tick", rows: [2], ticked: false },
    { type: "tick", rows: [1], ticked: true }, { type: "tick", rows: [2], ticked: true },
    { type: "tick", rows: [1, 2], ticked: false },
  ]);
  assert.equal(table.status(), "2 rows not ticked, 0 in all.");
});

test("an edit in a ticked row is for all ticked rows, and the editor says so", () => {
  const rows = [row(1, { ticked: true }), row(2), row(3, { ticked: true, fixed: { category: ["a transfer", "transfers"] } }),
    row(4, { ticked: true, payee: "Bakery" }), ...[5, 6].map((id) => row(id, { ticked: true, fixed: PART }))];
  const table = open(everything(rows));
  table.type("shop", table.find("[type=search]"));
  table.find("[role=grid]").focus();
  table.press("Enter");
  assert.equal(table.find(".bf-review-caption").textContent, "Category for 2 ticked rows, 1 of them not shown");
  table.type("rent");
  table.press("Enter");
  assert.equal(table.status(), "Category of 2 rows: Rent; a transfer stays as it was; 2 parts of splits stay as they were");
  table.press("Enter"); // it opens the editor of the next row, which is not ticked
  assert.equal(table.find(".bf-review-caption").textContent, "Category for this row");
  table.type("gro");
  table.press("Enter");
  assert.deepEqual(table.sent, [
    { type: "edit", rows: [1, 4], column: "category", value: "c3" },
    { type: "edit", rows: [2], column: "category", value: "c1" },
  ]);
});

test("a fixed cell has no editor", () => {
  const table = open(everything([row(1, { fixed: PART })]));
  for (const [key, status] of [["Enter", "Category cannot be edited in this row: it is a part of a split."],
    ["ArrowLeft", "Category cannot be edited in this row: it is a part of a split."],
    ["Enter", "Amount cannot be edited in this table."]]) {
    table.press(key);
    assert.equal(table.status(), status);
  }
  assert.equal(table.find("input[type=text]"), null);
  assert.equal(table.cell("category").getAttribute("aria-readonly"), "true");
});

test("the list finds words of names and groups, first the names that start with the text", () => {
  const table = open(everything([row(1)]));
  table.press("Enter");
  const labels = () => table.texts("[role=option] .bf-review-label");
  assert.deepEqual(labels(), ["no category", "Groceries", "Café", "Rent"]);
  table.type("fun cafe");
  assert.deepEqual(table.texts("[role=option] > *"), ["Café", "Fun", "12.00"]);
  table.type("c");
  assert.deepEqual(labels(), ["Café", "Groceries", "no category"]);
  table.press("ArrowDown");
  const chosen = table.find("[role=option][aria-selected=true]");
  assert.equal(chosen.querySelector(".bf-review-label").textContent, "Groceries");
  assert.equal(table.find("[role=combobox]").getAttribute("aria-activedescendant"), chosen.id);
  table.type("xyz");
  table.press("Enter");
  assert.deepEqual(table.sent, []);
  assert.equal(table.find("[role=listbox]").textContent, "No entry has this text.");
});

test("the list begins with the suggestion, and with the value of a changed cell", () => {
  const values = { category: "Groceries", suggestion: { category: "Rent" } };
  const table = open(everything([row(1, values), row(2, { ...values, changed: ["category"] })]));
  assert.deepEqual(table.column("category"), ["Rent?", "✱ Groceries"]);
  table.press("Enter", "Enter", "Enter", "Enter");
  assert.deepEqual(table.sent, [
    { type: "edit", rows: [1], column: "category", value: "c3" },
    { type: "edit", rows: [2], column: "category", value: "c1" },
  ]);
});

test("the mouse chooses a cell, opens its editor and chooses an entry", () => {
  const table = open(everything([row(1), row(2)]));
  table.cell("category", 1).click();
  assert.equal(table.active(), table.cell("category", 1));
  assert.equal(table.find("[role=listbox]"), null);
  table.cell("category", 1).click();
  table.el.querySelectorAll("[role=option]")[3].querySelector(".bf-review-group").click();
  assert.deepEqual(table.sent, [{ type: "edit", rows: [2], column: "category", value: "c3" }]);
});

test("an editor has the background of the page, also if what is between is transparent", () => {
  const table = open(everything([row(1)]));
  table.document.body.style.backgroundColor = "rgb(10, 20, 30)";
  table.el.style.backgroundColor = "rgba(200, 200, 200, 0.5)";
  table.press("Enter");
  const style = table.find(".bf-review").style;
  assert.equal(style.getPropertyValue("--bf-review-background"), "rgb(10, 20, 30)");
});

test("leaving a text confirms it if it was changed, leaving a list changes nothing", () => {
  const table = open(everything([row(1, { memo: "old" })]));
  const leave = (column, text) => {
    for (const name of ["day", column]) table.cell(name).click(); // a second click would open the editor
    table.press("Enter");
    if (text) table.type(text);
    table.find("[type=search]").focus();
    assert.equal(table.find(".bf-review-editor"), null);
  };
  leave("memo");
  leave("memo", "new");
  leave("category", "rent");
  assert.deepEqual(table.sent, [{ type: "edit", rows: [1], column: "memo", value: "new" }]);
});

test("a text is confirmed by Enter, dropped by Escape, and empty it clears", () => {
  const table = open(everything([row(1, { memo: "old" }), row(2, { memo: "old" }), row(3)]));
  table.cell("memo").click();
  table.cell("memo").click(); // a click on the active cell opens its editor
  assert.equal(table.document.activeElement.value, "old");
  table.type(" new ");
  table.press("Enter", "Enter");
  table.type("");
  table.press("Enter", "Enter");
  table.type("dropped");
  table.press("Escape");
  assert.deepEqual(table.sent, [
    { type: "edit", rows: [1], column: "memo", value: "new" },
    { type: "edit", rows: [2], column: "memo", value: null },
  ]);
  assert.equal(table.document.activeElement, table.find("[role=grid]"));
});

test("tick, choose, apply and undo with arrows, Space, Enter and Escape", () => {
  const table = open(everything([row(1), row(2)]));
  table.press("ArrowUp", "ArrowUp");
  assert.equal(table.document.activeElement, table.find("[type=search]"));
  table.press("Escape", "ArrowDown", " ", "ArrowDown", " ", "Enter", "ArrowDown", "ArrowDown", "Enter");
  table.press("ArrowDown", "ArrowRight", "Enter"); // below the last row: Preview, then Apply
  table.receive({ type: "rows", rows: [], summary: { ...SUMMARY, revision: 2, apply: false, undo: true } });
  table.press("ArrowRight", "Enter", "ArrowUp");
  assert.deepEqual(table.sent, [
    { type: "tick", rows: [1], ticked: true }, { type: "tick", rows: [2], ticked: true },
    { type: "edit", rows: [1, 2], column: "category", value: "c2" },
    { type: "apply", revision: 1 }, { type: "undo", revision: 2 },
  ]);
  assert.equal(table.document.activeElement, table.find("[role=grid]"));
});

test("the active row's problem is said in full", () => {
  const table = open(everything([row(1), row(2, { problem: "The memo was changed on another device." })]));
  table.press("ArrowDown");
  assert.equal(table.status(), "The memo was changed on another device.");
  table.press("ArrowUp");
  assert.equal(table.status(), "");
});

test("left and right go between the buttons that work", () => {
  const table = open(everything([row(1)], { apply: false, undo: true }));
  const names = ["ArrowDown", "ArrowRight", "ArrowRight", "ArrowLeft"].map((key) => {
    table.press(key);
    return table.document.activeElement.textContent;
  });
  assert.deepEqual(names, ["Preview", "Undo", "Undo", "Preview"]);
});

test("keys move the active cell as in other grids", () => {
  const table = open(everything(Array.from({ length: 40 }, (_, index) => row(index))));
  const place = () => [table.active().parentElement.dataset.row, table.active().dataset.column].map(Number);
  const moves = [["ArrowRight", [0, 7]], ["Home", [0, 0]], ["ArrowLeft", [0, 0]], ["PageDown", [14, 0]],
    ["End", [14, 8]], ["ctrl+End", [39, 8]], ["PageUp", [25, 8]], ["ctrl+Home", [0, 0]], ["ArrowUp", [-1, 0]]];
  for (const [key, expected] of moves) {
    table.press(key);
    assert.deepEqual([key, place()], [key, expected]);
  }
  table.press("ArrowRight", "Enter");
  assert.equal(table.header("day").getAttribute("aria-sort"), "ascending");
});

test("an Enter that ends the input of a character confirms nothing", () => {
  const table = open(everything([row(1)]));
  table.press("Enter");
  const { activeElement, defaultView } = table.document;
  activeElement.dispatchEvent(new defaultView.KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true }));
  assert.equal(table.document.activeElement, activeElement);
  assert.deepEqual(table.sent, []);
});

test("a letter in a category cell opens the list with it", () => {
  const table = open(everything([row(1)]));
  table.press("r");
  assert.equal(table.find("[role=combobox]").value, "r");
  assert.equal(table.find("[role=option]").textContent, "RentBills0.00");
});

test("the notebook does not get the keys of the table", () => {
  const table = open(everything([row(1)]));
  const reached = [];
  table.document.body.addEventListener("keydown", (event) => reached.push([event.key, event.target]));
  const [arrow] = table.press("ArrowDown", "d", "d", "Enter"); // "d" twice deletes a cell of JupyterLab
  assert.ok(arrow.defaultPrevented);
  table.find("[role=grid]").focus();
  table.sent.length = 0;
  const [save] = table.press("ctrl+s");
  assert.deepEqual(reached, [["s", table.el]]); // above the element without shortcuts
  assert.ok(!save.defaultPrevented);
  table.el.addEventListener("keydown", (event) => event.preventDefault()); // a notebook that saves
  assert.ok(table.press("ctrl+s")[0].defaultPrevented);
  assert.deepEqual(table.sent, []);
  assert.equal(table.find(".bf-review").dataset.lmSuppressShortcuts, "true");
});

test("a double click sends one message", () => {
  const table = open(everything([row(1)], { revision: 4 }));
  const button = table.find(".bf-review-apply");
  button.click();
  button.click();
  table.receive({ type: "rows", rows: [], summary: { ...SUMMARY, revision: 4, phase: "sending" } });
  button.click();
  assert.deepEqual(table.sent, [{ type: "apply", revision: 4 }]);
  table.receive({ type: "rows", rows: [], summary: { ...SUMMARY, revision: 5 } });
  button.click();
  assert.deepEqual(table.sent.at(-1), { type: "apply", revision: 5 });
});

test("the next request is sent unless Stop was pressed", () => {
  const table = open(everything([row(1)]));
  const stop = table.find("[data-name=stop]");
  const sending = (revision) => table.receive({
    type: "rows", rows: [], summary: { ...SUMMARY, revision, phase: "sending", apply: false, go_on: revision > 2 },
  });
  assert.ok(stop.hidden);
  table.press("ArrowDown", "ArrowRight", "Enter");
  sending(2);
  assert.ok(!stop.hidden);
  sending(3);
  table.press("ArrowRight", "Enter", "Enter");
  assert.equal(table.status(), "Stops before the next request.");
  sending(4);
  table.receive({ type: "rows", rows: [], summary: { ...SUMMARY, revision: 5 } });
  assert.ok(stop.hidden);
  assert.equal(table.document.activeElement, table.find("[role=grid]"));
  sending(6);
  assert.deepEqual(table.sent, [{ type: "apply", revision: 1 }, { type: "go_on", revision: 3 },
    { type: "stop", revision: 4 }, { type: "go_on", revision: 6 }]);
});

test("the list of the keys opens with its button and with its key", () => {
  const table = open(everything([row(1)]));
  const [keys, button] = [table.find(".bf-review-keys"), table.find(".bf-review-help")];
  assert.ok(keys.hidden);
  table.press("?");
  assert.ok(!keys.hidden);
  assert.match(keys.textContent, /Ctrl\+Ssave the notebook; nothing is sent/);
  button.click();
  assert.deepEqual([keys.hidden, button.getAttribute("aria-expanded")], [true, "false"]);
  assert.equal(table.find("[role=combobox]"), null);
});

test("a column has the room that its longest text needs, which only grows", () => {
  const table = open(everything([row(1, { state: "not approved, cleared" })]));
  const columns = () => table.find(".bf-review").style.getPropertyValue("--bf-review-columns").split(/ (?=minmax|\d+px)/);
  assert.deepEqual(columns().slice(4), ["minmax(8ch, 5fr)", "minmax(10ch, 7fr)", "minmax(12ch, 9fr)",
    "minmax(8ch, 5fr)", "minmax(9ch, 23fr)"]);
  const changed = row(1, { memo: "lunch with Ann", problem: "changed elsewhere: memo" });
  for (const each of [changed, row(1)]) table.receive({ type: "rows", rows: [each], summary: SUMMARY });
  assert.deepEqual([columns()[4], columns()[8]], ["minmax(8ch, 15fr)", "minmax(9ch, 27fr)"]);
});

test("while changes are sent, progress is shown and nothing is edited", () => {
  const table = open(everything([row(1)], { changes: "1 change" }));
  table.press("Enter");
  table.receive({ type: "rows", rows: [], summary: { ...SUMMARY, phase: "sending" } });
  assert.equal(table.find(".bf-review-changes").textContent, "1 change");
  assert.equal(table.find("[role=combobox]"), null);
  table.receive({ type: "progress", done: 3, total: 10 });
  const progress = table.find("progress");
  assert.deepEqual([progress.hidden, progress.value, progress.max], [false, 3, 10]);
  assert.equal(table.status(), "3 of 10 changes sent.");
  table.press(" ", "Enter");
  assert.deepEqual(table.sent, []);
  table.receive({ type: "rows", rows: [], summary: SUMMARY });
  assert.ok(progress.hidden);
});

test("below the table are changes, cost, effects, warnings and the message", () => {
  const effects = Array.from({ length: 8 }, (_, index) => [`Category ${index}`, "1.00", "2.00"]);
  const table = open(everything([row(1)], {
    changes: "3 changes: 2 requests", effects, warnings: ["Overspent."], message: "Undone.",
  }));
  assert.equal(table.find(".bf-review-changes").textContent, "3 changes: 2 requests");
  assert.equal(table.texts(".bf-review-content > .bf-review-effects tr").length, 6);
  assert.deepEqual(table.texts("details summary, details td:first-child"),
    ["2 more effects", "Category 6", "Category 7"]);
  assert.deepEqual(table.texts(".bf-review-warnings li"), ["Overspent."]);
  assert.equal(table.find("[aria-live]").textContent, "Undone.");
});

test("without a kernel, the kept rows are shown and cannot be edited", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const table = open(undefined, everything([row(1, { payee: "Kept" })]));
  context.mock.timers.tick(3999);
  assert.deepEqual(table.column("payee"), []);
  context.mock.timers.tick(1);
  assert.deepEqual(table.column("payee"), ["Kept"]);
  table.press(" ", "Enter");
  assert.deepEqual(table.sent, [{ type: "ready" }]);
  assert.equal(table.status(), "These rows were saved with the notebook. Run the cell to edit them.");
  assert.ok(table.find("[data-name=apply]").hidden);
});

test("without a kernel and kept rows, the view says what to do", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const silent = open();
  const answered = open(everything([row(1)]), everything([row(2)]));
  context.mock.timers.tick(4000);
  assert.equal(silent.find(".bf-review-waiting").textContent, "Run the cell to see the rows.");
  assert.deepEqual(answered.column("payee"), ["Shop 1"]);
});

test("a removed view listens no more", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const table = open(undefined, everything([row(1)]));
  const root = table.find(".bf-review");
  table.close();
  context.mock.timers.tick(4000);
  assert.deepEqual([table.handlers.size, table.observers.size], [0, 0]);
  assert.equal(table.el.children.length, 0);
  assert.equal(root.querySelector("[role=gridcell]"), null);
});

test("assigned amounts have their own columns, and what is left to assign above them", () => {
  const amounts = (id, before, values) => row(id, {
    group: "Home", rule: "", wanted: "", before: `${before / 1000} €`, assigned: "5 €",
    milliunits: { wanted: null, before, assigned: 5000 }, changed: ["assigned"], ...values,
  });
  const left = { left: "Left to assign from 2026-07 on: 3 €", too_much: false };
  const table = open({ ...everything([amounts(1, 20000), amounts(2, -1000), amounts(3, 9000)], left), month: "2026-07-01" });
  assert.deepEqual(table.texts("[role=columnheader]"), ["", "Group", "Category", "Before", "Assigned", "State"]);
  assert.equal(table.find("[role=grid]").getAttribute("aria-colcount"), "6");
  assert.equal(table.find(".bf-review-left").textContent, left.left);
  assert.ok(table.cell("before").classList.contains("bf-review-amount"));
  assert.ok(table.active().classList.contains("bf-review-assigned"));
  table.header("before").click();
  assert.deepEqual(table.column("before"), ["-1 €", "9 €", "20 €"]);
  table.cell("assigned", 2).click();
  table.press("Enter");
  assert.equal(table.document.activeElement.value, "5 €");
  table.type("ten");
  table.press("Enter");
  assert.deepEqual(table.sent, [{ type: "edit", rows: [1], column: "assigned", value: "ten" }]);
  const problem = "'ten' is not an amount";
  const summary = { ...SUMMARY, left: "⚠ Left to assign from 2026-07 on: -3 €", too_much: true };
  table.receive({ type: "rows", rows: [amounts(1, 20000, { problem })], summary });
  assert.equal(table.cell("state", 2).textContent, `⚠ ${problem} cleared`);
  assert.ok(table.find(".bf-review-left").classList.contains("bf-review-sign"));
  const planned = open({ ...everything([amounts(1, 0, { rule: "the target", wanted: "7 €" })]), month: "2026-07-01" });
  assert.deepEqual(planned.texts("[role=columnheader]").slice(3), ["Rule", "Wanted", "Before", "Assigned", "State"]);
});
