"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const get = (id) => document.getElementById(id);
const make = (name, properties = {}, ...children) => {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
};
const counted = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;
const missing = [[data.sheets, "style sheet"], [data.images, "image"]].filter(([number]) => number);
get("missing").textContent = missing.length ? `Shown without ${missing.map((each) => counted(...each)).join(" and ")}: nothing is loaded from the page's host.` : "";
const state = { method: data.method, other: "", tab: "text", blocks: [], current: -1 };
let marks = [];

// -- the page ------------------------------------------------------------------------------------

const frame = get("page");
frame.addEventListener("load", () => {
  marks = [];
  for (const mark of frame.contentDocument.querySelectorAll("b-t[data-t]")) marks[mark.dataset.t] = mark;
  resize();
  draw();
});
frame.srcdoc = data.page;

const LARGEST = 2000000;  // pixels
let width = 0;
new ResizeObserver(() => {
  if (width && width !== get("stage").clientWidth && frame.contentDocument) { resize(); place(); }
}).observe(get("stage"));

function resize() {
  width = get("stage").clientWidth;
  frame.style.width = "100%";
  frame.style.height = "100vh";  // what depends on the height of the window must not grow with it
  const root = frame.contentDocument.documentElement;
  // As large as the page: the window scrolls, not the frame, and the buttons stay where they belong.
  frame.style.width = Math.max(width, Math.min(root.scrollWidth, LARGEST)) + "px";
  frame.style.height = Math.min(root.scrollHeight, LARGEST) + "px";
}

// Which text nodes a method keeps, as [start, stop, kept, role, score, reason, xpath, text] a block.
function keeps(name) {
  const flags = new Uint8Array(data.texts);
  if (name) for (const [start, stop, kept] of data.methods[name].blocks) if (kept) flags.fill(1, start, stop);
  return flags;
}

function draw() {
  const blocks = data.methods[state.method].blocks;
  const one = keeps(state.method), other = keeps(state.other);
  for (const [start, stop, , role] of blocks) {
    for (let text = start; text < stop; text++) {
      if (!marks[text]) continue;
      const place = state.other ? compared(one[text], other[text]) : (one[text] ? "kept " : "left ") + role;
      marks[text].className = place;
    }
  }
  state.blocks = blocks;
  place();
  show(-1);
  fill();
}

const compared = (one, other) => one && other ? "both" : one ? "first" : other ? "second" : "neither";

// Lays a button over each block. The page itself gets no script and no listener.
function place() {
  const layer = get("boxes");
  layer.replaceChildren();
  const boxes = document.createDocumentFragment();
  state.blocks.forEach((block, number) => {
    const [start, stop, kept, role, , , , text] = block;
    let left = Infinity, top = Infinity, right = -Infinity, bottom = -Infinity;
    for (let each = start; each < stop; each++) {
      if (!marks[each]) continue;
      for (const area of marks[each].getClientRects()) {
        if (!area.width || !area.height) continue;
        left = Math.min(left, area.left); right = Math.max(right, area.right);
        top = Math.min(top, area.top); bottom = Math.max(bottom, area.bottom);
      }
    }
    if (left === Infinity) return;  // not shown on the page; the list of blocks has it
    const box = make("button", { className: "box", type: "button", tabIndex: number === state.current ? 0 : -1 });
    box.dataset.block = number;
    box.dataset.kept = kept ? 1 : 0;
    box.setAttribute("aria-label", `${kept ? "kept" : "dropped"}, ${role}: ${text.slice(0, 80)}`);
    box.style.cssText = `left:${left}px;top:${top}px;width:${right - left}px;height:${bottom - top}px`;
    boxes.append(box);
  });
  layer.append(boxes);
  const first = layer.querySelector(".box[tabindex='0']") || layer.firstElementChild;
  if (first) first.tabIndex = 0;
}

// -- blocks --------------------------------------------------------------------------------------

const blockOf = (event) => {
  const node = event.target.closest("[data-block]");
  return node ? Number(node.dataset.block) : -1;
};
get("boxes").addEventListener("mouseover", (event) => { if (state.current < 0) describe(blockOf(event)); });
get("boxes").addEventListener("focusin", (event) => { if (state.current < 0) describe(blockOf(event)); });
get("boxes").addEventListener("click", (event) => show(blockOf(event)));
get("boxes").addEventListener("keydown", (event) => {
  const boxes = [...get("boxes").children], at = boxes.indexOf(event.target);
  const to = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: boxes.length - 1 }[event.key];
  if (to === undefined || !boxes[to]) return;
  event.preventDefault();
  boxes[at].tabIndex = -1;
  boxes[to].tabIndex = 0;
  boxes[to].focus();
});
document.addEventListener("keydown", (event) => { if (event.key === "Escape") show(-1); });

