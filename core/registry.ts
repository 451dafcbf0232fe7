/**
 * The open interfaces of the runtime. A plugin widens them in its `contract.ts` by declaration merging
 * (`declare module "lectern/core" { interface Events { … } }`), so that core knows no plugin by name. Tables: "lectern/db".
 */

/** Event name → its draft (what is requested) and its result (what the action returned). */
export interface Events {
  /** All plugins are set up and nothing listens yet: the time to seed data. A handler that throws stops the boot. */
  app_boot: { draft: Record<string, never>; result: Record<string, never> };
  /** A removed plugin's data is deleted, by `plugin remove --purge`: others delete what they hold about it, in one transaction. */
  plugin_purge: { draft: PurgedPlugin; result: PurgedPlugin };
}

/** A plugin whose data is deleted. */
export interface PurgedPlugin {
  readonly name: string;
  /** Its kinds of content; the dependents of their items have been removed. */
  readonly kinds: readonly string[];
  /** Permissions that it added. */
  readonly permissions: readonly string[];
}

/** Job name → its payload, plain JSON. */
export interface Jobs {}

/** Slot name → the type of one contribution: a slot is a list that plugins contribute to and others read. */
export interface Slots {
  /** All permission names that plugins add, contributed by the runtime. */
  permission: string;
}

/** Contract name → the interface of the service that one plugin provides (`plugins/contracts/`). */
export interface Contracts {}

/** Kind of item → its answers: of the single read (`read`), of a row of listings (`listed`). Other plugins add to `ItemFields`. */
export interface Items {}

/** "kind.moment.field" → the type of a field that another plugin adds by the slot `response_fields`: "book.read.cover". */
export interface ItemFields {}

/** Name → what authors write in a file that a plugin loads by `extend`, such as a theme. */
export interface Definitions {}

/** Place of screens, such as "page/below" → the data that the parts and entries which plugins add there get. */
export interface Places {}

/** View, such as "reading/page" → the data that it renders. */
export interface Views {}

/** Permission name → true. */
export interface Permissions {}

/** The name of an event, such as `"book_create"`. */
export type EventName = Extract<keyof Events, string>;
/** The draft of an event. */
export type Draft<E extends EventName> = Events[E] extends { draft: infer D } ? D : never;
/** The result of an event. */
export type Result<E extends EventName> = Events[E] extends { result: infer R } ? R : never;
/** The name of a job. */
export type JobName = Extract<keyof Jobs, string>;
/** The name of a slot. */
export type SlotName = Extract<keyof Slots, string>;
/** The name of a contract. */
export type ContractName = Extract<keyof Contracts, string>;
/** The name of a permission. */
export type PermissionName = Extract<keyof Permissions, string>;
/** The name of a place of screens. */
export type PlaceName = Extract<keyof Places, string>;
/** The name of a view. */
export type ViewName = Extract<keyof Views, string>;
/** Who may call a route of the API: holders of a permission, users of the API, or everybody. */
export type RoutePermit = PermissionName | "access-api" | "public";
/**
 * Who may come, to a route, a screen, a form or an entry: beside what routes of the API take, all who may read, signed-in users, holders of
 * one of these permissions or of all.
 */
export type Permit = RoutePermit | "reader" | "user" | readonly string[] | { readonly all: readonly string[] };
