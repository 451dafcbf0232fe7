// Sortable lists: by buttons, by Alt with the arrow keys, and by dragging with mouse, pen or finger.
// The order is in a hidden field. Without this script, each button submits one step to the server.

// A block scope, as scripts of a document share their global names.
(() => {
  const ITEM = "[data-order-item]";
  const LIST = "[data-order-list]";
  const EDGE = 60;

  const rootOf = (item) => item.closest("[data-order]");
  const itemsIn = (list) => [...list.children].filter((child) => child.matches(ITEM));
  const holderOf = (item) => item.parentElement.closest(ITEM);
  const nameOf = (item) => item.querySelector(".order-name")?.textContent ?? "";
  // Lists that are sorted together, such as books: each has a field of its own, and entries go from one to another.
  const partsOf = (root) => {
    const parts = [...root.querySelectorAll("[data-order-part]")];
    return parts.length > 0 ? parts : [root];
  };
  const partOf = (item) => item.closest("[data-order-part]") ?? rootOf(item);

  function written(list) {
    return itemsIn(list)
      .map((item) => {
        const within = item.querySelector(LIST);
        return within ? `${item.dataset.orderItem} ${written(within)} end` : item.dataset.orderItem;
      })
      .join(" ");
  }

  // Buttons that take an entry to the next list say to which, which is another one once the entry is elsewhere.
  function relabel(item) {
    const text = partOf(item).dataset.over;
    for (const button of text === undefined ? [] : item.querySelectorAll("[data-order-step=over]")) {
      const label = text.replace(":name", () => nameOf(button.closest(ITEM)));
      button.title = label;
      button.setAttribute("aria-label", label);
    }
  }

  const changed = new Set();

  function keep(root) {
    for (const part of partsOf(root)) {
      const field = part.querySelector("[data-order-value]");
      const list = part.querySelector(LIST);
      const order = list ? written(list) : "";
      if (field.value !== order && root.hasAttribute("data-leaves")) changed.add(root);
      field.value = order;
    }
  }

  function say(item) {
    const root = rootOf(item);
    const all = itemsIn(item.parentElement);
    const holder = holderOf(item);
    const within = holder ? nameOf(holder) : partOf(item).dataset.name;
    const places = { name: nameOf(item), place: all.indexOf(item) + 1, count: all.length, chapter: within };
    const text = within === undefined ? root.dataset.said : root.dataset.saidIn;
    root.querySelector("[data-order-says]").textContent = text.replace(/:(\w+)/g, (_, name) => String(places[name]));
  }

  // Past the neighbour, out of the chapter at its ends, or into the list beside this one.
  function upOrDown(item, step) {
    const near = step === "up" ? item.previousElementSibling : item.nextElementSibling;
    const target = near ?? holderOf(item);
    const parts = partsOf(rootOf(item));
    const beside = parts[parts.indexOf(partOf(item)) + (step === "up" ? -1 : 1)]?.querySelector(LIST);
    if (step === "up") target ? target.before(item) : beside?.append(item);
    else target ? target.after(item) : beside?.prepend(item);
  }

  function over(item) {
    const parts = partsOf(rootOf(item));
    const next = parts[(parts.indexOf(partOf(item)) + 1) % parts.length];
    if (parts.length > 1) next.querySelector(LIST).append(item);
  }

  function into(item) {
    const isHolder = (other) => other.matches(ITEM) && other.querySelector(LIST) !== null;
    const around = itemsIn(item.parentElement);
    const at = around.indexOf(item);
    const before = around.slice(0, at).findLast(isHolder);
    if (before) before.querySelector(LIST).append(item);
    else around.slice(at).find(isHolder)?.querySelector(LIST).prepend(item);
  }

  // Past the end of a list that goes on in another part of the book; the server knows what is there.
  function leaves(item, step) {
    const isUp = step === "up";
    if (!isUp && step !== "down") return false;
    const within = (holderOf(item) ?? partOf(item)).dataset;
    return isUp
      ? !item.previousElementSibling && "orderBefore" in within
      : !item.nextElementSibling && "orderAfter" in within;
  }

  function take(item, step) {
    const root = rootOf(item);
    if (leaves(item, step)) {
      root.requestSubmit(item.querySelector(`[data-order-step=${step}]`));
      return;
    }
    if (step === "off") {
      const next = item.nextElementSibling ?? item.previousElementSibling;
      item.remove();
      keep(root);
      (
        next?.querySelector("[data-order-step=off]") ?? root.querySelector("input[type=text], input[type=search]")
      )?.focus();
      return;
    }
    const hadFocus = document.activeElement;
    if (step === "into" && !holderOf(item) && item.dataset.kind === "page") into(item);
    else if (step === "out") holderOf(item)?.after(item);
    else if (step === "over") over(item);
    else if (step !== "into") upOrDown(item, step);
    keep(root);
    relabel(item);
    say(item);
    // An element that moves in the document loses the focus; from a disabled button it goes to another one.
    const again = item.contains(hadFocus) ? hadFocus : item.querySelector(`[data-order-step=${step}]`);
    (again?.checkVisibility() ? again : item.querySelector("[data-order-step=up]"))?.focus();
    item.scrollIntoView({ block: "nearest" });
  }

  // A list from the server, such as books that can be added, replaces the present one.
  async function refresh(button) {
    const { form, value } = button;
    const old = button.closest("[data-order]");
    const at = [...old.querySelectorAll("[data-order-fetch]")].indexOf(button);
    const sent = new FormData(form, button);
    for (const [name, part] of [...sent]) if (typeof part !== "string") sent.delete(name);
    const response = await fetch(form.action, { method: "POST", body: sent, headers: { accept: "text/html" } });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const fresh = page.querySelector("[data-order]");
    if (!response.ok || !fresh) return form.requestSubmit(button);
    old.replaceWith(document.adoptNode(fresh));
    const isAdded = value.startsWith("add ");
    if (isAdded) say([...fresh.querySelectorAll(ITEM)].at(-1));
    const buttons = fresh.querySelectorAll("[data-order-fetch]");
    (isAdded ? buttons[Math.min(at, buttons.length - 1)] : fresh.querySelector("input:not([type=hidden])"))?.focus();
    return undefined;
  }

  document.addEventListener("keydown", (event) => {
    const field = event.key === "Enter" && event.target instanceof HTMLInputElement ? event.target : null;
    const button = field?.closest("[data-order]")?.querySelector("[data-order-find]");
    if (!button) return;
    event.preventDefault();
    void refresh(button);
  });

  document.addEventListener("click", (event) => {
    const fetching = event.target instanceof Element ? event.target.closest("[data-order-fetch]") : null;
    if (!fetching) return;
    event.preventDefault();
    void refresh(fetching);
  });

  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("[data-order-step]") : null;
    if (!button) return;
    event.preventDefault();
    take(button.closest(ITEM), button.dataset.orderStep);
  });

  const isReversed = document.documentElement.dir === "rtl";
  const KEYS = {
    ArrowUp: "up",
    ArrowDown: "down",
    ArrowRight: isReversed ? "out" : "into",
    ArrowLeft: isReversed ? "into" : "out",
    PageDown: "over",
  };
  document.addEventListener("keydown", (event) => {
    const step = event.altKey && !event.ctrlKey && !event.metaKey ? KEYS[event.key] : undefined;
    const item = event.target instanceof Element ? event.target.closest(ITEM) : null;
    if (step === undefined || !item) return;
    event.preventDefault();
    take(item, step);
  });

  // Dragging: the entry follows the pointer; Escape puts it back.
  let dragged;

  function toBeAt(item, { clientX, clientY }) {
    const under = document.elementFromPoint(clientX, clientY)?.closest(`${ITEM}, ${LIST}`);
    if (!under || item.contains(under) || rootOf(under) !== rootOf(item)) return;
    const isPage = item.dataset.kind === "page";
    if (under.matches(LIST)) {
      if (itemsIn(under).length === 0 && (isPage || !under.closest(ITEM))) under.append(item);
      return;
    }
    const target = isPage ? under : (holderOf(under) ?? under);
    const row = (isPage ? target.querySelector(".order-row") : target).getBoundingClientRect();
    const isBelow = clientY > row.top + row.height / 2;
    const within = isPage ? target.querySelector(LIST) : null;
    if (within && isBelow) within.prepend(item);
    else if (isBelow) target.after(item);
    else target.before(item);
  }

  document.addEventListener("pointerdown", (event) => {
    const handle = event.target instanceof Element ? event.target.closest("[data-order-handle]") : null;
    if (!handle || event.button !== 0) return;
    event.preventDefault();
    const item = handle.closest(ITEM);
    dragged = { item, parent: item.parentElement, next: item.nextElementSibling, pointer: event.pointerId };
    item.classList.add("dragged");
  });

  document.addEventListener("pointermove", (event) => {
    if (!dragged || event.pointerId !== dragged.pointer) return;
    toBeAt(dragged.item, event);
    if (event.clientY < EDGE) scrollBy(0, -EDGE / 4);
    else if (event.clientY > innerHeight - EDGE) scrollBy(0, EDGE / 4);
  });

  function drop(isKept) {
    if (!dragged) return;
    const { item, parent, next } = dragged;
    dragged = undefined;
    item.classList.remove("dragged");
    if (!isKept) parent.insertBefore(item, next);
    keep(rootOf(item));
    relabel(item);
    if (item.parentElement !== parent || item.nextElementSibling !== next) say(item);
  }
  document.addEventListener("pointerup", () => drop(true));
  document.addEventListener("pointercancel", () => drop(false));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") drop(false);
  });

  document.addEventListener("submit", (event) => changed.delete(event.target));
  addEventListener("beforeunload", (event) => {
    if (changed.size > 0) event.preventDefault();
  });
})();
