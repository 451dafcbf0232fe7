/**
 * What the plugin of watching declares: its tables, the answers and bodies of its routes, its events and its job, and what its files share.
 * BookStack has watches and their preferences on screens alone, so the routes are additions to its API; levels and preferences are named as there.
 */
import type { Generated, Selectable } from "kysely";
import type { HomeKind } from "lectern/contracts";
import {
  type Cached,
  type Input,
  idSchema,
  nullable,
  type PluginContext,
  rules,
  type Static,
  t,
  timestampSchema,
  userRefSchema,
} from "lectern/core";
import { homeItemSchema, type ListedContext } from "../_items/listed_items.ts";

/** Who may be told of changes at all (BookStack's permission). */
export const MAY_BE_TOLD = "receive-notifications";

/** Levels by their number, each of which includes the ones before it: nothing, new pages, changes of pages, comments. */
export const LEVELS = ["ignore", "new", "updates", "comments"] as const;

/** How much of an item somebody is told. */
export type WatchLevel = (typeof LEVELS)[number];

/** What users chose for single items; without a row the nearest container that has one decides. */
export interface WatchesTable {
  user_id: number;
  kind: HomeKind;
  item_id: number;
  /** The place in `LEVELS`. */
  level: number;
  updated_at: Generated<string>;
}

/** What users are told beside what they watch; a user without a row has `DEFAULT_PREFERENCES`. */
export interface NotificationPreferencesTable {
  user_id: number;
  own_page_changes: boolean;
  own_page_comments: boolean;
  comment_replies: boolean;
  comment_mentions: boolean;
  /** When notifications are sent by mail. */
  mail: Generated<MailTimes>;
}

/** When notifications are sent by mail. */
export const MAIL_TIMES = ["never", "at_once", "daily", "weekly"] as const;
/** When notifications are sent by mail. */
export type MailTimes = (typeof MAIL_TIMES)[number];

/** What was mailed to whom; a user without a row got no mail. */
export interface NotificationMailsTable {
  user_id: number;
  /** The secret of the link that ends the mails. */
  key: string;
  /** Since when a job is to send one; null for none. */
  asked_at: string | null;
  last_at: string | null;
  /** When the hour began in which `window_count` mails were sent. */
  window_at: string | null;
  window_count: Generated<number>;
}

/** What a notification is about. */
export type ChangeType = "page_create" | "page_update" | "comment_create";
/** What is told: of a comment that was changed those alone whom it mentions and who were not told of it, as of a new comment. */
export type ToldType = ChangeType | "comment_update";
/** Why somebody is told; of several reasons the first one. */
export const REASONS = ["mention", "reply", "own", "watch"] as const;
/** Why somebody is told. */
export type Reason = (typeof REASONS)[number];

/** Changes that not all who want to know have been told of, by a job. */
export interface WatchedChangesTable {
  id: Generated<number>;
  type: ToldType;
  page_id: number;
  comment_id: number | null;
  author_id: number | null;
  /** The page's revision_count before and after the change; null for comments. */
  from_revision: number | null;
  to_revision: number | null;
  /** Slugs of users. */
  mentions: string[];
  created_at: Generated<string>;
  /** Users up to this id have been told. */
  told_to: Generated<number>;
}

/** What a user was told. Neither title nor text is kept, since both are shown to those alone who may see them then. */
export interface NotificationsTable {
  id: Generated<number>;
  user_id: number;
  type: ChangeType;
  reason: Reason;
  page_id: number;
  comment_id: number | null;
  author_id: number | null;
  /** Changes that this notification stands for. */
  changes: Generated<number>;
  from_revision: number | null;
  to_revision: number | null;
  created_at: Generated<string>;
  /** Time of the last change. */
  updated_at: Generated<string>;
  read_at: string | null;
  /** When it was mailed; null where it is to be mailed yet. */
  mailed_at: string | null;
}

/** A change that is being told. */
export type WatchedChange = Selectable<WatchedChangesTable>;

/** The preferences of a user without a choice: content of one's own, answers and mentions are told. */
export const DEFAULT_PREFERENCES = {
  own_page_changes: true,
  own_page_comments: true,
  comment_replies: true,
  comment_mentions: true,
  mail: "at_once" as MailTimes,
};

