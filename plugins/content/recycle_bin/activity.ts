import { type ActivitySource, activityOf } from "lectern/contracts";
import type { NamedDeletion } from "./contract.ts";

/** What the audit log records of the recycle bin (platform 6.3). */
export const ACTIVITIES: readonly ActivitySource[] = [
  ...(["recycle_bin_restore", "recycle_bin_destroy"] as const).map((event) =>
    activityOf(event, ({ result }) => [
      {
        type: event,
        detail: detailOf(result),
        path: `/settings/recycle-bin/${result.id}/restore`,
        subject: `${result.deletable_type} ${result.deletable_id}`,
      },
    ]),
  ),
  activityOf("recycle_bin_empty", () => [{ type: "recycle_bin_empty", detail: "" }]),
];

function detailOf({ id, deletable_type, deletable_id, name }: NamedDeletion): string {
  return name === null ? `Deletion (${id})` : `Deletion (${id}) for ${deletable_type} (${deletable_id}) ${name}`;
}
