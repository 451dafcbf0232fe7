import type { Included } from "lectern/contracts";
import { sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { FoundPage } from "./contract.ts";
import type { Parts } from "./parts.ts";

/** Which transaction wrote a row, and where: no two versions of a page have both in common, whoever wrote them. */
const VERSION = sql`pages.xmin::text || pages.ctid::text`;

/**
 * A page's HTML with its includes, which resolve to what this viewer may see, and to nothing else (content-api 9.4).
 * Where a theme has a hand in includes, which may answer anything at any time, nothing is remembered.
 */
export async function renderedFor(
  parts: Parts,
  { id, html }: Pick<FoundPage, "id" | "html">,
  viewer: Viewer,
): Promise<string> {
  const { markup } = parts.contracts;
  const load = includeLoader(parts, viewer);
  const included = includedIn(parts, id);
  if (included) return markup.render(html, load, included, { viewer });
  return parts.renderings.htmlFor(html, {
    versions: (ids) => versionsSeen(parts, viewer, ids),
    async render() {
      const versions = new Map<number, string | null>();
      const noted = (ids: readonly number[], maxBytes: number) => load(ids, maxBytes, versions);
      return { html: await markup.render(html, noted, undefined, { viewer }), versions };
    },
  });
}

/** Loads included pages as far as the viewer sees them, and notes the version of each where asked to. */
function includeLoader(parts: Parts, viewer: Viewer) {
  return async (ids: readonly number[], maxBytes: number, versions?: Map<number, string | null>) => {
    const most = sql`${maxBytes}::integer`;
    // The size of a text is known without reading it; one that is too large by itself leaves room for the others.
    const found = await rows<{ id: number; version: string; html: string | null }>(
      parts.db,
      sql`select pages.id, ${VERSION} as version,
          case when sizes.bytes <= ${most}
            and sum(sizes.bytes) filter (where sizes.bytes <= ${most}) over (order by asked.place) <= ${most}
          then pages.html end as html
        from unnest(${[...ids]}::integer[]) with ordinality as asked(id, place)
          join pages on pages.id = asked.id cross join lateral (select octet_length(pages.html) as bytes) as sizes
        where ${parts.sees("pages", viewer)}`,
    );
    for (const id of ids) versions?.set(id, null);
    for (const { id, version } of found) versions?.set(id, version);
    return new Map(found.map((page) => [page.id, page.html]));
  };
}

async function versionsSeen(parts: Parts, viewer: Viewer, ids: readonly number[]): Promise<Map<number, string>> {
  const found = await rows<{ id: number; version: string }>(
    parts.db,
    sql`select pages.id, ${VERSION} as version from pages
      where pages.id = any(${[...ids]}::integer[]) and ${parts.sees("pages", viewer)}`,
  );
  return new Map(found.map(({ id, version }) => [id, version]));
}

/** What others make of each include of a page; undefined where nobody does. */
function includedIn(parts: Parts, id: number): Included | undefined {
  const hooks = parts.hooks().flatMap(({ include }) => include ?? []);
  if (hooks.length === 0) return undefined;
  return async (reference, shown, pageId) => {
    let html = shown;
    for (const hook of hooks)
      html = (await hook(reference, html, { id }, pageId === null ? null : { id: pageId })) ?? html;
    return html;
  };
}
