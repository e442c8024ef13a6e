// The studio's script: shows each save at once and keeps the place on the page; counts down to the send.
// Everything works without it, but for the reload.
"use strict";

const page = document.body.dataset;

// ---------------------------------------------------------------------------------------------- keeping the place

const KEPT = "studio:" + location.pathname;

const inside = (frame) => {
  try {
    return frame.contentDocument && frame.contentDocument.scrollingElement;
  } catch {
    return null;  // a frame of another origin keeps its place to itself
  }
};

const asItCame = () => new Map([...document.querySelectorAll("details[id]")].map((one) => [one.id, one.open]));
let came = asItCame();

const place = () => {
  const panes = {}, frames = {}, opened = {};
  for (const pane of document.querySelectorAll("[data-keep-scroll][id]")) panes[pane.id] = [pane.scrollLeft, pane.scrollTop];
  for (const frame of document.querySelectorAll("iframe[id]")) {
    const shown = inside(frame);
    if (shown) frames[frame.id] = [shown.scrollLeft, shown.scrollTop];
  }
  for (const one of document.querySelectorAll("details[id]")) {
    if (one.open !== came.get(one.id)) opened[one.id] = one.open;  // what nobody touched may come otherwise
  }
  const chosen = [...document.querySelectorAll("input[type=radio][id]:checked")].map((one) => one.id);
  const typed = [...document.querySelectorAll("input[id]:not([type=hidden], [type=radio], [type=checkbox])")]
    .filter((one) => one.value !== one.defaultValue).map((one) => [one.id, one.value]);
  const focused = document.activeElement && document.activeElement.id;
  return { place: [scrollX, scrollY], panes, frames, opened, chosen, typed, focused, search: location.search };
};

const keep = () => {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(place()));
  } catch {
    // without storage the page begins at its top
  }
};

const kept = () => {
  try {
    const found = JSON.parse(sessionStorage.getItem(KEPT));
    sessionStorage.removeItem(KEPT);
    return found && found.search === location.search ? found : null;
  } catch {
    return null;
  }
};

const restore = (from) => {
  for (const [id, open] of Object.entries(from.opened)) {
    const one = document.getElementById(id);
    if (one) one.open = open;
  }
  for (const id of from.chosen || []) {
    const one = document.getElementById(id);
    if (one) one.checked = true;
  }
  for (const [id, words] of from.typed || []) {
    const one = document.getElementById(id);
    if (one) one.value = words;
  }
  for (const [id, [x, y]] of Object.entries(from.panes)) {
    const pane = document.getElementById(id);
    if (pane) pane.scrollTo(x, y);
  }
  for (const [id, [x, y]] of Object.entries(from.frames)) {
    const frame = document.getElementById(id);
    if (!frame) continue;
    const back = () => { const shown = inside(frame); if (shown) shown.scrollTo(x, y); };
    frame.addEventListener("load", back, { once: true });
    back();
  }
  const focused = from.focused && document.getElementById(from.focused);
  if (focused) focused.focus({ preventScroll: true });
  scrollTo(...from.place);
};

// --------------------------------------------------------------------------------------------------- each save

const seconds = (count) => new Promise((done) => { setTimeout(done, count * 1000); });

const shown = () => new Promise((done) => {
  if (!document.hidden) { done(); return; }
  document.addEventListener("visibilitychange", () => { if (!document.hidden) done(); }, { once: true });
});

const tell = (words) => {
  const live = document.getElementById("live");
  if (live && live.textContent !== words) { live.textContent = words; live.hidden = !words; }
};

let goes = 0;  // until when a page that was asked for may come: a reload would take its place
addEventListener("beforeunload", () => { goes = Date.now() + 10_000; });

// The page as it is now in the place of this one: quicker than to come anew, and nothing flickers. Where more than
// its body is another, as when the studio's own look or script was changed, or somebody was signed out, it comes anew.
const renew = async () => {
  const answer = await fetch(location.href, { cache: "no-store" });
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const outside = (of) => [...of.head.querySelectorAll("link, script")].map((one) => one.outerHTML).join();
  if (!answer.ok || answer.redirected || !fresh.body.dataset.number || outside(fresh) !== outside(document)) {
    keep();
    location.reload();
    return false;
  }
  const from = place();
  document.title = fresh.title;
  document.body.className = fresh.body.className;
  Object.assign(page, fresh.body.dataset);
  document.body.replaceChildren(...fresh.body.childNodes);
  begin(from);
  return true;
};

const follow = async () => {
  for (let wrong = 0; ;) {
    if (document.hidden) await shown();
    try {
      const answer = await fetch(page.changes + "?after=" + encodeURIComponent(page.number), { cache: "no-store" });
      if (answer.status === 403) { location.reload(); return; }
      if (!answer.ok) throw new Error(String(answer.status));
      const { number, again } = await answer.json();
      wrong = 0;
      tell("");
      while (Date.now() < goes) await seconds(1);
      if (number !== page.number && !await renew()) return;
      await seconds(again);
    } catch {
      wrong += 1;
      if (wrong > 1) tell("The studio does not answer.");
      await seconds(Math.min(2 ** (wrong - 1), 15));
    }
  }
};

// --------------------------------------------------------------------------------------------------- countdown

let ahead = 0;  // of this machine's clock, or behind it: the studio's may be another

const left = (until) => {
  const all = Math.floor((Date.parse(until) - Date.now() - ahead) / 1000);
  if (Number.isNaN(all)) return "";
  if (all <= 0) return "now";
  const [days, hours, minutes] = [Math.floor(all / 86400), Math.floor(all / 3600) % 24, Math.floor(all / 60) % 60];
  if (days) return `in ${days} d ${hours} h`;
  if (hours) return `in ${hours} h ${minutes} min`;
  return minutes >= 10 ? `in ${minutes} min` : `in ${minutes} min ${all % 60} s`;
};

const count = () => {
  for (const one of document.querySelectorAll("[data-countdown]")) {
    const words = left(one.dataset.countdown);
    if (one.textContent !== words) one.textContent = words;
  }
};

// ----------------------------------------------------------------------------------- links in panes open in a new tab

const lead = (event) => {
  const link = event.target.closest && event.target.closest("a[href]");
  if (!link || event.defaultPrevented) return;
  const raw = link.getAttribute("href");
  if (raw.startsWith("#")) return;  // within the pane
  event.preventDefault();
  if (/^(https?|mailto):/i.test(link.href)) window.open(link.href, "_blank", "noopener,noreferrer");
};

const listen = (frame) => {
  try {
    frame.contentWindow.addEventListener("click", lead, true);
  } catch {
    // a frame of another origin keeps its clicks to itself
  }
};

// ------------------------------------------------------------------------------------------------ as a page begins

const begin = (from) => {
  ahead = page.now ? Date.parse(page.now) - Date.now() : 0;
  came = asItCame();
  for (const frame of document.querySelectorAll("iframe[id]")) {
    frame.addEventListener("load", () => listen(frame));
    listen(frame);
  }
  if (from) restore(from);
  count();
};

if (new URLSearchParams(location.search).has("done")) history.replaceState(null, "", location.pathname);  // said once
begin(kept());
if (page.changes) follow();
setInterval(count, 1000);