function show(number) {
  state.current = number;
  for (const box of get("boxes").children) box.setAttribute("aria-pressed", Number(box.dataset.block) === number);
  describe(number);
  if (number >= 0 && data.server) offer(number);
}

// At most so many characters of a text, whole words where it has spaces.
function beginning(text, most) {
  if (text.length <= most) return text;
  const part = text.slice(0, most), space = part.lastIndexOf(" ");
  return part.slice(0, space > most / 2 ? space : most) + "…";
}

const KEYS = matchMedia("(hover: hover)").matches;  // a phone has none

function describe(number) {
  const block = state.blocks[number];
  get("rule").replaceChildren();
  if (!block) {
    get("about").replaceChildren(make("p", { textContent: `Select a block to see why it was kept or dropped.${KEYS ? " Arrow keys move between blocks, Enter pins a block, Escape releases it." : ""}` }));
    return;
  }
  const [, , kept, role, score, reason, xpath, text] = block;
  get("about").replaceChildren(
    make("p", {}, make("strong", { textContent: kept ? "Kept" : "Dropped" }), ` as ${role} (score ${score}) by ${reason}`),
    make("p", {}, make("code", { textContent: xpath })),
    make("p", { dir: "auto", textContent: text }),
  );
}

// -- side bar ------------------------------------------------------------------------------------

for (const name of Object.keys(data.methods)) {
  get("method").append(make("option", { value: name, textContent: name, selected: name === state.method }));
  get("other").append(make("option", { value: name, textContent: name }));
}
get("method").addEventListener("change", (event) => { state.method = event.target.value; draw(); });
get("other").addEventListener("change", (event) => { state.other = event.target.value; draw(); });

const TABS = ["text", "markdown", "metadata", "blocks", "site"];
const tabs = TABS.map((name) => get(`tab-${name}`));
tabs.forEach((tab, number) => {
  tab.addEventListener("click", () => { state.tab = TABS[number]; fill(); });
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(number + step + tabs.length) % tabs.length];
    next.focus();
    next.click();
  });
});

function fill() {
  tabs.forEach((tab, number) => {
    const chosen = TABS[number] === state.tab;
    tab.setAttribute("aria-selected", chosen);
    tab.tabIndex = chosen ? 0 : -1;
  });
  get("panel").setAttribute("aria-labelledby", `tab-${state.tab}`);
  const method = data.methods[state.method];
  const sure = method.confidence === null ? "" : `, confidence ${method.confidence}`;
  get("summary").textContent = `${method.kind}, ${method.words} words${sure}`;
  legend();
  const panel = get("panel");
  if (state.tab === "blocks") panel.replaceChildren(listed());
  else if (state.tab === "site") panel.replaceChildren(site());
  else if (state.tab === "metadata") panel.replaceChildren(rows(Object.entries(data.metadata).map(([name, value]) => [name, value, data.sources[name]])));
  else panel.replaceChildren(make("pre", { tabIndex: 0, dir: "auto", textContent: method[state.tab] || "(nothing)" }));
}

function legend() {
  const names = state.other
    ? [["both", "kept by both"], ["first", `only ${state.method}`], ["second", `only ${state.other}`]]
    : [...new Set(state.blocks.map((block) => (block[2] ? "kept " : "left ") + block[3]))].sort().map((name) => [name, name.replace("left ", "dropped: ").replace("kept ", "")]);
  get("legend").replaceChildren(...names.map(([kind, label]) => {
    const key = make("span", { className: `key ${kind}`, textContent: label });
    const colour = data.colours[kind] || data.colours[kind.split(" ")[1]];
    if (!kind.startsWith("left")) key.style.background = colour;
    return key;
  }));
}

const wide = (table) => make("div", { className: "wide" }, table);

const rows = (pairs) => wide(make("table", { className: "facts" }, make("tbody", {}, ...pairs.map(([name, value, source]) =>
  make("tr", {}, make("th", { scope: "row", textContent: name }), make("td", { dir: "auto", textContent: Array.isArray(value) ? value.join(", ") : value },
    ...(source ? [make("small", { dir: "ltr", textContent: `from ${source}` })] : [])))))));

