// Progress of a run that goes on: asked for every second while the page is looked at.
(() => {
  const live = document.getElementById("live");
  if (!live) return;
  const bar = live.querySelector("progress");
  const told = live.querySelector(".told");
  let shown = live.dataset.text;

  async function look() {
    if (!document.hidden) {
      try {
        const answer = await fetch(live.dataset.source, { headers: { "X-Assay": "live" } });
        if (answer.ok) {
          const now = await answer.json();
          bar.max = now.planned;
          bar.value = now.done;
          if (now.text !== shown) { shown = now.text; told.textContent = shown; }
          document.getElementById("fresh").hidden = now.done <= Number(live.dataset.done) && now.state === "running";
          if (now.state !== "running") { location.reload(); return; }
        }
      } catch { told.textContent = "assay view does not answer any more: " + shown; }
    }
    setTimeout(look, 1000);
  }
  document.getElementById("reload").addEventListener("click", () => location.reload());
  look();
})();
