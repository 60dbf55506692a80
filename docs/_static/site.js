// Long sources scroll inside their frames; the keyboard is to reach them, too.
document.addEventListener("DOMContentLoaded", () => {
  for (const each of document.querySelectorAll("pre, .table-wrapper")) each.tabIndex = 0;
});