function listed() {
  const list = make("table", {}, make("caption", { textContent: "All blocks in order" }));
  const body = make("tbody");
  state.blocks.forEach(([, , kept, role, score, , , text], number) => {
    const button = make("button", { type: "button", dir: "auto", textContent: beginning(text, 48) || "(nothing)" });
    button.dataset.block = number;
    button.addEventListener("click", () => {
      show(number);
      const box = get("boxes").querySelector(`[data-block="${number}"]`);
      if (box) box.scrollIntoView({ block: "center" });
    });
    body.append(make("tr", {}, make("td", { textContent: kept ? role : "dropped" }), make("td", { className: "number", textContent: score }), make("td", {}, button)));
  });
  list.append(body);
  return wide(list);
}

function site() {
  const part = make("div");
  if (!data.site) return make("p", { textContent: "Nothing is known about this site." });
  part.append(make("p", { textContent: `${data.site.key}: ${data.site.state}` }), rows(data.site.facts));
  if (data.server && data.site.pages.length) {
    part.append(make("h2", { textContent: "Other pages of the site" }));
    const list = make("ul");
    for (const [name, link] of data.site.pages) {
      list.append(make("li", {}, make("a", { href: link, textContent: name })));
    }
    part.append(list);
  }
  if (data.site.elsewhere.length) {
    part.append(make("p", { textContent: `Ignored, because they belong to another site or have no URL: ${data.site.elsewhere.join(", ")}` }));
  }
  return part;
}

// -- rules ---------------------------------------------------------------------------------------

async function ask(what, body) {
  const answer = await fetch(what, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ page: data.number, ...body }) });
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error);
  return found;
}

const failed = (error) => get("rule").append(make("p", { role: "alert", textContent: String(error.message || error) }));

async function offer(number) {
  const [start, stop] = state.blocks[number];
  try {
    const { selectors } = await ask("selectors", { start, stop });
    if (state.current !== number) return;
    const choice = make("select", { id: "selector" }, ...selectors.map(([selector, count]) =>
      make("option", { value: selector, textContent: `${selector} (${count} here)` })));
    const button = (what, label) => {
      const made = make("button", { type: "button", textContent: label });
      made.addEventListener("click", () => {
        for (const each of made.parentNode.children) each.setAttribute("aria-pressed", each === made);
        effect(what, choice.value).catch(failed);
      });
      made.setAttribute("aria-pressed", false);
      return made;
    };
    choice.addEventListener("change", () => { const pressed = get("rule").querySelector("[aria-pressed=true]"); if (pressed) pressed.click(); });
    get("rule").replaceChildren(
      make("h2", { textContent: `A rule for ${data.site ? data.site.key : "this site"}` }),
      make("label", { htmlFor: "selector", textContent: "Element" }), choice, make("p", {}, button("drop", "Never keep it"), " ", button("keep", "Always keep it")),
      make("div", { id: "effect" }));
  } catch (error) { failed(error); }
}

async function effect(what, selector) {
  const place = get("effect");
  place.replaceChildren(make("p", { role: "status", textContent: "…" }));
  const found = await ask("effect", { what, selector });
  const body = make("tbody", {}, ...found.pages.map(([name, before, after, sample]) => make("tr", {},
    make("td", { textContent: name }), make("td", { className: "number", textContent: before }),
    make("td", { className: "number", textContent: after }), make("td", { textContent: sample }))));
  const head = make("thead", {}, make("tr", {}, ...["page", "words now", "with the rule", "example"].map((name) => make("th", { scope: "col", textContent: name }))));
  const save = make("button", { type: "button", className: "main", textContent: `Write it to ${found.file}` });
  const rule = JSON.stringify({ site: data.site.key, [what]: [selector] });
  save.addEventListener("click", async () => {
    try {
      const { message } = await ask("save", { what, selector });
      place.append(make("p", { role: "status", textContent: message }), make("a", { href: "", textContent: "Show the page with this rule" }));
      save.disabled = true;
    } catch (error) { failed(error); }
  });
  place.replaceChildren(
    make("p", { role: "status", textContent: `${found.changed} of ${found.total} pages change${found.of > found.total ? `, a sample of ${found.of}` : ""}.` }),
    ...(found.pages.length ? [wide(make("table", {}, head, body))] : []),
    make("div", { className: "actions" }, make("p", {}, "The rule: ", make("code", { textContent: rule })), save));
  save.scrollIntoView({ block: "nearest" });
}
