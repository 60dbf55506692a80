// Steps of a figure: keys and clicks show one after the other. Beside other figures of a page it hears keys when it has
// the focus.
(() => {
  const root = document.currentScript.closest("svg");
  const parts = [...root.querySelectorAll("[data-steps]")].map((part) => [part, part.dataset.steps.split(" ").map(Number)]);
  const last = Math.max(1, ...parts.flatMap(([, steps]) => steps));
  const ways = {
    ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, Enter: 1,
    ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Backspace: -1, Home: -Infinity, End: Infinity,
  };
  let step = 1;

  function show(wanted) {
    step = Math.min(Math.max(wanted, 1), last);
    for (const [part, steps] of parts) part.setAttribute("display", steps.includes(step) ? "inline" : "none");
    root.dataset.step = step;
  }

  root.addEventListener("click", (event) => {
    const box = root.getBoundingClientRect();
    show(step + (event.clientX < box.left + box.width / 3 ? -1 : 1));
  });
  const alone = root === document.documentElement;
  if (alone) for (const side of ["width", "height"]) root.setAttribute(side, "100%"); // of the window, for a talk
  else root.setAttribute("tabindex", "0");
  (alone ? document : root).addEventListener("keydown", (event) => {
    if (!(event.key in ways) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    show(step + ways[event.key]);
  });
  show(1);
})();
