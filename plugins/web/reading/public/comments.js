// What comments have with scripts. The passages that they are about are marked in the text of the page, each with a link to its comment, which
// leads back; who may comment gets a button at what is selected; each comment has a button that copies its link, which unfolds its
// thread. The server finds passages when the page is saved; here they are only looked up, by their place, and by their words where the screen
// shows other elements than the page has, such as formulas. Nothing moves the text: marks have no width of their own, and links stand
// in the margin. `page.js` loads this once it is needed. Helpers are those of web.js.

(() => {
  const content = one("article.page > .page-content");
  const comments = one("section.comments");
  if (!content || !comments) return;
  const given = own(comments, "dataset");
  const [linkText, copied, markText, gone, on] = given.texts.split("|");
  const element = (name, members = {}) => Object.assign(own(document, "createElement")(name), members);
  const style = given.assets.split(" ")[0];
  if (!one(`link[href="${style}"]`)) own(document, "head").append(element("link", { rel: "stylesheet", href: style }));

  for (const comment of all("article.comment", comments)) {
    const button = element("button", { type: "button", className: "small secondary outline", textContent: linkText });
    button.dataset.done = copied;
    listen(button, "click", () => void copyText(`${location.origin}${location.pathname}#${comment.id}`, button));
    one("footer", comment).append(button);
  }

  // The thread that a link leads to is unfolded.
  function unfold() {
    const target = location.hash.startsWith("#comment") ? byId(location.hash.slice(1)) : null;
    const folded = target?.closest("details:not([open])");
    if (!folded) return;
    folded.open = true;
    target.scrollIntoView();
  }
  listen(window, "hashchange", unfold);
  unfold();

  // The field of a form that was unfolded by a person, whose focus is on its summary. The event does not bubble.
  const unfolded = ({ target }) => {
    if (target.matches("details[open]:not(.archived)") && target.contains(own(document, "activeElement")))
      one("textarea", target)?.focus();
  };
  listen(comments, "toggle", unfolded, true);

  // Elements of the screen that are no text of the page.
  const FOREIGN = "button, .anchor, .passage-link, script, style, template";

  const plain = (text) => text.replace(/\s+/g, " ");

  // The texts within an element in order, with where each begins.
  function textsIn(root) {
    const walker = own(document, "createTreeWalker")(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
      node instanceof Element && node.matches(FOREIGN) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
    );
    const found = [];
    let length = 0;
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (!(node instanceof Text)) continue;
      found.push({ node, start: length });
      length += node.data.length;
    }
    return { nodes: found, text: found.map(({ node }) => node.data).join("") };
  }

  // The place in a text of the words of a passage: where they are said to be, else the find that is nearest.
  function placeIn(text, quote, expected) {
    const words = plain(quote).trim();
    const at = [];
    for (let index = 0; index < text.length; index++)
      if (!/\s/.test(text[index]) || !/\s/.test(text[index - 1] ?? "x")) at.push(index);
    const short = plain(text);
    let best;
    for (let index = short.indexOf(words); index >= 0; index = short.indexOf(words, index + 1)) {
      const distance = Math.abs(at[index] - expected);
      if (!best || distance < best.distance)
        best = { start: at[index], end: at[index + words.length - 1] + 1, distance };
    }
    return best;
  }

  // The element of a place and the range in it; the whole text where there is no such element.
  function find(place, quote) {
    const [range = "", , ...id] = place.split(":").reverse();
    const block = byId(id.reverse().join(":"));
    const [start, end] = range.split("-").map(Number);
    for (const root of block && content.contains(block) ? [block, content] : [content]) {
      const { nodes, text } = textsIn(root);
      if (root === block && end > start && plain(text.slice(start, end)).trim() === plain(quote))
        return { nodes, start, end };
      const found = placeIn(text, quote, start || 0);
      if (found) return { nodes, start: found.start, end: found.end };
    }
    return undefined;
  }

  // Puts marks around the texts of a range.
  function mark({ nodes, start, end }, comment) {
    const marks = [];
    for (const { node, start: begin } of nodes) {
      const [from, to] = [Math.max(start - begin, 0), Math.min(end - begin, node.data.length)];
      if (from >= to || node.data.slice(from, to).trim() === "") continue;
      const range = own(document, "createRange")();
      range.setStart(node, from);
      range.setEnd(node, to);
      const made = element("mark", { className: "passage-mark" });
      range.surroundContents(made);
      listen(made, "click", (event) => {
        if (!event.target.closest("a, button, summary") && own(document, "getSelection")().isCollapsed) go(comment);
      });
      marks.push(made);
    }
    return marks;
  }

  // Leads to a comment, where a person sees that it is meant.
  function go(comment) {
    location.assign(`#${comment.id}`);
    comment.tabIndex = -1;
    comment.focus({ preventScroll: true });
  }

  function show(passage) {
    const comment = passage.closest("article.comment");
    const { place, quote } = passage.dataset;
    const number = comment.id.replace(/\D+/g, "");
    const link = one("a", passage);
    const found = link && find(place, quote);
    if (!found) {
      if (!link) return;
      // It was in what the page includes of another one.
      const badge = element("span", { className: "badge note", textContent: gone });
      link.replaceWith(one("q", link), " ", badge);
      return;
    }
    if (comment.closest("details.archived")) return;
    const marks = mark(found, comment);
    const last = marks.at(-1);
    if (!last) return;
    const label = markText.replace(":number", () => number);
    const jump = element("a", { className: "passage-link", href: `#${comment.id}`, title: label });
    jump.setAttribute("aria-label", label);
    jump.append(one("svg", comments).cloneNode(true));
    // What scrolls by itself would cut it off.
    const [box, scrolled] = [last.closest(".code-box"), last.closest(".scrolls")];
    if (box) box.append(jump);
    else if (scrolled) scrolled.before(jump);
    else last.append(jump);
    shown.push({ jump, last });
    listen(jump, "click", (event) => {
      event.preventDefault();
      go(comment);
    });
    for (const [from, name] of [
      ["pointerenter", "add"],
      ["focus", "add"],
      ["pointerleave", "remove"],
      ["blur", "remove"],
    ])
      listen(jump, from, () => {
        for (const each of marks) each.classList[name]("is-meant");
      });
    listen(link, "click", (event) => {
      event.preventDefault();
      marks[0].scrollIntoView({ block: "center" });
      jump.focus({ preventScroll: true });
    });
  }

  // Each link stands beside the end of its passage; those of the same line beneath each other.
  const shown = [];
  function spread() {
    for (const { jump } of shown) jump.style.translate = "";
    const places = shown.map(({ jump, last }) => {
      const { top, bottom } = [...last.getClientRects()].at(-1) ?? last.getBoundingClientRect();
      const { top: now, height } = jump.getBoundingClientRect();
      return { jump, height, wanted: (top + bottom - height) / 2, now };
    });
    const taken = [];
    for (const { jump, height, wanted, now } of places) {
      let at = wanted;
      while (taken.some((each) => Math.abs(each - at) < height)) at += height;
      taken.push(at);
      jump.style.translate = `0 ${Math.round(at - now)}px`;
    }
  }

  const passages = [...all("p.passage", comments)];
  if (passages.length > 0) content.classList.add("has-passages");
  for (const passage of passages) show(passage);
  spread();
  listen(window, "resize", spread);

  const form = one("form.comment-fields:has([name=quote])", comments);
  if (!form) return;
  const button = element("button", { type: "button", className: "small comment-on", hidden: true });
  button.append(one("svg", comments).cloneNode(true), ` ${on}`);
  button.setAttribute("aria-keyshortcuts", "Control+Alt+M");
  one("article.page").append(button);

  // What is selected of the page: its words, and the element and range that it begins in.
  function selected() {
    const selection = own(document, "getSelection")();
    if (selection.rangeCount === 0 || selection.isCollapsed) return undefined;
    const range = selection.getRangeAt(0);
    if (!content.contains(range.startContainer) || !content.contains(range.endContainer)) return undefined;
    const from = range.startContainer instanceof Element ? range.startContainer : range.startContainer.parentElement;
    const to = range.endContainer instanceof Element ? range.endContainer : range.endContainer.parentElement;
    let block = from.closest('[id^="bkmrk-"]');
    // The nearest element that has all of it; else what the first one has.
    let outer = block;
    while (outer && !outer.contains(to)) outer = outer.parentElement?.closest('[id^="bkmrk-"]');
    if (outer && content.contains(outer)) block = outer;
    const { nodes, text } = textsIn(block && content.contains(block) ? block : content);
    const parts = nodes.flatMap(({ node, start }) => {
      if (!range.intersectsNode(node)) return [];
      const begin = node === range.startContainer ? range.startOffset : 0;
      const end = node === range.endContainer ? range.endOffset : node.data.length;
      return begin < end ? [[start + begin, start + end]] : [];
    });
    const [start, end] = [parts.at(0)?.[0] ?? 0, parts.at(-1)?.[1] ?? 0];
    const quote = plain(text.slice(start, end)).trim();
    if (quote === "") return undefined;
    return { quote, place: block ? `${block.id}:0:${start}-${end}` : "", box: range.getBoundingClientRect() };
  }

  function offer() {
    const found = selected();
    button.hidden = !found;
    if (!found) return;
    const { width, height } = button.getBoundingClientRect();
    const { left, top, bottom } = found.box;
    const isBelow = bottom + height + 16 < innerHeight;
    button.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
    button.style.top = `${isBelow ? bottom + 8 : Math.max(8, top - height - 8)}px`;
  }

  function begin() {
    const found = selected();
    if (!found) return;
    one("details", form).open = true;
    one("textarea[name=quote]", form).value = found.quote;
    one("[name=place]", form)?.remove();
    form.append(element("input", { type: "hidden", name: "place", value: found.place }));
    button.hidden = true;
    own(document, "getSelection")().removeAllRanges();
    form.scrollIntoView({ block: "center" });
    one("textarea[name=text]", form).focus({ preventScroll: true });
  }

  let due;
  listen(document, "selectionchange", () => {
    clearTimeout(due);
    due = setTimeout(offer, 150);
  });
  listen(window, "scroll", () => (button.hidden = true), { passive: true });
  listen(button, "mousedown", (event) => event.preventDefault());
  listen(button, "click", begin);
  listen(document, "keydown", (event) => {
    if (event.ctrlKey && event.altKey && event.key.toLowerCase() === "m" && selected()) {
      event.preventDefault();
      begin();
    }
  });
  offer();
})();
