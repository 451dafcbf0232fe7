/**
 * Renders the includes of a page for a reader (content-api 9.4): loads the included pages that the reader sees,
 * within a limit of bytes, and uses the cache of renderings as long as none of them has another version.
 */
import type { Included } from "lectern/contracts";
import { type NoteRows, type RawBuilder, sql, type Viewer } from "lectern/core";
import { prepared } from "lectern/db";
import type { FoundPage, PagesContext } from "./contract.ts";

/** The transaction that wrote a row and its location: a pair that no two versions of a page share. */
const VERSION = sql<string>`pages.xmin::text || pages.ctid::text`;

const visibleVersionsOf = prepared(
  "pages.visibleVersions",
  (db, p: { ids: readonly number[]; visible: RawBuilder<boolean> }) =>
    db
      .selectFrom("pages")
      .select(["pages.id", VERSION.as("version")])
      .where("pages.id", "=", sql<number>`any(${p.ids}::integer[])`)
      .where(p.visible),
);

// octet_length() does not read a large text. A text that is too large by itself leaves the room to the others.
const loadIncluded = prepared(
  "pages.loadIncluded",
  (db, p: { ids: readonly number[]; maxBytes: number; visible: RawBuilder<boolean> }) => {
    const most = sql<number>`${p.maxBytes}::integer`;
    return db
      .selectFrom(
        sql<{ id: number; place: number }>`unnest(${p.ids}::integer[]) with ordinality`.as<"asked">(
          sql`asked(id, place)`,
        ),
      )
      .innerJoin("pages", "pages.id", "asked.id")
      .crossJoinLateral((eb) =>
        sql<{ bytes: number }>`(select octet_length(${eb.ref("pages.html")}) as bytes)`.as("sizes"),
      )
      .select((eb) => [
        "pages.id",
        VERSION.as("version"),
        eb
          .case()
          .when(
            eb.and([
              eb("sizes.bytes", "<=", most),
              eb(
                eb.fn
                  .sum("sizes.bytes")
                  .filterWhere("sizes.bytes", "<=", most)
                  .over((over) => over.orderBy("asked.place")),
                "<=",
                most,
              ),
            ]),
          )
          .then(eb.ref("pages.html"))
          .end()
          .as("html"),
      ])
      .where(p.visible);
  },
);

/**
 * A page's HTML with its includes, resolved to the pages that this viewer sees (content-api 9.4). It is cached unless a
 * theme has an `include` hook, whose result may change at any time. `note` is called with the pages that it depends on.
 */
export async function renderIncludes(
  context: PagesContext,
  { id, html }: Pick<FoundPage, "id" | "html">,
  viewer: Viewer,
  note?: NoteRows,
): Promise<string> {
  const { markup } = context.contracts;
  const load = includeLoader(context, viewer, note);
  const included = includeHook(context, id);
  if (included) return markup.render(html, load, included, { viewer });
  return context.renderCache.htmlFor(html, {
    versions: (ids) => visibleVersions(context, viewer, ids, note),
    async render() {
      const versions = new Map<number, string | null>();
      const loadNoting = (ids: readonly number[], maxBytes: number) => load(ids, maxBytes, versions);
      return { html: await markup.render(html, loadNoting, undefined, { viewer }), versions };
    },
  });
}

/** Loads the included pages that the viewer sees, and adds the version of each to `versions`: null for hidden ones. */
function includeLoader(context: PagesContext, viewer: Viewer, note: NoteRows | undefined) {
  return async (ids: readonly number[], maxBytes: number, versions?: Map<number, string | null>) => {
    note?.("pages", "id", ids);
    const visible = context.visible.where("pages", viewer);
    const found = await loadIncluded.execute(context.db, { ids: [...ids], maxBytes, visible });
    for (const id of ids) versions?.set(id, null);
    for (const { id, version } of found) versions?.set(id, version);
    return new Map(found.map((page) => [page.id, page.html]));
  };
}

/** The versions of the pages that the viewer sees. */
async function visibleVersions(
  context: PagesContext,
  viewer: Viewer,
  ids: readonly number[],
  note: NoteRows | undefined,
): Promise<Map<number, string>> {
  note?.("pages", "id", ids);
  const visible = context.visible.where("pages", viewer);
  const found = await visibleVersionsOf.execute(context.db, { ids: [...ids], visible });
  return new Map(found.map(({ id, version }) => [id, version]));
}

/** The `include` hooks as one, for a page; undefined where there are none. */
function includeHook(context: PagesContext, id: number): Included | undefined {
  const hooks = context.slot("page_content").flatMap(({ include }) => include ?? []);
  if (hooks.length === 0) return undefined;
  return async (reference, shown, pageId) => {
    let html = shown;
    for (const hook of hooks)
      html = (await hook(reference, html, { id }, pageId === null ? null : { id: pageId })) ?? html;
    return html;
  };
}
