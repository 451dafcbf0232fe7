/**
 * The audit log (platform 6): who did what to which item, when and from where. Rows are written in the transaction of
 * what they tell of, so neither exists without the other; refused and failed requests leave none. It tells of content by
 * kind and of other events by the slot `activity`. Rows are never changed, but for those of an item that goes for good:
 * they keep its name and let go of its number.
 */
import type { Activity, UserRef } from "lectern/contracts";
import {
  definePlugin,
  type EventRecord,
  type EventTransaction,
  endpoint,
  type ListSpec,
  requirePermission,
  sql,
  t,
} from "lectern/core";
import { rows } from "lectern/db";
import { ofContent, SOURCES, sourcesByEvent } from "./activities.ts";
import { auditCommand } from "./commands.ts";
import type {} from "./contract.ts";
import { maskedAddress } from "./ip.ts";
import { migrations } from "./migrations.ts";
import { MAX_DAYS, prune } from "./prune.ts";
import { writeActivity } from "./write.ts";

const DAY_MS = 86_400_000;

export default definePlugin({
  name: "audit_log",
  requires: ["users"],
  permissions: { write: ["activities"], read: ["users"] },
  settings: t.Object({
    ipPrecision: t.Integer({
      default: 4,
      minimum: 0,
      maximum: 4,
      env: "IP_ADDRESS_PRECISION",
      description: "How many of the four parts of an address the audit log keeps; 0 keeps none",
    }),
    retention: t.Integer({
      default: 0,
      minimum: 0,
      maximum: MAX_DAYS,
      env: "AUDIT_LOG_DAYS",
      description: "Days that rows of the audit log are kept; 0 keeps them for ever",
    }),
    environment: t.String({
      default: "production",
      env: "APP_ENV",
      shared: true,
      description: "demo keeps the addresses of visitors out of the log",
    }),
  }),
  migrations,
  events: ["activity_log"],
  commands: { audit: auditCommand },
  setup(context) {
    const { app, contracts, contribute, db, every, list, visibilityRule, onAny, settings, slot } = context;
    let sources: ReturnType<typeof sourcesByEvent> | undefined;
    const activitiesOf = (record: EventRecord): readonly Activity[] => {
      sources ??= sourcesByEvent([...SOURCES, ...slot("activity")]);
      const matching = (sources.get(record.name) ?? []).map((source) => ({ source, own: source.activities(record) }));
      const isReplaced = matching.some(({ source, own }) => source.instead && own.length > 0);
      return [...(isReplaced ? [] : (ofContent(slot("content"), record) ?? [])), ...matching.flatMap(({ own }) => own)];
    };
    visibilityRule("activities", () => true);
    onAny({
      async inTransaction(record, tx) {
        const activities = activitiesOf(record);
        if (activities.length === 0) return;
        // Everybody looks into the log of a demo (platform 0.3).
        const address = tx.address && settings.environment === "demo" ? "127.0.0.1" : (tx.address ?? "");
        const ip = maskedAddress(address, settings.ipPrecision);
        const parts = { kinds: slot("content"), ip };
        for (const activity of activities)
          await tx.perform("activity_log", activity, async (final, inner) => {
            await writeActivity(parts, final, inner);
            return final;
          });
      },
    });
    contribute("dependents", {
      async destroy(ids, tx, name) {
        const kind = slot("content").find((one) => one.kind === name);
        if (!kind) return;
        await rows(
          tx.db,
          sql`update activities set detail = item.name, loggable_type = null, loggable_id = null
            from ${sql.table(kind.table)} as item
            where loggable_type = ${name} and loggable_id = item.id and item.id = any(${[...ids]}::integer[])`,
        );
      },
    });
    contribute("last_activity", {
      of: (user) => sql<string | null>`(select max(activities.created_at) from activities
        where activities.user_id = ${user})`,
    });
    const { retention } = settings;
    if (retention > 0)
      every("prune", DAY_MS, async () => {
        await prune(db as unknown as EventTransaction["db"], retention);
      });

    app.get(
      "/audit-log/types",
      async ({ viewer }) => {
        requirePermission(viewer, "users-manage");
        // One step along the index for each type, however long the log is.
        const types = await rows<{ type: string }>(
          db,
          sql`with recursive each as (
              (select lower(type) collate "C" as type from activities order by 1 limit 1)
              union all
              select (select lower(type) collate "C" from activities where lower(type) collate "C" > each.type
                order by 1 limit 1)
              from each where each.type is not null)
            select type from each where type is not null`,
        );
        return { data: types.map(({ type }) => type), total: types.length };
      },
      {
        permit: "settings-manage",
        ...endpoint("audit-log", "types", { about: "Lists the types of rows that the log holds." }),
      },
    );
    const people = contracts.users.ref(sql.ref("activities.user_id"));
    const listing: ListSpec = {
      table: "activities",
      fields: {
        id: "integer",
        type: "code",
        detail: "text",
        user_id: "integer",
        loggable_id: { type: "integer", nullable: true },
        loggable_type: { type: "code", nullable: true },
        ip: "code",
        created_at: "timestamp",
      },
      columns: sql`activities.id, activities.type, activities.detail, activities.user_id, activities.loggable_id,
        activities.loggable_type, activities.ip, activities.created_at, ${people} as "user"`,
    };
    app.get(
      "/audit-log",
      async ({ viewer, asked }) => {
        requirePermission(viewer, "users-manage");
        return list<Row>(listing, viewer, asked);
      },
      { permit: "settings-manage", ...endpoint("audit-log", "list", { about: ABOUT, example: { response: EXAMPLE } }) },
    );
  },
});

interface Row {
  readonly id: number;
  readonly user: UserRef | null;
}

const ABOUT =
  "Lists what happened: who did what to which item, when and from where.\n" +
  "Needs the rights to manage settings and users.";
const EXAMPLE = {
  data: [
    {
      id: 120,
      type: "book_create",
      detail: "(7) Runbooks",
      user_id: 1,
      loggable_id: 7,
      loggable_type: "book",
      ip: "192.0.2.7",
      created_at: "2026-01-05T09:30:00.000000Z",
      user: { id: 1, name: "Ada", slug: "ada" },
    },
  ],
  total: 1,
};
