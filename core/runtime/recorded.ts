/**
 * What a plugin registers in `setup`, by kind and name. It is recorded where it is registered (`power_checks.ts`), in the same way at a
 * boot and at a trial, and compared with what the operator accepted. Nothing of it is declared.
 */
import type { Permit } from "../registry.ts";
import { coversPath, coversPermit, permitText } from "./path_patterns.ts";

/** What a plugin registers: names, sorted; kinds of which it registers nothing are absent. */
export interface Recorded {
  /** Prefixes of its route scopes, as whole paths: `/api/notes`, `/uploads`; `/` for all paths outside /api. */
  readonly routeScopes?: Names;
  /** Tables for whose rows it adds a visibility rule. */
  readonly visibilityRules?: Names;
  /** Events that it handles in `beforeTransaction`, `inTransaction` or `notify`; "any" for `onAny`. */
  readonly handlers?: Names;
  /** Events whose draft it may change. */
  readonly filters?: Names;
  /** Events that it may refuse. */
  readonly vetoes?: Names;
  /** Events of shipped plugins that it lists in `events`, so that their handlers see what it passes. */
  readonly performs?: Names;
  /** Slots that it contributes to. */
  readonly slots?: Names;
  /** Slots that it reads in `setup`. */
  readonly slotsRead?: Names;
  /** Jobs that it handles. */
  readonly jobs?: Names;
  /** Names of its schedules. */
  readonly schedules?: Names;
  /** Paths of its routes with `permit: "public"`. */
  readonly publicRoutes?: Names;
  /** Functions that write, of the contracts that it requires or uses: `overrides.replace`. */
  readonly writes?: Names;
  /** Its screens and forms by path, with whom they admit. */
  readonly screens?: Readonly<Record<string, Permit>> | "any";
}

/** Names; "any" stands for all. */
type Names = readonly string[] | "any";

/** Kinds of what is recorded, in the order in which they are shown. */
export const RECORDED_KINDS = [
  "routeScopes",
  "visibilityRules",
  "handlers",
  "filters",
  "vetoes",
  "performs",
  "slots",
  "slotsRead",
  "jobs",
  "schedules",
  "publicRoutes",
  "writes",
  "screens",
] as const satisfies readonly (keyof Recorded)[];

/** Kinds whose names are listed. */
export type ListKind = Exclude<keyof Recorded, "screens">;

/** Whether what was accepted has a name of a kind; the path of a public route is also accepted by a pattern. */
export function accepts(accepted: Recorded, kind: ListKind, name: string): boolean {
  const names = accepted[kind] ?? [];
  if (names === "any") return true;
  return kind === "publicRoutes" ? names.some((pattern) => coversPath(pattern, name)) : names.includes(name);
}

/** Whether what was accepted has a screen that admits no more. */
export function acceptsScreen({ screens = {} }: Recorded, path: string, access: Permit): boolean {
  if (screens === "any") return true;
  return Object.entries(screens).some(([pattern, admits]) => coversPath(pattern, path) && coversPermit(admits, access));
}

/** Kinds that earlier pins do not have, which then do not limit them. */
const LATER: readonly (keyof Recorded)[] = ["slotsRead", "writes"];

/** What is recorded beyond what was accepted, one line for each kind: `+ slots: menu`; kinds of `but` are left out. */
export function beyondRecorded(recorded: Recorded, accepted: Recorded, but: readonly string[] = []): string[] {
  return RECORDED_KINDS.flatMap((kind) => {
    if (but.includes(kind) || (LATER.includes(kind) && accepted[kind] === undefined)) return [];
    const more = moreOf(kind, recorded, accepted);
    return more.length === 0 ? [] : [`+ ${kind}: ${more.join(", ")}`];
  });
}

/** The names of a kind as text: paths of screens with whom they admit. */
export function recordedNames(kind: keyof Recorded, recorded: Recorded): readonly string[] {
  const names = recorded[kind] ?? [];
  if (names === "any") return [names];
  if (kind !== "screens") return names as readonly string[];
  return Object.entries(names).map(([path, access]) => `${path} (${permitText(access)})`);
}

/** Whether a value is an object and no list. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is a list of texts. */
export function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** Whether a value says whom a screen admits. */
export function isPermit(value: unknown): boolean {
  if (typeof value === "string") return true;
  return isNames(isObject(value) && "all" in value ? value.all : value);
}

function moreOf(kind: keyof Recorded, recorded: Recorded, accepted: Recorded): readonly string[] {
  const names = recorded[kind] ?? [];
  if (names === "any") return accepted[kind] === "any" ? [] : [names];
  if (kind !== "screens") return (names as readonly string[]).filter((name) => !accepts(accepted, kind, name));
  const beyond = Object.entries(names).filter(([path, access]) => !acceptsScreen(accepted, path, access));
  return recordedNames("screens", { screens: Object.fromEntries(beyond) });
}
