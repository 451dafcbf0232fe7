// What a page has with scripts: the section that is read is marked in its contents, code has a button that copies it, and the form of a reply
// has the focus once it is unfolded. Helpers such as `own`, which content cannot shadow, are those of web.js.

// A block scope, as scripts of a document share their global names.
(() => {
  const article = one("article.page");
  const content = article && one(".page-content", article);
  if (!content) return;

  for (const pre of all("pre", content)) {
    const box = own(document, "createElement")("div");
    box.className = "code-box";
    const button = own(document, "createElement")("button");
    button.type = "button";
    button.className = "code-copy secondary";
    button.textContent = article.dataset.copyCode;
    button.dataset.done = article.dataset.done;
    listen(button, "click", () => void copyText(pre.textContent.replace(/\n$/, ""), button));
    pre.replaceWith(box);
    box.append(pre, button);
  }

  // The field of a form that was unfolded by a person, whose focus is on its summary.
  const unfolded = ({ target }) => {
    if (target.matches?.("details.comment-form[open]") && target.contains(own(document, "activeElement")))
      one("textarea", target)?.focus();
  };
  // The event does not bubble.
  listen(document, "toggle", unfolded, true);

  const contents = one("nav.toc", article);
  const sections = [...(contents ? all("a", contents) : [])].flatMap((link) => {
    const heading = byId(decodeURIComponent(link.hash.slice(1)));
    return heading ? [{ link, heading }] : [];
  });
  if (sections.length === 0) return;
  let current;

  // Pixels from the top of the window: a heading that a link leads to is above.
  const LINE = 80;

  // The last heading above the line; at the end of the document the last one in sight.
  function mark() {
    const page = own(document, "documentElement");
    const isAtEnd = innerHeight + scrollY >= page.scrollHeight - 2;
    const line = isAtEnd ? innerHeight : LINE;
    const link = sections.findLast(({ heading }) => heading.getBoundingClientRect().top <= line)?.link;
    if (link === current) return;
    current?.removeAttribute("aria-current");
    link?.setAttribute("aria-current", "location");
    current = link;
    if (!link) return;
    // The contents scroll by themselves, so that what is marked is in sight.
    const [inner, outer] = [link.getBoundingClientRect(), contents.getBoundingClientRect()];
    if (inner.top < outer.top || inner.bottom > outer.bottom)
      contents.scrollTop += inner.top - outer.top - outer.height / 3;
  }
  let isDue = false;
  const soon = () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      mark();
    });
  };
  listen(window, "scroll", soon, { passive: true });
  listen(window, "resize", soon, { passive: true });
  mark();
})();
