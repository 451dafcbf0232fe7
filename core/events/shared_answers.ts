/**
 * Answers that all share to whom the same is shown. There is one way to the bytes: entries which say that the store shows readers like this one
 * the item, and which of the rows in its answer, at the present state of rights. What is missing of them is asked of the store. Three kinds of entries lead
 * to an answer: the facts of the item (the rows that it shows, and what of them decides who sees them), the sights of a group of readers of
 * such rows, and the answer itself, by the rows that are hidden in it. A sight is of all rows that are alike, so a change of a page leaves the sights of its readers.
 *
 * Each entry is forgotten when a row changes that it was read from, so those that are there are right together. What was loaded may show
 * a change of another server of which the others do not know yet: rights that were taken, and a text that was written afterwards. So what is loaded
 * is combined with others when the notifications of all commits before have come, and everything is still there.
 */
import type { TableName } from "../../db/mod.ts";
import type { Viewer } from "../viewer.ts";
import type { AnswerEntries, Entry } from "./answer_entries.ts";
import type { AnswerForm, KeptAnswer } from "./answer_forms.ts";
import type { Combinable } from "./answer_loads.ts";
import type { Asked, Known } from "./asked_answer.ts";
import type { Answered, AnswerSource, SharedAnswers, TableDependency } from "./cached_answers.ts";
import { GroupSights, isCurrent, type SharedItem, type View } from "./shared_item.ts";
import type { AlikeRows, SharedRows, ShownRows, Sight } from "./shared_rows.ts";
import { groupOf } from "./sight.ts";

/** What decides who shares the answers of a source, with what each is read from. */
export interface Sharing {
  readonly facts: Known;
  /** By the tables of the rows that are shown. */
  readonly sights: ReadonlyMap<TableName, Known>;
  readonly rows: SharedRows;
  readonly answers: SharedAnswers;
  readonly shown: readonly ShownRows[];
  /** The entries of the facts of items, as they were found last. */
  readonly items: Map<number, Entry>;
}

/** A source, and the aliases of its items. */
export interface KnownSource<A extends object = object> extends Known {
  readonly source: AnswerSource<A>;
  readonly aliases: Known;
  /** Where readers share answers. */
  sharing?: Sharing;
}

/** The answer about an item to read. */
export type AskedItem<A extends object> = Asked<A> & { readonly id: number };

/** How the cache reads. */
export interface AnswerReads {
  /** Whether what was loaded at a time is not too old. */
  allows(since: number): boolean;
  /** Whether notifications do not come, so that nothing may be combined. */
  isSilent(): boolean;
  /** An entry that is there and not too old. */
  current(known: Known, key: string): Entry | undefined;
  /** An entry, loaded if need be; undefined where it cannot be kept. */
  kept(asked: Asked<object>): Promise<Entry | undefined>;
  /** An answer, from its entry or loaded. */
  answer<A extends object>(asked: Asked<A>): Answered<A> | Promise<Answered<A>>;
  /** What is loaded for all who ask for the key, and may be combined with entries; undefined where it may not. */
  combinable<V>(known: Known, key: string, load: () => Promise<V>): Promise<Combinable<V> | undefined>;
}

/** Turns in which something changed before all was read, until a reader's answer is read for them alone. */
const MAX_TURNS = 3;
/** Items that are found without their key; where there are more, they are found by it again. */
const MAX_ITEMS = 10_000;
/** Approximate bytes of a view. */
const VIEW_BYTES = 250;

/**
 * Sharing of a source, whose entries are kept in `entries`; undefined where a rule of the tables of what it shows tells more readers apart than groups and
 * owners.
 */
