// Long sources scroll inside their frames; the keyboard must reach them also.
document.addEventListener("DOMContentLoaded", () => {
  for (const each of document.querySelectorAll("pre, .table-wrapper")) each.tabIndex = 0;
});
// Links to a page or heading that moved lead to its new address; moved.js has the table.
const followMove = () => {
  if ((document.documentElement.dataset.content_root ?? "./") != "./") return;  // no page in a folder moved
  const page = location.pathname.split("/").pop();
  const target = moved[page + location.hash] ?? moved[page];
  if (target) location.replace(target);
};
addEventListener("hashchange", followMove);
followMove();
