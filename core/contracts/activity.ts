import type { RawBuilder } from "kysely";
import type { EventRecord } from "../events/event_bus.ts";
import type { EventName } from "../runtime/registry.ts";

/** Something that happened, as people who look after an instance read it (platform 6). */
export interface Activity {
  /** In lower case, such as "book_create". */
  readonly type: string;
  /** A descriptor such as "(7) Runbooks", which is the item's where absent; never a secret, since it is kept for ever. */
  readonly detail?: string;
  /** The item of content it happened to; one of a kind that is not in the slot `content` is left out. */
  readonly item?: {
    readonly kind: string;
    readonly id: number;
    /** Its row as the action left it, where the action answered it; saves reading it again. */
    readonly row?: Readonly<Record<string, unknown>>;
  };
  /** What else it happened to, as lists show it; what leaves Lectern is made of this, so it holds no secret. */
  readonly related?: Readonly<Record<string, unknown>>;
  /** Where people find what else it happened to, below the instance's own address; items of content know theirs. */
  readonly path?: string;
  /** What it is told of in order with, such as "book 7", where that is neither the item nor what is `related`. */
  readonly subject?: string;
}

/** What an event is worth in the log: what happened, in order; nothing where it is not worth a row. */
export interface ActivitySource<E extends EventName = EventName> {
  readonly event: E;
  /** The types of its activities, where they are others than the event's own name. */
  readonly types?: readonly string[];
  /** Whether its activities, where there are any, stand for the row that an event of content leaves by itself. */
  readonly instead?: boolean;
  readonly activities: (record: EventRecord<E>) => readonly Activity[];
}

/** When a user last did something, for whoever shows users. */
export interface LastActivity {
  /** SQL for that time, given SQL for the user's id; null where there is none. */
  of(user: RawBuilder<unknown>): RawBuilder<string | null>;
}

declare module "../runtime/registry.ts" {
  interface Events {
    /** A row of the log is written: within the action it tells of, whose viewer and time are those of the transaction. */
    activity_log: { draft: Activity; result: Activity };
  }
  interface Slots {
    /** Whoever keeps track of it; the first contribution is asked. */
    last_activity: LastActivity;
    /** Events that leave rows in the log beside those of content. */
    activity: ActivitySource;
  }
}

/** Types an entry of the slot `activity` by its event. */
export function activityOf<E extends EventName>(
  event: E,
  activities: (record: EventRecord<E>) => readonly Activity[],
): ActivitySource {
  return { event, activities: activities as ActivitySource["activities"] };
}

/** How most things are told of (platform 6.3): "(7) Runbooks". */
export function descriptor({ id, name }: { readonly id: number; readonly name: string }): string {
  return `(${id}) ${name}`;
}
