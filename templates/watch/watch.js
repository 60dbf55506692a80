// The page of `tikzgen watch`: it listens to the server, and shows what it says. Everything that is shown becomes text
// (textContent), never markup.
"use strict";

const START = document.querySelector('meta[name="tikzgen-start"]').content;
const TOKEN = document.querySelector('meta[name="tikzgen-token"]').content;
const SILENT = 12000; // ms without a sign of life, which comes every 5 s: the laptop slept, or the server is gone
const AGAIN = 1000; // ms between two attempts

const WORDS = { waiting: "waiting", building: "building …", ready: "up to date", failed: "cannot be drawn" };
const MARKS = { waiting: "○", building: "◌", ready: "●", failed: "▲" };
const GROUPS = { facts: "Figure", distances: "Distances", texts: "Texts", defaults: "As by default" };

const $ = (id) => document.getElementById(id);

function make(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// ---- the connection

let stream = null;
let heard = 0;
let retry = 0;

function connect() {
  disconnect();
  heard = Date.now();
  stream = new EventSource("events");
  stream.onmessage = (event) => {
    heard = Date.now();
    const news = JSON.parse(event.data);
    if (news.start !== START) {
      location.reload(); // another run of the server, with a token of its own
      return;
    }
    linked(true);
    showOverview(news);
  };
  stream.addEventListener("beat", () => { heard = Date.now(); });
  stream.addEventListener("picture", (event) => showAtOnce(JSON.parse(event.data)));
  stream.onerror = () => {
    linked(false);
    disconnect();
    retry = setTimeout(connect, AGAIN);
  };
}

function disconnect() {
  clearTimeout(retry);
  if (stream) stream.close();
  stream = null;
}

function linked(yes) {
  const text = yes ? "connected" : "no connection; trying again";
  if ($("link").textContent !== text) $("link").textContent = text;
  $("link").classList.toggle("lost", !yes);
}

setInterval(() => {
  if (stream && Date.now() - heard > SILENT) {
    linked(false);
    connect();
  }
}, 2000);

// a hidden page holds no connection: a browser has few for one server
document.addEventListener("visibilitychange", () => (document.hidden ? disconnect() : connect()));
window.addEventListener("online", connect);

// ---- the list

let overview = { figures: [], notice: "" };
let shown = { id: -1, number: -1 };

function showOverview(news) {
  overview = news;
  $("notice").textContent = news.notice;
  $("notice").hidden = !news.notice;
  $("list").hidden = news.figures.length < 2;
  const chosen = selected();
  const list = $("figures");
  news.figures.forEach((figure, place) => {
    const item = list.children[place] || list.appendChild(listItem());
    fillItem(item.firstChild, figure, figure === chosen);
  });
  while (list.children.length > news.figures.length) list.lastChild.remove();
  follow();
}

function listItem() {
  const item = make("li");
  const link = item.appendChild(make("a"));
  link.append(make("span", "mark"), make("span", "title"), make("span", "what"));
  link.firstChild.setAttribute("aria-hidden", "true");
  return item;
}

function fillItem(link, figure, current) {
  const found = figure.status === "ready" && figure.findings ? `, ${many(figure.findings, "finding")}` : "";
  const texts = [MARKS[figure.status], figure.name, WORDS[figure.status] + found];
  link.href = `#${encodeURIComponent(figure.name)}`;
  link.className = figure.status;
  link.setAttribute("aria-current", String(current));
  texts.forEach((text, place) => {
    if (link.children[place].textContent !== text) link.children[place].textContent = text;
  });
}

function selected() {
  let name = "";
  try {
    name = decodeURIComponent(location.hash.slice(1));
  } catch {
    name = "";
  }
  return overview.figures.find((figure) => figure.name === name) || overview.figures[0];
}

window.addEventListener("hashchange", () => showOverview(overview));

// ---- one figure

async function follow() {
  const chosen = selected();
  if (!chosen) {
    clear();
    return;
  }
  if (chosen.id === shown.id && chosen.number <= shown.number) return;
  if (chosen.id === shown.id && chosen.status === "building" && current) {
    showStatus(chosen); // the rest is as it was
    return;
  }
  preload(chosen);
  let view;
  try {
    const answer = await fetch(`figures/${chosen.id}`);
    if (!answer.ok) return;
    view = await answer.json();
  } catch {
    return; // the next event asks again
  }
  const still = selected();
  if (!still || still.id !== view.id || (view.id === shown.id && view.number <= shown.number)) return;
  if (view.id !== shown.id) clear();
  shown = { id: view.id, number: view.number };
  showView(view);
}

function clear() {
  shown = { id: -1, number: -1 };
  wanted = "";
  $("form").scrollTop = 0;
  for (const id of ["stage", "troubles", "findings", "form", "tools"]) $(id).hidden = true;
  for (const id of ["name", "status", "size", "fields", "sheet", "other", "pointed"]) $(id).replaceChildren();
  fields.clear();
}

function showView(view) {
  $("name").textContent = view.name;
  document.title = `${MARKS[view.status]} ${view.name} – tikzgen watch`;
  showStatus(view);
  showPicture(view);
  showTroubles(view);
  if (view.looked) {
    showFindings(view);
    showFields(view);
  }
  current = view;
  showSpots();
  showOther();
}

function showStatus(figure) {
  $("status").className = `status ${figure.status}`;
  $("status").textContent = `${MARKS[figure.status]} ${WORDS[figure.status]}`;
  $("stage").classList.toggle("old", figure.status === "building");
}

let ahead = null; // the newest picture, on its way before the page knows all about it

function preload(figure) {
  const address = `figures/${figure.id}/picture/${figure.picture}`;
  if (!figure.picture || (ahead && ahead.dataset.address === address)) return;
  ahead = new Image();
  ahead.dataset.address = address;
  ahead.src = address;
}

// a picture that came with the news: what else the page shows is asked for
function showAtOnce(news) {
  if (news.id !== shown.id || !current) return;
  ahead = new Image();
  ahead.dataset.address = `figures/${news.id}/picture/${news.picture.number}`;
  ahead.src = `data:image/svg+xml,${encodeURIComponent(news.svg)}`; // at hand, while a blob is fetched
  wanted = `${news.id}/${news.picture.number}`;
  $("pdf").hidden = !news.picture.pdf;
  draw(current, news.picture, wanted);
}

let wanted = ""; // the picture that is to stand there, by figure and number
let loading = "";

function showPicture(view) {
  const picture = view.picture;
  $("tools").hidden = !picture;
  $("size").textContent = picture ? `${cm(picture.width)} × ${cm(picture.height)} cm` : "";
  wanted = picture ? `${view.id}/${picture.number}` : "";
  if (!picture) {
    $("stage").hidden = true;
    $("sheet").replaceChildren();
    return;
  }
  $("pdf").hidden = !picture.pdf;
  $("pdf").href = `figures/${view.id}/pdf/${picture.number}`;
  $("pdf").download = view.name.replace(/\.[^.]*$/, ".pdf");
  const drawn = $("sheet").firstChild;
  if (loading !== wanted && !(drawn && drawn.dataset.figure === wanted)) draw(view, picture, wanted);
}

// the old picture stays until the new one can be drawn: no flicker
async function draw(view, picture, figure) {
  loading = figure;
  const image = imageOf(view, picture, "picture");
  image.dataset.figure = figure;
  try {
    await image.decode();
  } catch {
    if (wanted === figure) setTimeout(askAgain, AGAIN);
    return;
  } finally {
    if (loading === figure) loading = "";
  }
  if (wanted !== figure) return;
  $("sheet").style.background = picture.paper || "#ffffff";
  $("sheet").replaceChildren(image);
  $("stage").hidden = false;
  $("troubles").hidden = true; // a picture may come ahead of the view that has none any more
  zoomAll();
  showSpots();
}

function imageOf(view, picture, kind) {
  const address = `figures/${view.id}/${kind}/${picture.number}`;
  const image = ahead && ahead.dataset.address === address ? ahead : new Image();
  image.alt = picture.alt || `${view.name}, as it is printed`;
  image.lang = picture.language;
  image.dataset.width = picture.width;
  image.dataset.height = picture.height;
  if (image !== ahead) image.src = address;
  zoom(image);
  return image;
}

function askAgain() {
  shown.number = -1;
  follow();
}

function zoom(image) {
  const chosen = $("zoom").value;
  const factor = chosen === "fit" ? fitting(image) : Number(chosen);
  image.style.width = `${image.dataset.width * factor}cm`;
  image.style.height = `${image.dataset.height * factor}cm`;
}

// as large as it is seen whole: one figure, or two side by side
function fitting(image) {
  const cm = 96 / 2.54;
  const sheets = $("other").hidden ? 1 : 2;
  const wide = ($("main").clientWidth - 40 - 50 * sheets) / sheets / cm - 1.05;
  const high = (window.innerHeight * 0.72) / cm - 1;
  return Math.max(0.1, Math.min(wide / image.dataset.width, high / image.dataset.height));
}

function zoomAll() {
  for (const image of document.querySelectorAll(".sheet img")) zoom(image);
}

$("zoom").addEventListener("change", zoomAll);
window.addEventListener("resize", zoomAll);

// ---- the colours for the other paper

let current = null; // the view that is shown
let asked = ""; // the picture whose other colours were asked for last

async function showOther() {
  const place = $("other");
  const view = current;
  const other = $("both").checked && view && view.picture ? view.other : null;
  place.hidden = !other;
  if (!other) {
    place.replaceChildren();
    zoomAll();
    if (!$("both").checked || !view || !view.picture || asked === wanted) return;
    asked = wanted;
    const answer = await post(view.id, { other: true });
    if (answer.refused) $("pointed").textContent = answer.refused;
    return;
  }
  if (!place.firstChild || place.firstChild.dataset.figure !== wanted) {
    const image = imageOf(view, other, "other");
    image.dataset.figure = wanted;
    place.style.background = other.paper || "#ffffff";
    place.replaceChildren(image);
    zoomAll();
  }
}

$("both").addEventListener("change", () => { asked = ""; showOther(); });

// ---- the elements on the picture

const PT = 72.27 / 2.54; // in a cm
const SVG = $("ground").namespaceURI;
const FAR = 4; // px: a pointer that moves less has clicked

let spotted = ""; // what is shown of them
let pulling = false;

function showSpots() {
  const old = document.querySelector(".spots");
  const view = current;
  const image = $("sheet").firstChild;
  const fits = view && view.looked && view.picture && image && image.dataset.figure === wanted;
  const facts = fits ? `${wanted} ${JSON.stringify([view.spots, view.findings])}` : "";
  if (pulling || (old && spotted === facts)) return;
  spotted = facts;
  if (old) old.remove();
  if (!fits || !view.spots.length) return;
  const layer = document.createElementNS(SVG, "svg");
  layer.setAttribute("class", "spots");
  layer.setAttribute("viewBox", `0 0 ${view.picture.width * PT} ${view.picture.height * PT}`);
  layer.setAttribute("aria-hidden", "true");
  for (const spot of view.spots) layer.append(spotShape(view, spot));
  $("sheet").append(layer);
}

function spotShape(view, spot) {
  const [left, top, right, bottom] = spot.box;
  const shape = document.createElementNS(SVG, spot.path ? "path" : "rect");
  const places = spot.path
    ? { d: spot.path }
    : { x: left - 1.5, y: top - 1.5, width: right - left + 3, height: bottom - top + 3, rx: 1.5 };
  for (const [name, value] of Object.entries(places)) shape.setAttribute(name, value);
  const found = view.findings.filter((finding) => spot.line && finding.line === spot.line);
  if (found.length) shape.classList.add("found", found.some((each) => each.severity === "error") ? "error" : "warning");
  if (spot.across) shape.classList.add("across");
  if (spot.down) shape.classList.add("down");
  shape.dataset.line = spot.line;
  shape.dataset.name = spot.name;
  shape.dataset.field = spot.field;
  const title = document.createElementNS(SVG, "title");
  title.textContent = [nameOf(spot), ...found.map((finding) => finding.message)].join("\n");
  shape.append(title);
  shape.addEventListener("pointerenter", () => pulling || point(view, spot));
  shape.addEventListener("pointerdown", (event) => pull(event, view, spot, shape));
  return shape;
}

function fieldOf(key) {
  return current.fields.find((field) => field.key === key);
}

function nameOf(spot) {
  const field = fieldOf(spot.field);
  return [spot.name, field && `${field.name}: ${field.value}`].filter(Boolean).join(" · ");
}

function point(view, spot) {
  const place = spot.line ? `${view.name}:${spot.line}` : "";
  $("pointed").textContent = [nameOf(spot), place].filter(Boolean).join(" · ");
}

// a click selects the field of an element; its edge, dragged, gives the distance that moves it another value
function pull(event, view, spot, shape) {
  if (event.button) return;
  event.preventDefault();
  const from = { x: event.clientX, y: event.clientY };
  const layer = shape.ownerSVGElement;
  const scale = layer.getBoundingClientRect().width / (view.picture.width * PT);
  const seen = layer.getBoundingClientRect();
  let drag = null;
  pulling = true;
  const move = (moved) => {
    const by = { x: moved.clientX - from.x, y: moved.clientY - from.y };
    if (!drag && Math.hypot(by.x, by.y) < FAR) return;
    const across = drag ? drag.across : spot.across && (!spot.down || Math.abs(by.x) >= Math.abs(by.y));
    const way = across ? spot.across : spot.down;
    const held = way && fields.get(way.key);
    if (!held || held.input.disabled) return;
    const [near, far] = across ? [spot.box[0], spot.box[2]] : [spot.box[1], spot.box[3]];
    const at = (across ? from.x - seen.left : from.y - seen.top) / scale;
    const share = Math.min(1, Math.max(0, (at - near) / (far - near || 1)));
    const slope = way.near + (way.far - way.near) * share;
    if (Math.abs(slope) < 0.5) return;
    const length = (across ? by.x : by.y) / scale;
    drag = { across, held, key: way.key, value: bounded(fieldOf(way.key), Number(held.was) + length / slope) };
    shape.setAttribute("transform", across ? `translate(${length} 0)` : `translate(0 ${length})`);
    shape.classList.add("chosen");
    $("pointed").textContent = `${fieldOf(way.key).name}: ${held.was} → ${drag.value} cm`;
  };
  const end = async (ended) => {
    for (const [name, act] of heard) window.removeEventListener(name, act);
    shape.removeAttribute("transform");
    pulling = false;
    if (drag) shape.classList.remove("chosen");
    if (drag && ended.type === "pointerup") await set();
    else if (ended.type === "pointerup") choose(view, spot, shape);
    showSpots();
  };
  const set = async () => {
    open(drag.held);
    drag.held.input.value = drag.value;
    touched(drag.held);
    await submit(view.id, drag.key, drag.held);
  };
  const escape = (pressed) => { if (pressed.key === "Escape") end(pressed); };
  const heard = [["pointermove", move], ["pointerup", end], ["pointercancel", end], ["keydown", escape]];
  for (const [name, act] of heard) window.addEventListener(name, act);
}

function bounded(field, value) {
  const least = field.least === null ? -Infinity : field.least;
  const most = field.most === null ? Infinity : field.most;
  const exact = Math.min(most, Math.max(least, value));
  return String(Number(exact.toFixed(Math.abs(exact) < 0.5 ? 3 : 2)));
}

function choose(view, spot, shape) {
  for (const each of document.querySelectorAll(".spots .chosen")) each.classList.remove("chosen");
  shape.classList.add("chosen");
  point(view, spot);
  const held = fields.get(spot.field);
  if (!held) return;
  open(held);
  held.input.focus();
  if (held.input.select) held.input.select();
}

function open(held) {
  const box = held.form.closest("details");
  if (box) box.open = true;
  held.form.scrollIntoView({ block: "nearest" });
}

function showPlace(line) {
  for (const each of document.querySelectorAll(".spots *")) {
    each.classList.toggle("chosen", Boolean(line) && each.dataset.line === String(line));
  }
}

function showTroubles(view) {
  const place = $("troubles");
  const same = JSON.stringify(view.troubles);
  if (place.dataset.shown === same && !place.hidden) return;
  place.dataset.shown = same;
  place.hidden = !view.troubles.length;
  place.replaceChildren(...view.troubles.map(troubleItem));
  if (!view.troubles.length) return;
  const button = place.appendChild(make("button", "", "Try again"));
  button.type = "button";
  const told = place.appendChild(make("p", "answer refused"));
  told.setAttribute("role", "status");
  button.addEventListener("click", async () => {
    told.textContent = (await post(view.id, { again: true })).refused || "";
  });
}

function troubleItem(trouble) {
  const item = make("div", "trouble");
  item.append(make("p", "", trouble.message));
  if (!trouble.excerpt.length) return item;
  const wide = Math.max(...trouble.excerpt.map((line) => String(line.number).length));
  const block = item.appendChild(make("pre"));
  const row = (className, head, ...parts) => {
    const made = block.appendChild(make("span", className));
    made.append(make("span", "number", `${head.padStart(wide)} │ `), ...parts);
  };
  for (const line of trouble.excerpt) {
    row(line.here ? "row here" : "row", String(line.number || ""), line.text);
    if (line.mark) row("row", "", make("span", "caret", `${" ".repeat(line.mark - 1)}^`));
  }
  return item;
}

function showFindings(view) {
  const notes = view.picture ? view.picture.notes : [];
  const said = new Set(view.troubles.map((trouble) => trouble.message));
  const findings = view.findings.filter((finding) => !said.has(finding.text));
  $("findings").hidden = view.status === "failed" && !findings.length;
  const items = findings.map((finding) => {
    const item = make("li", finding.severity);
    const hint = finding.hint ? ` (${finding.hint})` : "";
    const place = [finding.file, finding.line, finding.column].filter((part) => part !== null).join(":");
    item.append(make("span", "code", `${finding.severity} ${finding.code}`), `${finding.message}${hint}`);
    item.append(make("span", "place", place));
    if (finding.line && view.spots.some((spot) => spot.line === finding.line)) {
      item.tabIndex = 0;
      item.addEventListener("focus", () => showPlace(finding.line));
      item.addEventListener("blur", () => showPlace(0));
    }
    return item;
  });
  items.push(...notes.map((note) => make("li", "note", note)));
  if (!items.length) items.push(make("li", "none", "none"));
  $("findings-list").replaceChildren(...items);
}

const cm = (length) => String(Math.round(length * 100) / 100);
const many = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

// ---- the form

const fields = new Map(); // by key: the form element, its input, and the value that the file has
const unfolded = new Map(); // by group: it stays so while a figure cannot be drawn and has no fields
let order = "";
let forms = 0; // made so far, for the names of their parts

function showFields(view) {
  const editable = view.fields.length > 0;
  $("form").hidden = !editable && view.status !== "failed";
  $("form-hint").textContent = editable
    ? "Enter sets a field. It is written to the file; everything else there stays."
    : "They are here again as soon as the figure can be drawn.";
  const now = JSON.stringify(view.fields.map((field) => [field.key, field.group, shape(field)]));
  if (now !== order || fields.size !== view.fields.length) {
    buildFields(view);
    order = now;
  }
  for (const field of view.fields) refresh(field);
}

// a field that is still asked for stays what it is: with what is typed there, and what was answered
function buildFields(view) {
  const before = new Map(fields);
  const focused = document.activeElement && document.activeElement.dataset.key;
  fields.clear();
  for (const box of $("fields").querySelectorAll("details")) unfolded.set(box.dataset.group, box.open);
  const groups = Object.entries(GROUPS).map(([group, title]) => {
    const box = make("details");
    box.dataset.group = group;
    box.open = unfolded.get(group) ?? group !== "defaults";
    const summary = box.appendChild(make("summary", "", title));
    summary.append(make("span", "unit", ` (${view.fields.filter((each) => each.group === group).length})`));
    for (const field of view.fields.filter((each) => each.group === group)) {
      const held = before.get(field.key);
      box.append(held && held.shape === shape(field) ? held.form : fieldForm(view.id, field, held));
      if (!fields.has(field.key)) fields.set(field.key, held);
    }
    return box;
  });
  $("fields").replaceChildren(...groups.filter((box) => box.children.length > 1));
  if (focused && fields.has(focused)) fields.get(focused).input.focus();
}

// what a field is, apart from its value; a choice that is none of the offered ones, or a text of many lines, is its own
function shape(field) {
  const own = field.kind === "choice" ? !field.choices.includes(field.value) && field.value : field.value.includes("\n");
  return JSON.stringify({ ...field, group: "", line: 0, value: own });
}

function fieldForm(id, field, before) {
  const form = make("form", `field ${field.kind}`);
  forms += 1;
  const name = `field-${forms}`;
  const input = fieldInput(field);
  input.id = name;
  input.dataset.key = field.key;
  input.disabled = Boolean(field.fixed);
  input.setAttribute("aria-describedby", `${name}-meaning ${name}-answer`);
  const label = make("label", "", field.name);
  label.htmlFor = name;
  const unit = field.kind === "tex" ? "TeX" : field.unit;
  if (unit) label.append(make("span", "unit", ` (${unit})`));
  const button = make("button", "", "Set");
  button.setAttribute("aria-label", `Set ${field.name}`);
  const line = make("div", "line");
  line.append(input, button);
  if (field.kind === "count") line.append(step(id, field, -1), step(id, field, 1));
  const meaning = make("p", "meaning");
  meaning.append(...prose([field.meaning.replace(/\.$/, ""), bounds(field), field.fixed].filter(Boolean).join("; ")));
  meaning.id = `${name}-meaning`;
  const answer = make("p", "answer");
  answer.id = `${name}-answer`;
  answer.setAttribute("role", "status");
  form.append(label, line, meaning, answer);
  const held = { form, input, button, answer, shape: shape(field), was: field.value };
  fields.set(field.key, held);
  input.value = before && dirty(before) ? before.input.value : field.value;
  touched(held);
  input.addEventListener("input", () => { say(held, "", ""); touched(held); });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      input.value = held.was;
      say(held, "", "");
      touched(held);
    }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit(id, field.key, held);
  });
  return form;
}

