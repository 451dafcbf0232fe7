// Says while one writes that others have saved the page: from the answers of autosaves, and asked for while nothing is typed. On the
// screen of a conflict it drops the copy that the editor has kept in this browser, as the server has the text as a draft.

// Scripts share their names, but not those of a block.
{
  // The form has content of users in it, so it is read by `own` of web.js (DOM clobbering), which is loaded before.
  const region = byId("newer-page");
  const editor = byId("editor");
  const told = JSON.parse(region?.dataset.texts ?? "{}");
  const ASK_AFTER_MS = 30_000;
  const LONGEST_MS = 5 * 60_000;
  // Some hours in all: after that nobody is at the screen.
  const MOST_ASKED = 50;

  let pause = ASK_AFTER_MS;
  let asked = 0;
  let asking;

  // The form is based on another revision once it was saved from here.
  const since = (address) => address + encodeURIComponent(own(editor, "elements").base_revision.value);

  const element = (name, content, attributes = {}) => {
    const made = own(document, "createElement")(name);
    made.textContent = content;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };

  const tellNewer = (newer) => {
    const revision = String(newer?.revision ?? "");
    if (region.dataset.shown === revision) return;
    region.dataset.shown = revision;
    if (!newer) return region.replaceChildren();
    const link = element("a", told.link, { href: since(region.dataset.changes), target: "_blank", rel: "noopener" });
    link.append(element("span", ` ${told.tab}`, { class: "unseen" }));
    const said = newer.own ? told.own : told.saved.replace(":name", newer.by);
    const notice = element("p", "", { class: "notice bad" });
    notice.append(byId("newer-sign").content.cloneNode(true), `${said} ${told.merged} `, link);
    region.replaceChildren(notice);
  };

  const askLater = () => {
    clearTimeout(asking);
    if (asked < MOST_ASKED && !document.hidden) asking = setTimeout(() => void ask(), pause);
  };

  const ask = async () => {
    asked++;
    pause = Math.min(pause * 1.5, LONGEST_MS);
    try {
      const response = await fetch(since(region.dataset.ask), {
        headers: { accept: "application/json" },
        redirect: "error",
      });
      if (response.ok) tellNewer((await response.json()).newer);
    } catch {
      // Without a connection the next time tells it.
    }
    askLater();
  };

  const kept = one("form.conflict[data-kept]");
  if (kept) {
    try {
      localStorage.removeItem(sessionStorage.getItem("lectern-handed-over") ?? "");
      sessionStorage.removeItem("lectern-handed-over");
    } catch {
      // A forbidden store holds nothing.
    }
  }

  if (region && editor) {
    listen(editor, "editor-kept", ({ detail }) => {
      tellNewer(detail.newer);
      [pause, asked] = [ASK_AFTER_MS, 0];
      askLater();
    });
    listen(document, "visibilitychange", () => {
      clearTimeout(asking);
      if (!document.hidden && asked < MOST_ASKED) void ask();
    });
    askLater();
  }
}
