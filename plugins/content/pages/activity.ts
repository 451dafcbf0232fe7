/**
 * What the audit log records of revisions. A restore is a change of the page that is logged as `page_restore` and
 * `revision_restore`, as in BookStack, instead of `page_update`.
 */
import { type Activity, type ActivitySource, activityOf } from "lectern/contracts";
import type { KeptRevision } from "./contract.ts";

/** The contributions to the slot `activity`. */
export const ACTIVITIES: readonly ActivitySource[] = [
  {
    ...activityOf("page_update", ({ draft: { restored }, result }) =>
      restored
        ? [
            { type: "page_restore", item: { kind: "page", id: result.id, row: { ...result } } },
            revisionActivity("revision_restore", restored, result.slug),
          ]
        : [],
    ),
    types: ["page_restore", "revision_restore"],
    instead: true,
  },
  activityOf("revision_delete", ({ result }) => [revisionActivity("revision_delete", result, result.page_slug)]),
];

function revisionActivity(type: string, revision: KeptRevision, pageSlug: string): Activity {
  const { id, page_id, number, name, slug, book_slug, summary, created_by, created_at } = revision;
  const facts = { id, page_id, name, slug, book_slug, type: "version", summary, revision_number: number };
  return {
    type,
    detail: `Revision #${number} (ID: ${id}) for page ID ${page_id}`,
    related: { ...facts, created_by, created_at, updated_at: created_at },
    path: `/books/${revision.present_book_slug}/page/${pageSlug}/revisions/${id}`,
    subject: `page ${page_id}`,
  };
}
