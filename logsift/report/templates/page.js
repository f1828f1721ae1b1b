"use strict";
(() => {
  const $ = (css, within = document) => [...within.querySelectorAll(css)];
  const root = document.documentElement;

  // Light or dark: as the system has it, until somebody chooses.
  $("#theme")[0].addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  $("button.copy").forEach((b) => b.addEventListener("click", async () => {
    const text = $("code", b.parentElement)[0].textContent;
    try { await navigator.clipboard.writeText(text); b.textContent = "copied"; } catch { getSelection().selectAllChildren($("code", b.parentElement)[0]); }
  }));

  // Proof opens the lines around it.
  $("button.around").forEach((b) => b.addEventListener("click", () => {
    const open = document.getElementById(b.getAttribute("aria-controls")).classList.toggle("open");
    b.setAttribute("aria-expanded", open);
  }));

  // The ranks: rows are made as they are asked for, a page at a time.
  const data = document.getElementById("rank-data");
  if (data) {
    const { fates, hosts, places, rows } = JSON.parse(data.textContent);
    const body = $("#rank-rows")[0], more = $("#rank-more")[0], counted = $("#rank-count")[0];
    const wanted = $("#rank-find")[0], fate = $("#rank-fate")[0];
    let shown = 0, found = rows;
    const add = () => {
      for (const r of found.slice(shown, shown + 200)) {
        const tr = body.insertRow();
        const cells = [r[0], hosts[r[1]], r[2], r[3], r[4], r[5], fates[r[6]] + (r[7] ? " (the first to end)" : ""), r[8], r[10] ? places[r[9]] + ":" + r[10] : ""];
        for (const c of cells) tr.insertCell().textContent = c ?? "";
      }
      shown = Math.min(shown + 200, found.length);
      more.hidden = shown >= found.length;
      counted.textContent = found.length.toLocaleString("en") + " of " + rows.length.toLocaleString("en") + " ranks";
    };
    const inside = (text) => {
      const parts = text.split(",").map((p) => p.trim().match(/^([0-9]+)(?:-([0-9]+))?$/));
      return parts.every(Boolean) ? (n) => parts.some((p) => n >= +p[1] && n <= +(p[2] ?? p[1])) : null;
    };
    const filter = () => {
      const text = wanted.value.trim().toLowerCase(), numbers = text && inside(text);
      found = rows.filter((r) => (fate.value === "" || r[6] === +fate.value)
        && (!text || (numbers ? numbers(r[0]) : [hosts[r[1]], r[2], r[5], fates[r[6]]].join(" ").toLowerCase().includes(text))));
      body.replaceChildren();
      shown = 0;
      add();
    };
    wanted.addEventListener("input", filter);
    fate.addEventListener("change", filter);
    more.addEventListener("click", add);
    filter();
  }

  // Tables that are filtered by the words in their rows, and by severity.
  $("[data-filters]").forEach((box) => {
    const rows = $("tbody tr", document.getElementById(box.dataset.filters));
    const text = $("input", box)[0], choice = $("select", box)[0], counted = $("output", box)[0];
    const filter = () => {
      const word = text.value.trim().toLowerCase();
      let left = 0;
      for (const row of rows) {
        const fits = (!choice || !choice.value || row.dataset.kind === choice.value) && (!word || row.textContent.toLowerCase().includes(word));
        row.hidden = !fits;
        left += fits;
      }
      counted.textContent = left + " of " + rows.length;
    };
    text.addEventListener("input", filter);
    if (choice) choice.addEventListener("change", filter);
    filter();
  });

  $("#tree-all").forEach((b) => b.addEventListener("click", () => {
    const all = $(".tree details"), open = all.some((d) => !d.open);
    all.forEach((d) => { d.open = open; });
  }));

  // Keys: / to the first filter, j and k from section to section, ? for help.
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
    const heads = $("main h2"), at = heads.findIndex((h) => h.getBoundingClientRect().top > 60);
    const go = (h) => { if (h) { h.scrollIntoView(); h.tabIndex = -1; h.focus({ preventScroll: true }); } };
    if (e.key === "/") { const i = $("input")[0]; if (i) { i.focus(); e.preventDefault(); } }
    else if (e.key === "j") go(heads[at < 0 ? heads.length - 1 : heads[at].getBoundingClientRect().top < 80 ? at + 1 : at]);
    else if (e.key === "k") go(heads[Math.max(0, (at < 0 ? heads.length : at) - 2)]);
    else if (e.key === "?") $("#keys")[0].hidden = !$("#keys")[0].hidden;
  });
})();
