/**
 * Activity: the rows of the audit log that follow from events, how they are named, and when a user was last active.
 * Which events leave rows is said by the plugins that perform them; the rows themselves are those of the audit log.
 */
import type { Expression, RawBuilder } from "kysely";
import { deepFreeze, type EventName, type EventRecord, type SlotSpecs } from "lectern/core";
import type { ActivityDescription } from "./labels.ts";

/** An entry of the audit log (platform 6). */
export interface Activity {
  /** In lower case, such as "book_create". */
  readonly type: string;
  /** A descriptor such as "(7) Runbooks"; the item's by default. Never a secret: entries are kept. */
  readonly detail?: string;
  /** The item of content it is about; left out where its kind is not in the slot `content`. */
  readonly item?: {
    readonly kind: string;
    readonly id: number;
    /** Its row after the action, where the action returned it: saves a query. */
    readonly row?: Readonly<Record<string, unknown>>;
  };
  /** What else it is about, as listings show it. It is sent to other servers, so it holds no secret. */
  readonly related?: Readonly<Record<string, unknown>>;
  /** The path of what else it is about; items of content have their own. */
  readonly path?: string;
  /** The subject whose activities are delivered in order, such as "book 7", where that is neither the item nor `related`. */
  readonly subject?: string;
}

/**
 * The activities of an event, in order; none where it leaves no row in the log.
 * @example
 * const description = { phrase: "deleted the user", section: "Users" };
 * const source = activityOf("user_delete", ({ result }) => [{ type: "user_delete", detail: `(${result.id})` }], description);
 * context.contribute("activity", source);
 */
export interface ActivitySource<E extends EventName = EventName> {
  readonly event: E;
  /** The types of its activities; the name of the event by default. */
  readonly types?: readonly string[];
  /** How its types are described on screens, in the list of types for webhooks and in their calls; by type. */
  readonly descriptions?: Readonly<Record<string, ActivityDescription>>;
  /** Whether its activities replace the row that an event of content leaves by itself. */
  readonly instead?: boolean;
  readonly activities: (record: EventRecord<E>) => readonly Activity[];
}

/**
 * When a user was last active.
 * @example
 * context.contribute("last_activity", {
 *   of: (user) => sql<string | null>`(select max(updated_at)::text from notes where notes.owned_by = ${user})`,
 * });
 */
export interface LastActivity {
  /** SQL for the time, given SQL for the user's id; null for none. */
  of(user: RawBuilder<unknown>): Expression<string | null>;
}

declare module "lectern/core" {
  interface Events {
    /** A row of the log is written, in the transaction of its action and with its viewer and time. */
    activity_log: { draft: Activity; result: Activity };
  }
  interface Slots {
    /** Only the first contribution is used. */
    last_activity: LastActivity;
    /** Events beside those of content that leave rows in the log. */
    activity: ActivitySource;
  }
}

/**
 * A contribution to the slot `activity`, typed by its event; `description` is that of the type with the event's name.
 * @example
 * context.contribute("activity", activityOf("user_delete", ({ result }) => [{ type: "user_delete", detail: String(result.id) }]));
 */
export function activityOf<E extends EventName>(
  event: E,
  activities: (record: EventRecord<E>) => readonly Activity[],
  description?: ActivityDescription,
): ActivitySource {
  const described = description && { descriptions: { [event]: description } };
  return { event, activities: activities as ActivitySource["activities"], ...described };
}

/**
 * The descriptor of an item (platform 6.3): "(7) Runbooks".
 * @example
 * descriptor({ id: 7, name: "Runbooks" }); // "(7) Runbooks"
 */
export function descriptor({ id, name }: { readonly id: number; readonly name: string }): string {
  return `(${id}) ${name}`;
}

/** What is known of these slots beside their types. */
export const activitySlots = deepFreeze({
  activity: {
    members: {
      event: "text",
      types: "optional_list",
      descriptions: "optional_object",
      instead: "optional_flag",
      activities: "function",
    },
  },
} as const satisfies SlotSpecs);

/** What is known of these slots beside their types. */
export const lastActivitySlots = deepFreeze({
  last_activity: { members: { of: "function" }, limit: "readers" },
} as const satisfies SlotSpecs);