/** Which preferences a user has. */
export type Preferences = Readonly<typeof DEFAULT_PREFERENCES>;
/** Those that say of what one is told. */
export type TellingPreference = Exclude<keyof Preferences, "mail">;

/** The body that watches an item. */
export const watchRules = rules({ level: ["required", "string", `in:default,${LEVELS.join()}`] });

/** The body that changes preferences; what is left out stays. */
export const preferenceRules = rules({
  own_page_changes: ["boolean"],
  own_page_comments: ["boolean"],
  comment_replies: ["boolean"],
  comment_mentions: ["boolean"],
  mail: ["string", `in:${MAIL_TIMES.join()}`],
});

/** The body of a change of preferences. */
export type PreferenceInput = Input<typeof preferenceRules>;

/** The query of notifications. */
export const notificationListRules = rules({
  count: ["integer", "min:1", "max:100"],
  offset: ["integer", "min:0", "max:100000"],
  unread: ["boolean"],
});

/** The body that marks notifications: those of `ids`, else all whose ids are not higher than `up_to`, so that those that came since stay unread. */
export const markRules = rules({
  read: ["required", "boolean"],
  ids: ["array", "max:100"],
  "ids.*": ["integer"],
  up_to: ["integer", "min:1"],
});
/** The query of candidates. */
export const candidateRules = rules({ query: ["string", "max:100"] });

const levelSchema = t.Union([t.Literal("ignore"), t.Literal("new"), t.Literal("updates"), t.Literal("comments")]);

/** How the viewer watches an item. */
export const watchSchema = t.Object(
  {
    type: homeItemSchema.properties.type,
    id: idSchema,
    item: homeItemSchema,
    level: t.Union([t.Literal("default"), levelSchema], { description: "Your choice for this item" }),
    inherited: nullable(
      t.Object(
        { level: levelSchema, item: nullable(homeItemSchema) },
        { description: "What the nearest container has that you watch or ignore, which counts where level is default" },
      ),
    ),
    effective: t.Union([t.Literal("default"), levelSchema], { description: "What counts: level, else inherited" }),
  },
  { $id: "Watch" },
);

/** What the viewer watches. */
export const watchListSchema = t.Object(
  {
    data: t.Array(
      t.Object({ item: homeItemSchema, level: levelSchema, updated_at: timestampSchema }, { $id: "WatchedItem" }),
    ),
    total: t.Integer({ minimum: 0 }),
  },
  { $id: "Watches" },
);

/** The preferences of the viewer. */
export const preferencesSchema = t.Object(
  {
    own_page_changes: t.Boolean({ description: "Changes of pages that you own" }),
    own_page_comments: t.Boolean({ description: "Comments on pages that you own" }),
    comment_replies: t.Boolean({ description: "Replies to your comments" }),
    comment_mentions: t.Boolean({ description: "Mentions of you in pages and comments" }),
    mail: t.Union([t.Literal("never"), t.Literal("at_once"), t.Literal("daily"), t.Literal("weekly")], {
      description: "When what you are told is sent by mail, where a mail server is configured",
    }),
  },
  { $id: "NotificationPreferences" },
);

const revision = (description: string) => nullable(t.Integer({ minimum: 0, description }));

/** A notification. */
export const notificationSchema = t.Object(
  {
    id: idSchema,
    type: t.Union([t.Literal("page_create"), t.Literal("page_update"), t.Literal("comment_create")]),
    reason: t.Union([t.Literal("mention"), t.Literal("reply"), t.Literal("own"), t.Literal("watch")]),
    changes: t.Integer({ minimum: 1, description: "Changes of one author within minutes are one notification" }),
    from_revision: revision("The revision_count before the first of them"),
    to_revision: revision("The revision_count after the last of them"),
    comment_id: nullable(idSchema),
    comment_local_id: nullable(t.Integer()),
    created_at: timestampSchema,
    updated_at: timestampSchema,
    read_at: nullable(timestampSchema),
    author: nullable(userRefSchema),
    item: homeItemSchema,
  },
  { $id: "Notification" },
);

const unread = t.Integer({ minimum: 0, description: "Unread notifications of items that you see, counted up to 100" });

