"use strict";
// Which lines are counterparts of the one that is pointed at? Those that share a number in data-l.
(() => {
  const panes = [...document.querySelectorAll(".pane")];
  const status = document.getElementById("status");
  const byPlace = new Map();
  const linked = document.querySelectorAll("[data-l]");
  const placesOf = (element) => (element.dataset.l || "").split(" ").filter(Boolean);
  for (const element of linked) {
    for (const place of placesOf(element)) {
      if (!byPlace.has(place)) byPlace.set(place, []);
      byPlace.get(place).push(element);
    }
  }
  let lit = new Set();
  let here = null;
  let kept = null;

  const titleOf = (pane) => pane.querySelector("h2").textContent;
  const linesOf = (pane) => [...pane.querySelectorAll(".line")];

  function counterparts(element) {
    return new Set(placesOf(element).flatMap((place) => byPlace.get(place)));
  }

  function light(element) {
    if (here === element) return;
    if (here) here.classList.remove("here");
    for (const each of lit) mark(each, false);
    here = element;
    lit = element ? counterparts(element) : new Set();
    for (const each of lit) mark(each, true);
    if (element) element.classList.add("here");
    status.textContent = element ? summary(element) : "";
  }

  function mark(element, on) {
    element.classList.toggle("lit", on);
    if (element.getAttribute("role") === "option") element.setAttribute("aria-selected", String(on));
  }

  function summary(element) {
    const pane = element.closest(".pane");
    const number = element.querySelector(".n");
    const name = pane ? `${titleOf(pane)}, line ${number ? number.textContent : ""}` : element.getAttribute("aria-label");
    const counts = panes.filter((each) => each !== pane).map((each) => {
      const found = [...lit].filter((line) => each.contains(line)).length;
      return `${titleOf(each)}: ${found || "no"} ${found === 1 ? "line" : "lines"}`;
    });
    return lit.size ? `${name} (${counts.join(", ")})` : `${name} has no counterparts`;
  }

  // Scrolls a text, and not the page, to a line of it, where none of those that are lit is in sight.
  function reveal() {
    for (const pane of panes) {
      const box = pane.querySelector(".lines");
      const own = [...lit].filter((line) => box.contains(line));
      if (!own.length || pane.hidden || box.contains(here)) continue;
      const bounds = box.getBoundingClientRect();
      const seen = own.some((line) => {
        const at = line.getBoundingClientRect();
        return at.top >= bounds.top && at.bottom <= bounds.bottom;
      });
      if (!seen) box.scrollTop += own[0].getBoundingClientRect().top - bounds.top - bounds.height / 3;
    }
  }

  function goTo(line) {
    const pane = line.closest(".pane");
    if (pane) {
      for (const each of pane.querySelectorAll('.line[tabindex="0"]')) each.tabIndex = -1;
      line.tabIndex = 0;
    }
    line.focus({ preventScroll: true });
    line.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (pane) pane.querySelector(".lines").scrollLeft = 0;
  }

  function toNeighbour(line, step) {
    const shown = panes.filter((pane) => !pane.hidden);
    const at = shown.indexOf(line.closest(".pane"));
    for (let next = at + step; next >= 0 && next < shown.length; next += step) {
      const found = linesOf(shown[next]).find((each) => lit.has(each));
      if (found) return goTo(found);
    }
  }

  function pressed(event) {
    const line = event.target.closest(".line, .flow [data-l]");
    if (event.key === "Escape") { kept = null; light(null); return; }
    if (!line || event.ctrlKey || event.metaKey || event.altKey) return;
    const lines = line.closest(".pane") ? linesOf(line.closest(".pane")) : [...document.querySelectorAll(".flow [data-l]")];
    const at = lines.indexOf(line);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -lines.length, End: lines.length };
    if (event.key in moves) {
      kept = null;
      goTo(lines[Math.max(0, Math.min(lines.length - 1, at + moves[event.key]))]);
    } else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      kept = null;
      toNeighbour(line, event.key === "ArrowRight" ? 1 : -1);
    } else if (event.key === "Enter" || event.key === " ") {
      kept = kept === line ? null : line;
    } else return;
    event.preventDefault();
  }

  for (const pane of panes) {
    const first = pane.querySelector(".line");
    if (first) first.tabIndex = 0;
  }
  const drawn = document.querySelector(".flow [data-l]");
  if (drawn) drawn.setAttribute("tabindex", "0");
  document.addEventListener("keydown", pressed);
  document.addEventListener("focusin", (event) => {
    const line = event.target.closest(".line, .flow [data-l]");
    if (line && !kept) { light(line); reveal(); }
  });
  // A browser tells of a line, too, that was scrolled below a mouse at rest.
  let mouse = "";
  let resting = 0;
  document.addEventListener("mouseover", (event) => {
    const line = event.target.closest("[data-l]");
    const before = mouse;
    mouse = `${event.screenX},${event.screenY}`;
    if (kept || !line || mouse === before) return;
    light(line);
    clearTimeout(resting);
    resting = setTimeout(() => { if (here === line && !kept) reveal(); }, 300);
  });
  document.addEventListener("click", (event) => {
    const line = event.target.closest(".line, .flow [data-l]");
    if (!line) return;
    const again = kept === line;
    kept = null;
    light(line);
    goTo(line);
    reveal();
    kept = again ? null : line;
  });
  document.getElementById("wrap").addEventListener("change", (event) => {
    document.getElementById("texts").classList.toggle("wrapped", event.target.checked);
  });
  for (const box of document.querySelectorAll("[data-pane]")) {
    box.addEventListener("change", () => { document.getElementById(box.dataset.pane).hidden = !box.checked; });
  }
})();