export function sharingOf(
  { name, dependencies, tables }: Known,
  answers: SharedAnswers,
  rows: SharedRows,
  entries: AnswerEntries,
): Sharing | undefined {
  const shown = dependencies.flatMap(shownRows);
  const sights = new Map<TableName, Known>();
  for (const table of [answers.table, ...shown.map((part) => part.table)]) {
    const all = rows.rightsTo(table);
    if (!all) return undefined;
    // Listings read further ones, as to count rows; what sights name is compared with this.
    const rights = all.filter((right) => dependencies.some((each) => each.table === right.table));
    const read = [table, ...rights.map((right) => right.table)];
    sights.set(table, knownOf(`sight of ${table}`, read, rights, entries));
  }
  if ([...(tables ?? [])].some((table) => !sights.has(table as TableName) && rows.isNarrowed(table as TableName)))
    return undefined;
  const joining = shown.flatMap(({ by }) => (typeof by === "string" ? [] : by.table));
  const read = new Set<string>([...shown.map(({ table }) => table), ...joining]);
  const from = [{ table: answers.table, column: "id" }, ...dependencies.filter(({ table }) => read.has(table))];
  const facts = knownOf(
    `${name} facts`,
    from.map(({ table }) => table),
    from,
    entries,
  );
  return { facts, sights, rows, answers, shown, items: new Map() };
}

function knownOf(
  name: string,
  tables: readonly string[],
  dependencies: readonly TableDependency[],
  entries: AnswerEntries,
) {
  return { name, entries, tables: new Set(tables), dependencies };
}

function shownRows({ table, column, shown }: TableDependency): ShownRows[] {
  if (shown === undefined) return [];
  if (shown !== true) return [{ table, by: shown }];
  if (column === undefined) throw new Error(`Cannot show rows of "${table}": name the column of the item's id`);
  return [{ table, by: column }];
}

/** The answer of a viewer where all that it takes is kept; null where they do not see the item, undefined where something has to be loaded. */
export function sharedHit(
  reads: Pick<AnswerReads, "allows">,
  sharing: Sharing,
  { known, form, id, viewer }: { known: Known; form: AnswerForm; id: number; viewer: Viewer },
): KeptAnswer | null | undefined {
  const facts = sharing.items.get(id);
  const item = facts?.answer?.shared as SharedItem | undefined;
  const view = item?.viewOf(viewer);
  if (!facts?.answer || !view) return undefined;
  const since = Math.min(facts.answer.since, view.since);
  if (view.hidden === undefined) return reads.allows(since) ? null : undefined;
  const last = view.answers[form];
  const entry = last?.answer ? last : known.entries.get(sharedKey({ known, form, id }, view));
  if (!entry?.answer || !reads.allows(Math.min(since, entry.answer.since))) return undefined;
  if (entry === last) known.entries.touch(entry);
  view.answers[form] = entry;
  sharing.facts.entries.touch(facts);
  return entry.answer;
}

/**
 * The answer that all share to whom the same is shown, or that of this reader alone. What is missing of it is loaded: all must be there in the end,
 * and have been right at one moment.
 */
export function sharedAnswer<A extends object>(
  reads: AnswerReads,
  sharing: Sharing,
  own: AskedItem<A>,
  viewer: Viewer,
): Answered<A> | Promise<Answered<A>> {
  const facts = sharing.items.get(own.id)?.answer;
  const isAlone = facts && !(facts.shared as SharedItem).isSame && reads.allows(facts.since);
  return isAlone ? reads.answer(own) : loadShared(reads, sharing, own, viewer);
}

async function loadShared<A extends object>(
  reads: AnswerReads,
  sharing: Sharing,
  own: AskedItem<A>,
  viewer: Viewer,
): Promise<Answered<A>> {
  const { facts, rows, answers, shown } = sharing;
  const { id } = own;
  if (reads.isSilent()) return reads.answer(own);
  const load = () => rows.facts(answers, shown, id);
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const kept = await reads.kept({ known: facts, key: factsKey(own), form: "item", id, load, isStill: () => true });
    const item = kept?.answer?.shared as SharedItem | undefined;
    if (!kept || !item) break;
    if (sharing.items.size >= MAX_ITEMS) sharing.items.clear();
    sharing.items.set(id, kept);
    if (!item.isSame) return reads.answer(own);
    const view = item.viewOf(viewer) ?? (await viewFor(reads, sharing, item, viewer));
    const isStill = () => kept.answer !== undefined && view !== undefined && isCurrent(view);
    if (!view || !isStill()) continue;
    if (item.setView(viewer, view)) facts.entries.grow(kept, VIEW_BYTES);
    if (view.hidden === undefined) return undefined;
    const answer = await reads.answer({ ...own, key: sharedKey(own, view), isStill });
    if (isStill()) return answer;
  }
  return reads.answer(own);
}