/** How many notifications the viewer has not read. */
export const unreadSchema = t.Object({ unread }, { $id: "UnreadNotifications" });

/** What the link of a mail leaves. */
export const unsubscribedSchema = t.Object({ mail: t.Literal("never") }, { $id: "Unsubscribed" });

/** The notifications of the viewer. */
export const notificationListSchema = t.Object(
  {
    data: t.Array(notificationSchema),
    total: t.Integer({ minimum: 0 }),
    unread,
    newest_id: nullable(
      t.Integer({
        description: "The highest id of all your notifications: as up_to it marks all, but those that come later",
      }),
    ),
  },
  { $id: "Notifications" },
);

/** Users who can be mentioned. */
export const candidatesSchema = t.Object({ data: t.Array(userRefSchema) }, { $id: "MentionCandidates" });

/** What the files of this plugin share. */
export interface WatchingContext
  extends ListedContext,
    Pick<
      PluginContext<
        "access" | "mail" | "markup" | "users",
        | "watches"
        | "notification_mails"
        | "notification_preferences"
        | "watched_changes"
        | "user_notifications"
        | "users"
      >,
      "app" | "contracts" | "jobs" | "log" | "perform" | "texts"
    > {
  /** Whether mails hold a part of the text that changed. */
  readonly mailExcerpt: boolean;
  /** Whether the plugin of an optional table is there. */
  hasTable(table: "bookshelf_books" | "chapters" | "comments"): boolean;
  /** Whether a user has unread notifications, whether or not their items are seen. */
  readonly hasUnread: Cached<boolean>;
}

/** What is chosen for an item; null takes the choice back. */
export interface WatchChoice {
  readonly user_id: number;
  readonly kind: HomeKind;
  readonly item_id: number;
  readonly level: WatchLevel | null;
}

/** A change, and some of the users who are told of it. */
export interface ToldChange {
  readonly change: WatchedChange;
  readonly users: readonly { readonly id: number; readonly reason: Reason }[];
  /** The id of the last user who was looked at; null where there are no more. */
  readonly last: number | null;
}

/** Which notifications of a user are marked. */
export interface NotificationMark {
  readonly user_id: number;
  /** Null for all up to `up_to`. */
  readonly ids: readonly number[] | null;
  /** Null for all of them. */
  readonly up_to: number | null;
  readonly read: boolean;
}

declare module "lectern/contracts" {
  interface Answers {
    "/api/notification-preferences": Static<typeof preferencesSchema>;
    "/api/notifications": Static<typeof notificationListSchema>;
    "/api/notifications/unread": Static<typeof unreadSchema>;
    "PUT /api/notifications": Static<typeof unreadSchema>;
    [unsubscribe: `POST /api/notifications/unsubscribe/${string}/${string}`]: Static<typeof unsubscribedSchema>;
    "/api/watches": Static<typeof watchListSchema>;
    [watch: `/api/watches/${HomeKind}/${number}`]: Static<typeof watchSchema>;
    [watchChoice: `PUT /api/watches/${HomeKind}/${number}`]: Static<typeof watchSchema>;
    "PUT /api/notification-preferences": Static<typeof preferencesSchema>;
    [candidates: `/api/mentions/${HomeKind}/${number}`]: Static<typeof candidatesSchema>;
  }
}

declare module "lectern/db" {
  interface Tables {
    notification_preferences: NotificationPreferencesTable;
    notification_mails: NotificationMailsTable;
    user_notifications: NotificationsTable;
    watched_changes: WatchedChangesTable;
    watches: WatchesTable;
  }
}

declare module "lectern/core" {
  interface Events {
    /** A user chooses how much of an item they are told. */
    watch_set: { draft: WatchChoice; result: WatchChoice };
    /** Users are told of a change, some at a time, by a job. */
    notification_create: { draft: ToldChange; result: ToldChange };
    notification_read: { draft: NotificationMark; result: NotificationMark };
    notification_preferences_update: {
      draft: { readonly user_id: number; readonly preferences: Preferences };
      result: { readonly user_id: number; readonly preferences: Preferences };
    };
  }
  interface Jobs {
    watching_tell: { change_id: number };
    watching_mail: { user_id: number };
  }
}
