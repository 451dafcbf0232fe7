/**
 * Parts of a book's tree, which scripts put into it: entries where a chapter is unfolded or a list goes on, and the menu of an entry with what
 * the reader may do with it. Who owns an entry is read from the listings of the API, since a read of a page would count as a view.
 */
import { bookPath, chapterPath, type OutlineEntry, outlineEntries, type Ui } from "lectern/contracts";
import { type Html, html, htmlResponse, notFound } from "lectern/core";
import type { Book } from "./api_types.ts";
import type { ReadingContext } from "./contract.ts";
import { DRAFTS_API, type ItemAction, isOffered, mayDo, PERMISSIONS_API } from "./item_actions.ts";
import { entryPath, mayMoveIn, Tree } from "./tree.ts";

/** Mounts the route: pages of the chapter with the id `chapter`, or entries of the book itself, `before` an index or `from` it on. */
export function mountTree({ app, slot, web }: ReadingContext): void {
  web.screen(app.site, "/books/:book/tree", "reader", async (visit) => {
    const book = await visit.item("book_outline", { slug: visit.params.book ?? "" });
    const { chapter: id, before, from } = visit.query;
    const chapter = outlineEntries(book).find((entry) => entry.type === "chapter" && String(entry.id) === id);
    if (id !== undefined && !chapter) throw notFound("Chapter");
    const tree = new Tree({ slot }, book, visit.ui);
    return htmlResponse(tree.more(chapter, { before: indexIn(before), from: indexIn(from) }));
  });
  web.screen(app.site, "/books/:book/tree/entry", "reader", async (visit) => {
    const book = await visit.item("book_outline", { slug: visit.params.book ?? "" });
    const [, type, id] = /^(page|chapter):(\d{1,9})$/.exec(String(visit.query.entry)) ?? [];
    const entries = outlineEntries(book).flatMap((entry) => [entry, ...(entry.pages ?? [])]);
    const entry = entries.find((each) => each.type === type && String(each.id) === id);
    if (!entry) throw notFound(type === "chapter" ? "Chapter" : "Page");
    const { data } = await visit.get(
      `/api/${type === "chapter" ? "chapters" : "pages"}?filter[id]=${entry.id}&count=1`,
    );
    return htmlResponse(menuOf(book, entry, data[0]?.owned_by ?? undefined, visit.ui));
  });
}

/** What the reader may do with an entry, and where they may move it without dragging. */
function menuOf(book: Book, entry: OutlineEntry, owner: number | undefined, ui: Ui): Html {
  const path = entryPath(book, entry) ?? "";
  const isChapter = entry.type === "chapter";
  const chapter = isChapter ? entry : outlineEntries(book).find(({ pages }) => pages?.includes(entry));
  const holder = chapter ? chapterPath(book, chapter) : bookPath(book);
  const owned = { owned_by: owner === undefined ? null : { id: owner, name: "", slug: "" } };
  const may = (verb: string) => mayDo(ui, `${entry.type}-${verb}`, owned);
  const [mayWrite, mayAdd] = [may("update"), (kind: string) => mayDo(ui, `${kind}-create`, book)];
  const actions: ItemAction[] = [
    { path: `${holder}/create-page`, text: ui.t("New page"), icon: "plus", may: mayAdd("page"), needs: DRAFTS_API },
    { path: `${bookPath(book)}/create-chapter`, text: ui.t("New chapter"), icon: "plus", may: mayAdd("chapter") },
    { path: `${path}/edit`, text: ui.t("Edit"), icon: "edit", may: mayWrite },
    { path: `${path}/move`, text: ui.t("Move"), icon: "move", may: mayWrite },
    { path: `${path}/copy`, text: ui.t("Copy"), icon: "copy", may: may("create") },
    {
      path: `${path}/permissions`,
      text: ui.t("Permissions"),
      icon: "lock",
      may: mayDo(ui, "restrictions-manage", owned),
      needs: PERMISSIONS_API,
    },
    { path: `${path}/delete`, text: ui.t("Delete"), icon: "delete", may: may("delete"), isDialog: true },
  ];
  const offered = actions.filter(
    (action) => isOffered(action, ui) && !(entry.draft && action.path.startsWith(`${path}/`)),
  );
  const ofPages = isChapter
    ? []
    : ([
        ["into", ui.t("Into the nearest chapter")],
        ["out", ui.t("Out of the chapter")],
      ] as const);
  const steps = [["up", ui.t("Move up")], ["down", ui.t("Move down")], ...ofPages] as const;
  return html`<ul>${offered.map(
    ({ path: to, text, icon, isDialog }) =>
      html`<li><a href="${ui.url(to)}"${isDialog && html` data-dialog`}>${ui.icon(icon)} ${text}</a></li>`,
  )}${
    !entry.draft &&
    mayMoveIn(book, ui) &&
    steps.map(
      ([step, text]) =>
        html`<li><button class="as-link" data-tree-step="${step}">${ui.icon(step)} ${text}</button></li>`,
    )
  }</ul>`;
}

/** An index of a list; undefined for anything else. */
function indexIn(text: unknown): number | undefined {
  return typeof text === "string" && /^\d{1,7}$/.test(text) ? Number(text) : undefined;
}