function fieldInput(field) {
  if (field.kind === "choice") {
    const select = make("select");
    for (const choice of new Set([field.value, ...field.choices])) {
      select.append(new Option(choice || field.unset, choice));
    }
    return select;
  }
  if (field.value.includes("\n")) {
    const area = make("textarea");
    area.rows = field.value.split("\n").length;
    return area;
  }
  const input = make("input");
  input.type = "text";
  input.autocomplete = "off";
  input.spellcheck = field.kind === "text";
  if (field.kind === "number" || field.kind === "count") input.inputMode = "decimal";
  if (field.unset) input.placeholder = field.unset;
  return input;
}

// one less or one more, written at once
function step(id, field, by) {
  const button = make("button", "", by < 0 ? "−" : "+");
  button.type = "button";
  button.setAttribute("aria-label", `${by < 0 ? "one less" : "one more"}: ${field.name}`);
  button.addEventListener("click", () => {
    const held = fields.get(field.key);
    const value = Number(held.input.value) + by;
    if (!Number.isInteger(value) || (field.least !== null && value < field.least)) return;
    if (field.most !== null && value > field.most) return;
    held.input.value = String(value);
    submit(id, field.key, held);
  });
  return button;
}

function bounds(field) {
  const known = (bound) => bound !== null && bound !== undefined;
  if (known(field.least) && known(field.most)) return `${field.least} to ${field.most}`;
  if (known(field.least)) return `from ${field.least}`;
  return known(field.most) ? `up to ${field.most}` : "";
}

