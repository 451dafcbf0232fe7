// Large pictures of pages are enlarged in a dialog; without this script the link leads to the original.
// Helpers such as `own`, which content cannot shadow, are those of web.js, which is loaded before.

function enlarge(link) {
  const make = own(document, "createElement");
  const shown = one("img", link);
  const dialog = make("dialog");
  dialog.className = "enlarged";
  const name = shown?.alt || link.getAttribute("aria-label") || "";
  dialog.setAttribute("aria-label", name);
  const picture = make("img");
  picture.alt = name;
  // The size of what is shown already keeps the place until the larger one is there.
  if (shown?.naturalWidth) {
    picture.width = shown.naturalWidth;
    picture.height = shown.naturalHeight;
  }
  picture.addEventListener("load", () => {
    picture.width = picture.naturalWidth;
    picture.height = picture.naturalHeight;
  });
  picture.src = link.href;
  const bar = make("p");
  const original = make("a");
  original.href = link.href;
  original.textContent = link.dataset.original;
  const close = make("button");
  close.type = "button";
  close.className = "secondary";
  close.textContent = link.dataset.enlarge;
  close.autofocus = true;
  bar.append(original, close);
  dialog.append(picture, bar);
  // A click beside the picture closes it, too.
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog || target === close || target === picture) dialog.close();
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    link.focus();
  });
  one("main").append(dialog);
  dialog.showModal();
}

listen(document, "click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[data-enlarge]") : null;
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || event.defaultPrevented) return;
  event.preventDefault();
  enlarge(link);
});
