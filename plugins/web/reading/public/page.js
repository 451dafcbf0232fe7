// What a page has with scripts: the section that is read is marked in its contents, code has a button that copies it, and the scripts of
// comments are loaded once they are needed. Helpers such as `own`, which content cannot shadow, are those of web.js.

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

  // What comments need is loaded once there are some, a text is selected that may be commented on, or a form has the focus.
  const comments = one("section.comments");
  if (comments) {
    let isLoaded = false;
    const fetched = async () => {
      const facts = await (await fetch(`${location.pathname}/comments/parts`)).json();
      Object.assign(own(comments, "dataset"), facts);
      for (const src of facts.assets.split(" ").slice(1))
        own(document, "head").append(Object.assign(own(document, "createElement")("script"), { src }));
    };
    const load = () => {
      if (isLoaded) return;
      isLoaded = true;
      // Without them comments are read and written as without scripts; the next occasion tries again.
      fetched().catch(() => (isLoaded = false));
    };
    if (one("article", comments)) load();
    listen(comments, "focusin", load);
    listen(document, "selectionchange", () => {
      const selected = own(document, "getSelection")();
      if (one("form", comments) && content.contains(selected.anchorNode) && !selected.isCollapsed) load();
    });
  }

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
