/**
 * Earlier states of pages, to be listed and read: ours, as the original shows them on its screens alone. Whoever sees a
 * page and holds "revision-view-all" sees its revisions. Bringing one back is an ordinary change of the page.
 */
import type { UserRef } from "lectern/contracts";
import { endpoint, idOf, type ListSpec, notFound, type PluginContext, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import { renderedFor } from "./includes.ts";
import type { Parts } from "./parts.ts";

/** A revision as it is read. */
interface FoundRevision {
  readonly id: number;
  readonly page_id: number;
  readonly number: number;
  readonly name: string;
  readonly summary: string;
  readonly created_at: string;
  readonly created_by: UserRef | null;
  readonly html: string;
  readonly markdown: string;
  readonly text: string;
}

const FIELDS: ListSpec["fields"] = {
  id: "integer",
  number: "integer",
  name: "text",
  summary: "text",
  created_by: { type: "integer", nullable: true },
  created_at: "timestamp",
};

const about = {
  list:
    "Lists the revisions kept of a page, without their content. `number` is the revision_count the page had then.\n" +
    "Only changes of the name or the content leave a revision.",
  read:
    "Reads a revision of a page. Its html is made harmless, with includes as they are now; raw_html, markdown and text " +
    "are the content as it was stored.",
} as const;

const listed = {
  id: 40,
  page_id: 12,
  number: 2,
  name: "Failover",
  summary: "",
  created_at: "2026-01-06T08:00:00.000000Z",
  created_by: { id: 1, name: "Ada", slug: "ada" },
};
const content = {
  html: '<p id="bkmrk-call-the-dba">Call the DBA</p>',
  raw_html: '<p id="bkmrk-call-the-dba">Call the DBA</p>',
  markdown: "",
  text: "Call the DBA",
};

const PERMIT = "revision-view-all";

/** Mounts the listing and the single read of revisions. */
export function mountHistory({ app, list }: Pick<PluginContext, "app" | "list">, parts: Parts): void {
  const { db, contracts, sees } = parts;
  const shown = sql`page_revisions.id, page_revisions.page_id, page_revisions.number, page_revisions.name,
    page_revisions.summary, page_revisions.created_at,
    ${contracts.users.ref(sql.ref("page_revisions.created_by"))} as created_by`;

  async function pageOf(viewer: Viewer, param: string): Promise<number> {
    const id = idOf(param, "Page");
    const [page] = await rows(db, sql`select from pages where pages.id = ${id}::integer and ${sees("pages", viewer)}`);
    if (!page) throw notFound("Page");
    return id;
  }

  app.get(
    "/pages/:id/revisions",
    async ({ viewer, params, asked }) => {
      const where = sql<boolean>`page_revisions.page_id = ${await pageOf(viewer, params.id)}::integer`;
      return list({ table: "page_revisions", fields: FIELDS, columns: shown, where }, viewer, asked);
    },
    {
      permit: PERMIT,
      ...endpoint("pages", "revisions", { about: about.list, example: { response: { data: [listed], total: 1 } } }),
    },
  );
  app.get(
    "/pages/:id/revisions/:revisionId",
    async ({ viewer, params }) => {
      const page = await pageOf(viewer, params.id);
      const [found] = await rows<FoundRevision>(
        db,
        sql`select ${shown}, page_revisions.html, page_revisions.markdown, page_revisions.text from page_revisions
          where page_revisions.id = ${idOf(params.revisionId, "Revision")}::integer
            and page_revisions.page_id = ${page}::integer`,
      );
      if (!found) throw notFound("Revision");
      const { html, markdown, text, ...revision } = found;
      return {
        ...revision,
        html: await renderedFor(parts, { id: page, html }, viewer),
        raw_html: html,
        markdown,
        text,
      };
    },
    {
      permit: PERMIT,
      ...endpoint("pages", "revision", { about: about.read, example: { response: { ...listed, ...content } } }),
    },
  );
}
