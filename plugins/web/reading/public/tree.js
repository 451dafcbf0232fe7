// The tree of a book: pages of a chapter are loaded when it is unfolded, and entries beyond a window when they are asked for.
// Without this script, each of these is a link to the screen that shows them.

// A block scope, as scripts of a document share their global names.
(() => {
  const here = location.pathname;

  // The entry of the screen that is shown, where it was loaded later than the screen.
  function mark(list) {
    for (const link of list.querySelectorAll("a[href]"))
      if (new URL(link.href).pathname === here && !link.classList.contains("more"))
        link.setAttribute("aria-current", "page");
  }

  // What a link stands for takes its place; where that cannot be loaded, the link is followed.
  async function load(link) {
    const area = link.closest("[data-tree]");
    const item = link.closest("li");
    if (!area || item.getAttribute("aria-busy") === "true") return;
    const hadFocus = document.activeElement === link;
    item.setAttribute("aria-busy", "true");
    let list = null;
    try {
      const response = await fetch(`${area.dataset.tree}?${link.dataset.more}`, { headers: { accept: "text/html" } });
      if (response.ok && !response.redirected)
        list = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("ul");
    } catch {
      // The link is followed, and shows what is wrong.
    }
    if (!list) return location.assign(link.href);
    mark(list);
    const loaded = [...list.children].map((child) => document.adoptNode(child));
    const isUp = /before=/.test(link.dataset.more);
    item.replaceWith(...loaded);
    // The entry next to those that were there: the last of earlier ones, the first of later ones.
    if (hadFocus)
      loaded
        .at(isUp ? -1 : 0)
        ?.querySelector("a")
        ?.focus({ preventScroll: true });
    area.dispatchEvent(new CustomEvent("lectern:tree", { bubbles: true }));
    return undefined;
  }

  // "toggle" does not bubble.
  document.addEventListener(
    "toggle",
    (event) => {
      const details = event.target instanceof HTMLDetailsElement && event.target.open ? event.target : null;
      const link = details?.closest("[data-tree]")
        ? details.querySelector(":scope > ul > li:only-child > a[data-more]")
        : null;
      if (link) void load(link);
    },
    true,
  );

  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("[data-tree] a[data-more]") : null;
    if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void load(link);
  });

  // The tree beside a screen scrolls by itself: it stands at the present entry.
  for (const present of document.querySelectorAll(".tree-side [aria-current=page]")) {
    const area = present.closest(".tree-side");
    const [box, around] = [present.getBoundingClientRect(), area.getBoundingClientRect()];
    if (box.bottom > around.bottom || box.top < around.top) area.scrollTop += box.top - around.top - around.height / 3;
  }
})();
