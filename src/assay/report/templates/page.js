"use strict";
(() => {
  const list = document.getElementById("list");
  const cases = [...list.querySelectorAll(".case")];
  const search = document.getElementById("search");
  const buttons = [...document.querySelectorAll(".filter")];
  const none = document.getElementById("none");
  const said = document.getElementById("said");
  const state = { show: "all", q: "", case: "" };

  // --- the packed details of the cases: compressed JSON lists of HTML that the template escaped ---

  const inert = window.trustedTypes
    ? trustedTypes.createPolicy("assay", { createHTML: (html) => html })
    : { createHTML: (html) => html };
  const packs = new Map();

  function unpacked(number) {
    if (!packs.has(number)) {
      const text = document.getElementById("pack-" + number).textContent;
      const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
      packs.set(number, new Response(stream).json());
    }
    return packs.get(number);
  }

  async function fragment(row) {
    if (row.dataset.pack !== undefined) return (await unpacked(row.dataset.pack))[row.dataset.slot];
    const answer = await fetch(row.dataset.source, { headers: { "X-Assay": "fragment" } });
    if (!answer.ok) throw new Error("the server answered " + answer.status);
    return answer.text();
  }

  async function fill(row) {
    if (row.dataset.filled || (row.dataset.pack === undefined && !row.dataset.source)) return;
    row.dataset.filled = "yes";
    const body = row.querySelector(".body");
    try {
      body.innerHTML = inert.createHTML(await fragment(row));
    } catch (error) {
      delete row.dataset.filled;
      body.textContent = "The details could not be read: " + error.message;
    }
  }

  // --- what is shown, kept in the address ---

  function matches(row) {
    const flags = row.dataset.flags.split(" ");
    if (state.show !== "all" && !flags.includes(state.show)) return false;
    if (!state.q) return true;
    const text = (row.dataset.id + " " + (row.dataset.find || "")).toLowerCase();
    return state.q.toLowerCase().split(/\s+/).every((word) => text.includes(word));
  }

  function render() {
    let shown = 0;
    for (const row of cases) {
      row.hidden = !matches(row);
      shown += row.hidden ? 0 : 1;
    }
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.show === state.show));
    none.hidden = shown > 0;
    said.textContent = shown + " of " + cases.length + " shown";
  }

  function remember() {
    const kept = new URLSearchParams();
    if (state.show !== "all") kept.set("show", state.show);
    if (state.q) kept.set("q", state.q);
    if (state.case) kept.set("case", state.case);
    const hash = kept.toString();
    if (hash !== location.hash.slice(1)) history.replaceState(null, "", hash ? "#" + hash : location.pathname + location.search);
  }

  function choose(changes) {
    Object.assign(state, changes);
    render();
    remember();
  }

  async function follow() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const known = buttons.some((button) => button.dataset.show === asked.get("show") && !button.disabled);
    Object.assign(state, { show: known ? asked.get("show") : "all", q: asked.get("q") || "", case: asked.get("case") || "" });
    search.value = state.q;
    render();
    const row = cases.find((candidate) => candidate.dataset.id === state.case);
    if (!row) return;
    row.hidden = false;
    await fill(row);
    row.open = true;
    row.scrollIntoView({ block: "start" });
    row.querySelector("summary").focus({ preventScroll: true });
  }

  // --- hands ---

  list.addEventListener("toggle", (event) => {
    const row = event.target;
    if (!row.classList.contains("case")) return;
    if (row.open) { fill(row); state.case = row.dataset.id; }
    else if (state.case === row.dataset.id) state.case = "";
    remember();
  }, true);
  for (const button of buttons) button.addEventListener("click", () => choose({ show: button.dataset.show }));
  search.addEventListener("input", () => choose({ q: search.value.trim() }));
  document.getElementById("reset").addEventListener("click", () => { search.value = ""; choose({ show: "all", q: "" }); search.focus(); });
  window.addEventListener("hashchange", follow);

  function step(by) {
    const shown = cases.filter((row) => !row.hidden);
    if (!shown.length) return;
    const at = shown.findIndex((row) => row.contains(document.activeElement));
    const next = shown[at < 0 ? (by > 0 ? 0 : shown.length - 1) : Math.min(shown.length - 1, Math.max(0, at + by))];
    next.querySelector("summary").focus();
    next.scrollIntoView({ block: "nearest" });
  }

  const keys = {
    "/": () => search.focus(),
    j: () => step(1),
    k: () => step(-1),
    x: () => cases.forEach((row) => { row.open = false; }),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target === search) {
      if (event.key === "Escape") { search.value = ""; choose({ q: "" }); search.blur(); }
      return;
    }
    const button = /^[0-9]$/.test(event.key) ? buttons[Number(event.key)] : undefined;
    const action = button ? () => button.disabled || button.click() : keys[event.key];
    if (action) { event.preventDefault(); action(); }
  });

  // Printing shows the cases that are open; their details are there by then.
  window.addEventListener("beforeprint", () => cases.filter((row) => row.open).forEach(fill));
  follow();
})();
