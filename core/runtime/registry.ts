/**
 * The open interfaces of the runtime. A plugin widens them from its own `contract.ts` by declaration merging
 * (`declare module "lectern/core" { interface Events { … } }`), so that names and payloads are checked where they are
 * used and core never learns a plugin's name. Tables are widened in "lectern/db".
 */

/** What happens in the runtime: event name → its draft (what is asked for) and its result (what came of it). */
export interface Events {
  /** All plugins are set up and nothing listens yet: the moment to seed. An `inTransaction` that throws stops the boot. */
  app_boot: { draft: Record<string, never>; result: Record<string, never> };
}

/** Work done after the answer: job name → payload, which must be plain JSON. */
export interface Jobs {}

/** Lists that many plugins fill and one or more walk: slot name → the shape of one contribution. */
export interface Slots {
  /** Every permission name that the plugins add, filled by the runtime from their declarations. */
  permission: string;
}

/** Services one plugin provides and others use: contract name → its interface (see `core/contracts/`). */
export interface Contracts {}

/** Permission names that roles may hold: name → true. */
export interface Permissions {}

/** The name of an event, such as `"book_create"`. */
export type EventName = Extract<keyof Events, string>;
/** The draft of an event: what its performer asks for; filters may replace it, vetoes may refuse it. */
export type Draft<E extends EventName> = Events[E] extends { draft: infer D } ? D : never;
/** The result of an event: what the action returned. */
export type Result<E extends EventName> = Events[E] extends { result: infer R } ? R : never;
/** The name of a job. */
export type JobName = Extract<keyof Jobs, string>;
/** The name of a slot. */
export type SlotName = Extract<keyof Slots, string>;
/** The name of a contract. */
export type ContractName = Extract<keyof Contracts, string>;
/** The name of a permission that a role may hold. */
export type PermissionName = Extract<keyof Permissions, string>;
/** What a route may ask for: a permission, use of the API as such, or nothing at all. */
export type Permit = PermissionName | "access-api" | "public";
