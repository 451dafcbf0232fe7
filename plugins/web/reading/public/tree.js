// The tree of a book: pages of a chapter are loaded when it is unfolded, entries beyond a window when they are asked for, the menu of an
// entry when it is opened. Entries are moved by dragging, by Alt with the arrow keys and by the menu; each move is sent at once, and the
// server places the entry beside the other one. Without this script all of it is links to screens.

// A block scope, as scripts of a document share their global names.
(() => {
  const ENTRY = "li[data-entry]";
  const on = own(document, "addEventListener");
  const here = location.pathname;
  const html = { accept: "text/html" };
  const areaOf = (node) => node.closest("[data-tree]");
  const linkOf = (item) => item.querySelector(":scope > a");
  const listOf = (item) => item.querySelector(":scope > details > ul");
  const holderOf = (item) => item.parentElement.closest(ENTRY);
  const isChapter = (item) => item.dataset.entry.startsWith("chapter:");
  const moreIn = (item) => item?.querySelector(":scope > a[data-more]");
  const nameOf = (item) => linkOf(item).textContent.trim();

  async function parsed(url) {
    const response = await fetch(url, { headers: html });
    if (!response.ok || response.redirected) return null;
    return new DOMParser().parseFromString(await response.text(), "text/html");
  }

  // Marks the entry of the screen that is shown, and gives each entry the button of its menu.
  function prepare(area, within = area) {
    for (const link of within.querySelectorAll(`${ENTRY} > a`)) {
      const item = link.parentElement;
      if (link.pathname === here && link.origin === location.origin) link.setAttribute("aria-current", "page");
      if (!("menu" in area.dataset) || !/^(page|chapter):/.test(item.dataset.entry)) continue;
      if (item.querySelector(":scope > .tree-button")) continue;
      const button = own(document, "createElement")("button");
      button.type = "button";
      button.className = "tree-button";
      button.setAttribute("aria-expanded", "false");
      button.setAttribute("aria-label", area.dataset.menu.replace(":name", nameOf(item)));
      button.textContent = "⋯";
      link.after(button);
    }
  }

  // What a link stands for takes its place; where that cannot be loaded, the link is followed.
  async function load(link) {
    const area = areaOf(link);
    const item = link.parentElement;
    if (item.getAttribute("aria-busy") === "true") return false;
    item.setAttribute("aria-busy", "true");
    const found = await parsed(`${area.dataset.tree}?${link.dataset.more}`).catch(() => null);
    const list = found?.querySelector("ul");
    if (!list) {
      location.assign(link.href);
      return false;
    }
    const hadFocus = own(document, "activeElement") === link;
    const loaded = [...list.children].map((child) => own(document, "adoptNode")(child));
    item.replaceWith(...loaded);
    prepare(area);
    // The entry next to those that were there: the last of earlier ones, the first of later ones.
    const isUp = link.dataset.more.includes("before=");
    if (hadFocus)
      loaded
        .at(isUp ? -1 : 0)
        ?.querySelector("a")
        ?.focus({ preventScroll: true });
    return true;
  }

  // "toggle" does not bubble.
  on(
    "toggle",
    ({ target }) => {
      if (!target.open || !areaOf(target)) return;
      const link = target.querySelector(":scope > ul > li:only-child > a[data-more]");
      if (link) void load(link);
    },
    true,
  );

  function say(area, text, look = "unseen") {
    let line = area.nextElementSibling;
    if (!line?.classList.contains("tree-says")) {
      line = own(document, "createElement")("p");
      line.setAttribute("role", "status");
      area.after(line);
    }
    line.className = `tree-says ${look}`;
    line.textContent = text;
  }

  // The tree as the server shows it now, where what is on the screen cannot show a move.
  async function refresh(area, entry) {
    const found = await parsed(location.href);
    const all = [...own(document, "querySelectorAll")("[data-tree]")];
    const fresh = found?.querySelectorAll("[data-tree]")[all.indexOf(area)];
    if (!fresh) return;
    area.replaceChildren(...[...fresh.childNodes].map((node) => own(document, "adoptNode")(node)));
    prepare(area);
    area.querySelector(`[data-entry="${entry}"] > a`)?.focus();
  }

  async function move(item, place, target) {
    const area = areaOf(item);
    const sent = new URLSearchParams({
      moved: item.dataset.entry,
      place,
      target: target.dataset.entry,
      within: holderOf(target)?.dataset.entry.split(":")[1] ?? "",
    });
    const [parent, next] = [item.parentElement, item.nextSibling];
    const list = place === "inside" ? listOf(target) : null;
    const isShown = place !== "inside" || (list?.lastElementChild && !moreIn(list.lastElementChild));
    if (place === "inside" && isShown) list.append(item);
    else if (place === "before") target.before(item);
    else if (place === "after") target.after(item);
    linkOf(item).focus({ preventScroll: true });
    item.scrollIntoView({ block: "nearest" });
    let message = "";
    let kept = "";
    try {
      const response = await fetch(area.dataset.tree, {
        method: "POST",
        body: sent,
        headers: { accept: "application/json" },
      });
      if (!response.ok) message = (await response.json()).message ?? String(response.status);
      else if (response.redirected) location.reload();
      else kept = (await response.json()).kept ?? "";
    } catch (error) {
      message = String(error.message);
    }
    const isWithin = isShown && item.parentElement === parent;
    if (message !== "" || (kept !== "" && isWithin)) {
      parent.insertBefore(item, next);
      linkOf(item).focus({ preventScroll: true });
      say(area, message || kept, message === "" ? "notice note" : "notice bad");
    } else {
      // In a book that is kept sorted, the entry stands where the rule has it.
      if (!isShown || kept !== "" || parent.childElementCount === 0) await refresh(area, item.dataset.entry);
      say(area, area.dataset.moved.replace(":name", nameOf(item)));
    }
    return undefined;
  }

  // One step: past the neighbour, which is loaded first where it is beyond the window, or out of the chapter at its ends.
  async function step(item, way) {
    const near = (node) => (way === "up" ? node.previousElementSibling : node.nextElementSibling);
    if (way === "up" || way === "down") {
      const more = moreIn(near(item));
      if (more && !(await load(more))) return;
      const target = near(item) ?? holderOf(item);
      if (target) await move(item, way === "up" ? "before" : "after", target);
      return;
    }
    const holder = holderOf(item);
    if (way === "out" && holder) await move(item, "after", holder);
    if (way !== "into" || holder || isChapter(item)) return;
    const all = [...item.parentElement.children];
    const at = all.indexOf(item);
    const isOne = (other) => other.matches(ENTRY) && isChapter(other);
    const chapter = all.slice(0, at).findLast(isOne) ?? all.slice(at).find(isOne);
    if (chapter) await move(item, "inside", chapter);
  }

  // One after the other: a key acts on what the one before has made of the tree, whose entries may have been replaced.
  let moved = Promise.resolve();
  function inTurn(item, way) {
    const [area, entry] = [areaOf(item), item.dataset.entry];
    const run = () => {
      const present = area.querySelector(`[data-entry="${entry}"]`);
      return present && step(present, way);
    };
    moved = moved.then(run, run);
  }

  const mayMove = (item) => item && "moved" in (areaOf(item)?.dataset ?? {});

  on("keydown", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const menu = target?.closest(".tree-menu, .tree-button");
    if (event.key === "Escape" && menu) return closeMenus(true);
    if (!event.altKey || event.ctrlKey || event.metaKey) return undefined;
    const isReversed = own(document, "documentElement").dir === "rtl";
    const keys = {
      ArrowUp: "up",
      ArrowDown: "down",
      ArrowRight: isReversed ? "out" : "into",
      ArrowLeft: isReversed ? "into" : "out",
    };
    const item = target?.closest(`[data-tree] ${ENTRY}`);
    if (keys[event.key] === undefined || !mayMove(item)) return undefined;
    event.preventDefault();
    return void inTurn(item, keys[event.key]);
  });

  function closeMenus(isFocused = false) {
    for (const menu of own(document, "querySelectorAll")(".tree-menu")) {
      const button = menu.parentElement.querySelector(":scope > .tree-button");
      button.setAttribute("aria-expanded", "false");
      menu.remove();
      if (isFocused) button.focus();
    }
  }

  async function openMenu(button) {
    const item = button.parentElement;
    const found = await parsed(`${areaOf(item).dataset.tree}/entry?entry=${item.dataset.entry}`).catch(() => null);
    const list = found?.querySelector("ul");
    closeMenus();
    if (!list) return location.assign(linkOf(item).href);
    const menu = own(document, "createElement")("div");
    menu.className = "tree-menu";
    menu.append(own(document, "adoptNode")(list));
    button.after(menu);
    button.setAttribute("aria-expanded", "true");
    menu.scrollIntoView({ block: "nearest" });
    menu.querySelector("a, button")?.focus({ preventScroll: true });
    return undefined;
  }

  on("click", (event) => {
    const found = (selector) =>
      event.target instanceof Element ? event.target.closest(`[data-tree] ${selector}`) : null;
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    const more = found("a[data-more]");
    if (more && isPlain) {
      event.preventDefault();
      return void load(more);
    }
    const button = found(".tree-button");
    if (button) return button.getAttribute("aria-expanded") === "true" ? closeMenus(true) : void openMenu(button);
    const way = found("[data-tree-step]");
    if (way) {
      const item = way.closest(ENTRY);
      closeMenus(true);
      return void inTurn(item, way.dataset.treeStep);
    }
    if (!found(".tree-menu")) closeMenus();
    return undefined;
  });

  // Dragging by the mouse: links are dragged by browsers themselves. The place is shown by a line, or by a frame around a chapter.
  let dragged = null;
  let goal = null;

  function show(next) {
    goal?.target.classList.remove(`drop-${goal.place}`);
    goal = next;
    goal?.target.classList.add(`drop-${goal.place}`);
  }

  function goalAt({ target, clientY }) {
    const link = target instanceof Element ? target.closest(`[data-tree] ${ENTRY} > a`) : null;
    const over = link?.parentElement;
    if (!over || areaOf(over) !== areaOf(dragged) || dragged.contains(over)) return null;
    const { top, height } = link.getBoundingClientRect();
    const share = (clientY - top) / height;
    if (isChapter(dragged)) return { target: holderOf(over) ?? over, place: share < 0.5 ? "before" : "after" };
    if (isChapter(over) && share > 0.3) {
      const first = listOf(over)?.firstElementChild;
      const isOpen = over.querySelector(":scope > details")?.open && first?.matches(ENTRY) && first !== dragged;
      return isOpen && share > 0.7 ? { target: first, place: "before" } : { target: over, place: "inside" };
    }
    return { target: over, place: share < 0.5 ? "before" : "after" };
  }

  on("dragstart", (event) => {
    const item = event.target instanceof Element ? event.target.closest("a")?.parentElement : null;
    if (!item?.matches(`[data-tree] ${ENTRY}`) || !mayMove(item)) return;
    dragged = item;
    event.dataTransfer.effectAllowed = "copyMove";
    item.classList.add("dragged");
  });
  on("dragover", (event) => {
    if (!dragged) return;
    show(goalAt(event));
    if (!goal) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "move";
  });
  on("drop", (event) => {
    if (!dragged || !goal) return;
    event.preventDefault();
    void move(dragged, goal.place, goal.target);
  });
  on("dragend", () => {
    dragged?.classList.remove("dragged");
    dragged = null;
    show(null);
  });

  for (const area of own(document, "querySelectorAll")("[data-tree]")) prepare(area);
  // The tree beside a screen scrolls by itself: it stands at the present entry.
  for (const present of own(document, "querySelectorAll")(".tree-side [aria-current=page]")) {
    const area = present.closest(".tree-side");
    const [box, around] = [present.getBoundingClientRect(), area.getBoundingClientRect()];
    if (box.bottom > around.bottom || box.top < around.top) area.scrollTop += box.top - around.top - around.height / 3;
  }
})();