// a text with `code` in it
function prose(text) {
  return text.split("`").map((part, place) => (place % 2 ? make("code", "", part) : part));
}

const dirty = (held) => held.input.value !== held.was;

function touched(held) {
  held.button.disabled = held.input.disabled || !dirty(held);
}

function say(held, kind, text) {
  held.answer.className = `answer ${kind}`;
  held.answer.textContent = text;
  held.input.setAttribute("aria-invalid", String(kind === "refused"));
}

function refresh(field) {
  const held = fields.get(field.key);
  if (!held || held.was === field.value) return;
  const typing = dirty(held);
  held.was = field.value;
  if (!typing) {
    held.input.value = field.value;
  } else if (dirty(held)) {
    say(held, "news", `the file says “${field.value}” now`);
  } else {
    say(held, "", "");
  }
  touched(held);
}

async function submit(id, key, held) {
  if (!dirty(held)) return;
  const [was, value] = [held.was, held.input.value];
  held.button.disabled = true;
  const answer = await post(id, { field: key, was, value });
  if (shown.id !== id) return; // another figure is looked at
  held = fields.get(key) || held; // the form may have been made anew meanwhile
  if (answer.refused) {
    say(held, "refused", answer.refused);
  } else {
    held.was = value;
    say(held, "done", answer.written ? "written" : "unchanged");
    if (answer.written) {
      const back = undo(id, key, held, was);
      held.answer.append(" ", back);
      undone = () => back.click();
    }
  }
  touched(held);
}

let undone = null; // takes the last change back

document.addEventListener("keydown", (event) => {
  if (event.key !== "z" || !(event.ctrlKey || event.metaKey) || event.target.closest("input, textarea") || !undone) return;
  event.preventDefault();
  undone();
});

function undo(id, key, held, value) {
  const button = make("button", "undo", "undo");
  button.type = "button";
  button.addEventListener("click", () => {
    held.input.value = value;
    held.input.focus();
    submit(id, key, held);
  });
  return button;
}

async function post(id, asked) {
  try {
    const answer = await fetch(`figures/${id}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Tikzgen-Token": TOKEN },
      body: JSON.stringify(asked),
    });
    return answer.ok ? await answer.json() : { refused: (await answer.text()).trim() };
  } catch {
    return { refused: "no connection to tikzgen watch: nothing was written" };
  }
}

connect();