/** What a viewer sees of an item, asked for if need be; undefined where that changes meanwhile, or cannot be kept. */
async function viewFor(
  reads: AnswerReads,
  sharing: Sharing,
  item: SharedItem,
  viewer: Viewer,
): Promise<View | undefined> {
  const known = knownView(reads, sharing, item, viewer);
  if ("hidden" in known) return known;
  const asked = [...Map.groupBy(known.missing, ({ table }) => table)].map(([table, rows]) =>
    askSights(reads, sharing, viewer, {
      table,
      ids: rows.map(({ id }) => id),
    }),
  );
  await Promise.all(asked);
  const view = knownView(reads, sharing, item, viewer);
  return "hidden" in view ? view : undefined;
}

/** What a viewer sees of an item, or the rows of which that is not known. */
function knownView(
  reads: AnswerReads,
  sharing: Sharing,
  { rows }: SharedItem,
  viewer: Viewer,
): View | { readonly missing: readonly AlikeRows[] } {
  const sights = new Map<TableName, Entry>();
  const [hidden, missing]: [number[], AlikeRows[]] = [[], []];
  let since = Number.POSITIVE_INFINITY;
  for (const [at, row] of rows.entries()) {
    const entry = sights.get(row.table) ?? groupSights(sharing, row.table, viewer);
    if (entry) sights.set(row.table, entry);
    const seen = entry?.answer?.shared as GroupSights | undefined;
    const sight = seen?.of(row.like, row.owned_by === viewer.id);
    if (!sight || !reads.allows(sight.since)) missing.push(row);
    else {
      since = Math.min(since, sight.since);
      if (!sight.isSeen) hidden.push(at);
    }
  }
  if (missing.length > 0) return { missing };
  return {
    ...{ sights: [...sights.values()], since, answers: {} },
    hidden: hidden[0] === 0 ? undefined : hidden.join(),
  };
}

/** The entry of what a viewer's group sees of a table; undefined where it is larger than the bound. */
function groupSights({ sights }: Sharing, table: TableName, viewer: Viewer): Entry | undefined {
  const known = sights.get(table);
  if (!known) return undefined;
  const { dependencies, entries, name } = known;
  const key = `${name} ${groupOf(viewer)}`;
  const empty = { shared: new GroupSights(), size: 0, since: 0 };
  return (
    entries.get(key) ??
    entries.set(
      key,
      empty,
      dependencies.map((each) => each.table),
    )
  );
}

/** Asks the store which of these rows a viewer sees, and keeps it for all of their group. */
async function askSights(
  reads: AnswerReads,
  sharing: Sharing,
  viewer: Viewer,
  { table, ids }: { readonly table: TableName; readonly ids: readonly number[] },
): Promise<void> {
  const known = sharing.sights.get(table);
  const entry = groupSights(sharing, table, viewer);
  if (!known || !entry) return;
  const key = `${entry.key} ${viewer.id} ${ids.join()}`;
  const found = await reads.combinable<readonly Sight[]>(known, key, () => sharing.rows.sights(viewer, table, ids));
  const seen = entry.answer?.shared as GroupSights | undefined;
  if (!found || !seen) return;
  let bytes = 0;
  for (const sight of found.value) bytes += seen.add(sight, found.since);
  known.entries.grow(entry, bytes);
}

function factsKey({ known: { name }, id }: AskedItem<object>): string {
  return `${name} ${id} facts`;
}

function sharedKey(
  { known: { name }, id, form }: Pick<AskedItem<object>, "known" | "id" | "form">,
  { hidden }: View,
): string {
  return `${name} ${id} ${form} -${hidden}`;
}
