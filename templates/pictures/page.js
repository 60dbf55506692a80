// Unpacks pictures when they come into view, and shows them side by side with their difference or under a slider.
(() => {
  const body = document.body;
  const articles = [...document.querySelectorAll("article")];
  const drawn = new Map(); // an article, and its pictures as object URLs by palette

  async function unpack(article) {
    const script = article.querySelector("script");
    if (!script || drawn.has(article)) return;
    drawn.set(article, {});
    const bytes = Uint8Array.from(atob(script.textContent), (sign) => sign.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const { drawings, shown } = JSON.parse(await new Response(stream).text());
    const pictures = {};
    for (const [palette, [before, after]] of Object.entries(shown)) {
      const pair = [drawings[before], drawings[after]];
      const box = around(pair.filter(Boolean).map(boxOf));
      pictures[palette] = { box, urls: pair.map((svg) => svg && urlOf(svg, box)), same: before === after };
    }
    drawn.set(article, pictures);
    show(article);
  }

  function boxOf(svg) {
    const [left, top, width, height] = svg.match(/viewBox="([^"]+)"/)[1].split(" ").map(Number);
    return [left, top, left + width, top + height];
  }

  function around(boxes) {
    const edge = (at, most) => most(...boxes.map((box) => box[at]));
    return [edge(0, Math.min), edge(1, Math.min), edge(2, Math.max), edge(3, Math.max)];
  }

  // both pictures get one page, so that the same ink stands at the same pixels
  function urlOf(svg, [left, top, right, bottom]) {
    const [width, height] = [right - left, bottom - top];
    const head = svg.slice(0, svg.indexOf(">") + 1)
      .replace(/ width="[^"]*" height="[^"]*" viewBox="[^"]*"/,
        ` width="${2 * width}" height="${2 * height}" viewBox="${left} ${top} ${width} ${height}"`);
    return URL.createObjectURL(new Blob([head + svg.slice(svg.indexOf(">") + 1)], { type: "image/svg+xml" }));
  }

  function element(name, classes, ...children) {
    const made = document.createElement(name);
    made.className = classes;
    made.append(...children);
    return made;
  }

  function image(url, classes, alt) {
    const made = element("img", classes);
    made.src = url;
    made.alt = alt;
    return made;
  }

  function figure(title, ...children) {
    return element("figure", "", element("figcaption", "", title), ...children);
  }

  function show(article) {
    const place = article.querySelector(".pictures");
    const pictures = drawn.get(article);
    if (!place || !pictures || !Object.keys(pictures).length) return;
    const wanted = body.classList.contains("dark") ? "dark" : "light";
    const changed = Object.keys(pictures).find((palette) => !pictures[palette].same);
    const palette = pictures[wanted] && (!pictures[wanted].same || !changed) ? wanted : changed ?? Object.keys(pictures)[0];
    const { box, urls: [before, after], same } = pictures[palette];
    const also = palette === wanted ? "" : ` (${palette})`;
    const name = article.dataset.name;
    place.replaceChildren();
    if (same) {
      place.append(figure(`before and after: the same picture${also}`, element("div", "frame", image(after, "", name))));
    } else if (!before || !after) {
      place.append(figure((before ? "before" : "after") + also, element("div", "frame", image(before || after, "", name))));
    } else if (body.classList.contains("swipe")) {
      place.append(swiper(before, after, name));
    } else {
      const blend = element("div", "blend", image(before, "", "before"), image(after, "", "after"));
      const difference = element("div", "frame difference", image(after, "ghost", ""), blend);
      place.append(
        figure(`before${also}`, element("div", "frame", image(before, "", `${name} before`))),
        figure(`after${also}`, element("div", "frame", image(after, "", `${name} after`))),
        figure("difference", difference),
      );
    }
    const columns = place.children.length;
    const natural = (box[2] - box[0]) * 96 / 72.27; // in CSS pixels
    place.style.gridTemplateColumns = `repeat(${columns}, minmax(0, ${Math.max(natural * 1.25, 160)}px))`;
  }

  function swiper(before, after, name) {
    const frame = element("div", "frame swiper", image(before, "", "before"), image(after, "new", "after"));
    const range = element("input", "");
    Object.assign(range, { type: "range", min: 0, max: 100, value: 50 });
    range.setAttribute("aria-label", `${name}: before on the left, after on the right`);
    range.oninput = () => frame.style.setProperty("--at", `${range.value}%`);
    frame.onpointermove = (event) => {
      const { left, width } = frame.getBoundingClientRect();
      range.value = 100 * (event.clientX - left) / width;
      range.oninput();
    };
    return figure("left of the line: before, right of it: after", frame, range);
  }

  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (isIntersecting) {
        seen.unobserve(target);
        unpack(target);
      }
    }
  }, { rootMargin: "800px" });
  articles.forEach((article) => seen.observe(article));

  const [filter, kind, status, told] = ["filter", "kind", "status", "shown"].map((id) => document.getElementById(id));
  function choose() {
    let count = 0;
    for (const article of articles) {
      const { name, kind: own, status: how } = article.dataset;
      article.hidden = !name.includes(filter.value.trim())
        || (kind.value && own !== kind.value) || (status.value && !how.split(" ").includes(status.value));
      count += !article.hidden;
    }
    told.value = `${count} of ${articles.length} shown`;
  }
  for (const control of [filter, kind, status]) control.oninput = choose;
  choose();

  for (const group of document.querySelectorAll("[data-choice]")) {
    const buttons = [...group.querySelectorAll("button")];
    const mark = () => buttons.forEach((each) => {
      each.setAttribute("aria-pressed", body.classList.contains(each.dataset.value));
    });
    for (const button of buttons) {
      button.onclick = () => {
        body.classList.remove(...buttons.map((each) => each.dataset.value));
        body.classList.add(button.dataset.value);
        mark();
        drawn.forEach((_, article) => show(article));
      };
    }
    mark();
  }

  document.addEventListener("click", (event) => {
    const frame = event.target.closest(".frame:not(.swiper)");
    if (frame) frame.closest(".pictures").classList.toggle("wide");
  });
})();
