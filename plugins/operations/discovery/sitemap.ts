/**
 * The sitemap: addresses of what visitors may view, where the instance is public and the sitemap is chosen; else it is not found. It has an index
 * and a part for each range of ids, of which those with something to view are listed, so that neither tells of anything else. A part is read
 * anew for each request, with the rights of that moment: visitors together take one turn of the slow pool, and an address that asks
 * too often waits.
 */
import type { ContentKind } from "lectern/contracts";
import { ApiError, html, type RawBuilder, SECOND_MS, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { DiscoveryContext } from "./contract.ts";
import { answerOf } from "./files.ts";

/** Addresses of a part, as the protocol allows at most. */
const PART = 50_000;
/** Requests of an address in a minute: an instance of a million pages has 20 parts. */
const MAX_REQUESTS = 60;
/** Milliseconds that the store may take. */
const LIMIT_MS = 20_000;
const XMLNS = "http://www.sitemaps.org/schemas/sitemap/0.9";
const NAME = /^([a-z_]{1,40})-([0-9]{1,5})\.xml$/;

/** Mounts the sitemap. */
export function mountSitemap(context: DiscoveryContext): void {
  const { app, chosen, limiter, pools, sessions, slot } = context;
  const byAddress = limiter("sitemap", MAX_REQUESTS);
  const asVisitor = async (address: string, signal: AbortSignal, read: (guest: Viewer) => Promise<string>) => {
    const { sitemap } = await chosen();
    const guest = await sessions.guest();
    if (!sitemap || guest === undefined) throw missing();
    const { exceeded, resetsAt } = await byAddress.take(address);
    if (exceeded) {
      const seconds = Math.max(1, Math.ceil(resetsAt - Date.now() / SECOND_MS));
      throw new ApiError(429, "Too Many Attempts.", { headers: { "retry-after": String(seconds) } });
    }
    const text = await pools.slow({ viewer: guest, limitMs: LIMIT_MS, signal }, () => read(guest));
    return answerOf(`<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`, "application/xml");
  };
  const isPublic = { permit: "public" } as const;
  app.site.get(
    "/sitemap.xml",
    ({ address, request }) => asVisitor(address, request.signal, (guest) => indexFor(context, guest)),
    isPublic,
  );
  app.site.get(
    "/sitemap/:name",
    ({ address, params, request }) =>
      asVisitor(address, request.signal, async (guest) => {
        const [, name, number = ""] = NAME.exec(params.name) ?? [];
        const kind = slot("content").find((each) => each.kind === name);
        const text = kind && (await partFor(context, guest, kind, Number(number)));
        if (text === undefined) throw missing();
        return text;
      }),
    isPublic,
  );
}

/** What a visitor learns of a sitemap that there is not, of one that is not chosen, and of a part without anything to view. */
function missing(): ApiError {
  return new ApiError(404, "File not found");
}

/** The index: the parts of each kind with something to view. */
async function indexFor({ baseUrl, db, slot, visible }: DiscoveryContext, guest: Viewer): Promise<string> {
  const parts = slot("content").map((kind) => {
    const id = sql.ref(`${kind.table}.id`);
    return sql`select distinct ${kind.kind}::text as kind, (${id} - 1) / ${sql.lit(PART)} as part
      from ${sql.table(kind.table)} where ${shownTo(visible.where(kind.table, guest), kind)}`;
  });
  if (parts.length === 0) throw missing();
  // Templates, here and below: the tables are those of contributed kinds, which the types of the builder do not know.
  const found = await rows<{ kind: string; part: number }>(
    db,
    sql`${sql.join(parts, sql` union all `)} order by kind, part`,
  );
  return html`<sitemapindex xmlns="${XMLNS}">${found.map(
    ({ kind, part }) => html`<sitemap><loc>${baseUrl}/sitemap/${kind}-${part}.xml</loc></sitemap>\n`,
  )}</sitemapindex>`.toString();
}

/** The addresses of a part; undefined where it has none. */
async function partFor(
  { baseUrl, db, visible }: DiscoveryContext,
  guest: Viewer,
  kind: ContentKind,
  part: number,
): Promise<string | undefined> {
  const id = sql.ref(`${kind.table}.id`);
  const first = part * PART;
  const found = await rows<{ path: string; day: string }>(
    db,
    sql`select ${kind.path} as path, to_char(${sql.ref(`${kind.table}.updated_at`)} at time zone 'UTC', 'YYYY-MM-DD') as day
      from ${sql.table(kind.table)} where ${id} > ${first}::bigint and ${id} <= ${first + PART}::bigint
        and ${shownTo(visible.where(kind.table, guest), kind)} order by ${id}`,
  );
  if (found.length === 0) return undefined;
  return html`<urlset xmlns="${XMLNS}">${found.map(
    ({ path, day }) => html`<url><loc>${baseUrl}${encodeURI(path)}</loc><lastmod>${day}</lastmod></url>\n`,
  )}</urlset>`.toString();
}

/** What is visible, without drafts, which are their owner's. */
function shownTo(isVisible: RawBuilder<boolean>, { table, ownOnly }: ContentKind): RawBuilder<boolean> {
  return ownOnly === undefined ? isVisible : sql<boolean>`(${isVisible} and not ${sql.ref(`${table}.${ownOnly}`)})`;
}
