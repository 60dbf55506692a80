// The playground: Python draws what the text says, a moment after it was changed. The link carries the text.

const here = new URL(".", import.meta.url);
const byId = (id) => document.getElementById(id);
const [spec, state, figure, choice] = ["spec", "state", "figure", "example"].map(byId);
let drawn = null;

const packed = async (text) => {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};

const unpacked = async (text) => {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text();
};

const save = (name, kind, text) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: kind }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
};

const examples = await (await fetch(new URL("examples.json", here))).json();
for (const name of Object.keys(examples)) choice.add(new Option(name));
const given = new URLSearchParams(location.hash.slice(1)).get("spec");
try {
  spec.value = given ? await unpacked(given) : Object.values(examples)[0];
} catch {
  spec.value = "# this link does not hold a spec\n";
}

const { loadPyodide } = await import(new URL("pyodide.mjs", here));
const python = await loadPyodide({ indexURL: here.href });
state.textContent = "Loading tikzgen …";
python.unpackArchive(await (await fetch(new URL("tikzgen.zip", here))).arrayBuffer(), "zip");
const draw = python.runPython(`
import json
from tikzgen import TikzgenError, loads

def draw(text, palette):
    try:
        own = [] if "palette:" in text else [f"palette={palette}"]
        figure = loads(text, name="spec", settings=own)
        return json.dumps({"svg": figure.svg(transparent=True), "tex": figure.tex()})
    except TikzgenError as error:
        return json.dumps({"error": str(error)})

draw`);

const dark = () => {
  const theme = document.body.dataset.theme;
  return theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
};

const show = () => {
  const began = performance.now();
  const found = JSON.parse(draw(spec.value, dark() ? "dark" : "light"));
  state.textContent = found.error ?? `Drawn in ${Math.round(performance.now() - began)} ms.`;
  state.classList.toggle("wrong", "error" in found);
  if (!("error" in found)) {
    drawn = found;
    figure.innerHTML = found.svg;
  }
};

let waiting = 0;
spec.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(show, 200);
});
choice.addEventListener("change", () => {
  spec.value = examples[choice.value];
  show();
});
byId("link").addEventListener("click", async () => {
  location.hash = `spec=${await packed(spec.value)}`;
  state.textContent = "The address above carries this spec.";
  await navigator.clipboard?.writeText(location.href).catch(() => {});
});
byId("svg").addEventListener("click", () => drawn && save("figure.svg", "image/svg+xml", drawn.svg));
byId("tex").addEventListener("click", () => drawn && save("figure.tex", "text/x-tex", drawn.tex));
new MutationObserver(show).observe(document.body, { attributeFilter: ["data-theme"] });
show();
