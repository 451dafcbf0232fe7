/**
 * The audit log (platform 6): who did what to which item, when and from which address. A row is written in the transaction of
 * the event it records, so neither exists without the other; refused and failed requests leave none. Rows about content are
 * derived from the kinds in the slot `content`, others from the slot `activity`. Rows are never updated, except those of
 * an item that is deleted permanently: they keep its name and lose its id.
 */
import type { Activity } from "lectern/contracts";
import { activitySlots } from "lectern/contracts";
import { DAY_MS, definePlugin, type EventRecord, sql } from "lectern/core";
import { refs } from "lectern/db";
import { ofContent, SOURCES, sourcesByEvent } from "./activities.ts";
import { maskAddress } from "./address_mask.ts";
import { detachItems, insertActivity } from "./changes.ts";
import { auditCommand } from "./commands.ts";
import type { AuditLogContext } from "./contract.ts";
import { migrations } from "./migrations.ts";
import { prune } from "./prune.ts";
import { mountAuditLog } from "./routes.ts";
import { settings } from "./settings.ts";
import { contributeThemeHooks } from "./theme_hooks.ts";

export default definePlugin({
  name: "audit_log",
  requires: ["users"],
  grants: {
    write: ["activities"],
    read: ["users", "pages", "books", "chapters", "bookshelves"],
    contentTables: ["read"],
  },
  optionalTables: ["books", "bookshelves", "chapters", "pages"],
  settings,
  migrations,
  events: ["activity_log"],
  commands: { audit: auditCommand },
  slots: activitySlots,
  setup(context) {
    const { contribute, db, jobs, visibilityRule, on, slot } = context;
    const { environment, ipPrecision, retention } = context.settings;
    const activitiesOf = createDerivation(context);
    visibilityRule("activities", () => true);
    on.any({
      async inTransaction(record, tx) {
        const activities = activitiesOf(record);
        if (activities.length === 0) return;
        // The log of a demo is public (platform 0.3).
        const address = tx.address && environment === "demo" ? "127.0.0.1" : (tx.address ?? "");
        const ip = maskAddress(address, ipPrecision);
        for (const activity of activities)
          await tx.perform("activity_log", activity, async (final, inner) => {
            await insertActivity(final, { kinds: slot("content"), ip }, inner);
            return final;
          });
      },
    });
    contribute("dependents", {
      async destroy(ids, tx, name) {
        const kind = slot("content").find((one) => one.kind === name);
        if (kind) await detachItems(kind, ids, tx);
      },
    });
    contribute("last_activity", {
      // What commands, jobs and schedules do is recorded as done by the guest, and is nobody's activity.
      of: (user) => sql<string | null>`(select max(${refs("activities.created_at")}) from activities
        where ${refs("activities.user_id")} = ${user}
          and not exists (select from users as guest where guest.id = ${user} and guest.system_name = 'public'))`,
    });
    if (retention > 0)
      jobs.every("prune", DAY_MS, async () => {
        await prune(db, retention);
      });
    contributeThemeHooks(context);
    mountAuditLog(context);
  },
});

/** Creates the function that derives the rows of an event. The slots are read at the first event, when they are complete. */
function createDerivation({ slot }: AuditLogContext): (record: EventRecord) => readonly Activity[] {
  let sources: ReturnType<typeof sourcesByEvent> | undefined;
  return (record) => {
    sources ??= sourcesByEvent([...SOURCES, ...slot("activity")]);
    const matching = (sources.get(record.name) ?? []).map((source) => ({ source, own: source.activities(record) }));
    const isReplaced = matching.some(({ source, own }) => source.instead && own.length > 0);
    return [...(isReplaced ? [] : (ofContent(slot("content"), record) ?? [])), ...matching.flatMap(({ own }) => own)];
  };
}
