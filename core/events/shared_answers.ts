/**
 * Answers that all who see an item share. There is one way to the bytes: an entry which says that the store showed the item to readers
 * like this one, at the present state of rights. For a reader without one the store is asked for that alone. Three kinds of entries lead to an
 * answer: the facts of the item (whose it is, whether its answer is the same for all), the sight of it by a group of readers or by its owner, and the
 * answer itself. Each is forgotten when a row changes that it was read from, so what is there is right now, and all of it together too.
 */
import type { Viewer } from "../viewer.ts";
import type { AnswerEntries } from "./answer_entries.ts";
import type { KeptAnswer } from "./answer_forms.ts";
import type { Asked, Known } from "./asked_answer.ts";
import type { Answered, AnswerSource, SharedAnswers, SharedFacts, TableDependency } from "./cached_answers.ts";
import { groupOf, sightOf } from "./sight.ts";

/** What decides who shares an answer, with what each is read from. */
export interface Sharing {
  readonly answers: SharedAnswers;
  readonly facts: Known;
  readonly sights: Known;
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
  /** An entry that is there and not too old. */
  current(known: Known, key: string): KeptAnswer | undefined;
  /** An entry, loaded if need be; undefined where it cannot be kept. */
  kept(asked: Asked<object>): Promise<KeptAnswer | undefined>;
  /** An answer, from its entry or loaded. */
  answer<A extends object>(asked: Asked<A>): Answered<A> | Promise<Answered<A>>;
  /** The answer of an entry, for a reader for whom it was not loaded. */
  shared<A extends object>(asked: Asked<A>, answer: KeptAnswer): Answered<A>;
  /** An answer that is loaded for this reader alone. */
  alone<A extends object>(asked: Asked<A>): Promise<A | undefined>;
}

/** Turns in which something changed before all was read, until a reader loads for itself. */
const MAX_TURNS = 3;

/**
 * Sharing of a source, whose entries are kept in `entries`. `tables` are the further ones that decide who sees an item; their columns and
 * rows are those that the source declares.
 */
export function sharingOf(
  { name, dependencies }: Known,
  answers: SharedAnswers,
  tables: readonly string[],
  entries: AnswerEntries,
): Sharing {
  const row: TableDependency = { table: answers.table, column: "id" };
  const knownOf = (part: string, from: readonly TableDependency[]): Known => ({
    ...{ name: `${name} ${part}`, entries },
    ...{ tables: new Set(from.map(({ table }) => table)), dependencies: from },
  });
  const rights = dependencies.filter(({ table }) => tables.includes(table));
  return { answers, facts: knownOf("facts", [row]), sights: knownOf("sight", [row, ...rights]) };
}

/** The answer that all who see the item share, or that of this reader alone. At once where all that it takes is kept. */
export function sharedAnswer<A extends object>(
  reads: AnswerReads,
  sharing: Sharing,
  own: AskedItem<A>,
  viewer: Viewer,
): Answered<A> | Promise<Answered<A>> {
  const facts = reads.current(sharing.facts, factsKey(own));
  if (facts) {
    const { owned_by, isSame } = facts.shared as SharedFacts;
    if (!isSame) return reads.answer(own);
    const sight = reads.current(sharing.sights, sightKey(own, viewer, owned_by));
    const answer = sight && reads.current(own.known, sharedKey(own));
    if (answer) return reads.shared(own, answer);
  }
  return loadShared(reads, sharing, own, viewer);
}

/**
 * The same, where something of it has to be loaded. An answer that another reader's load gave is used only if the facts and the sight of
 * this reader have not changed since: all were right at one moment.
 */
async function loadShared<A extends object>(
  reads: AnswerReads,
  { answers, facts, sights }: Sharing,
  own: AskedItem<A>,
  viewer: Viewer,
): Promise<Answered<A>> {
  const { id } = own;
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const ofItem = { known: facts, key: factsKey(own), form: "value", id } as const;
    const known = await reads.kept({ ...ofItem, load: () => answers.facts(id) });
    if (!known) break;
    const { owned_by, isSame } = known.shared as SharedFacts;
    if (!isSame) return reads.answer(own);
    const isSameItem = () => reads.current(facts, ofItem.key) === known;
    const ofReader = { known: sights, key: sightKey(own, viewer, owned_by), form: "value", id } as const;
    const load = async () => ((await answers.sees(viewer, id)) ? {} : undefined);
    const sight = await reads.kept({ ...ofReader, isStill: isSameItem, load });
    if (!sight) break;
    const isStill = () => isSameItem() && reads.current(sights, ofReader.key) === sight;
    const answer = await reads.answer({ ...own, key: sharedKey(own), isStill });
    if (isStill()) return answer;
  }
  return reads.alone(own);
}

function factsKey({ known: { name }, id }: AskedItem<object>): string {
  return `${name} ${id} facts`;
}

/** Readers of a group share their sight of items that they do not own. */
function sightKey({ known: { name }, id }: AskedItem<object>, viewer: Viewer, owner: number | null): string {
  return `${name} ${id} sees ${viewer.id === owner ? sightOf(viewer) : groupOf(viewer)}`;
}

function sharedKey({ known: { name }, id, form }: AskedItem<object>): string {
  return `${name} ${id} ${form}`;
}
