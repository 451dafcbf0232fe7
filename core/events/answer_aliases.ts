import type { KeptAnswer } from "./answer_forms.ts";
import type { Known } from "./asked_answer.ts";
import type { NoteRows } from "./cached_answers.ts";
import type { AnswerReads } from "./shared_answers.ts";

/** An alias of an item, such as its slug, and how its id is found; the id is kept for all readers. */
export interface AskedAlias {
  readonly known: Known;
  readonly alias: string;
  idOf(note: NoteRows): Promise<number | undefined>;
}

/**
 * An item by its alias. What was known of the alias must be so still when the item was read: both were right at one moment, as
 * they are when neither is loaded. Undefined where nothing is known of the alias.
 */
export function foundByAlias<A extends object>(
  reads: Pick<AnswerReads, "current" | "kept">,
  asked: AskedAlias,
  find: (id: number) => A | undefined | Promise<A | undefined>,
): A | undefined | Promise<A | undefined> {
  const { known, alias } = asked;
  const key = `${known.name} ${alias}`;
  const entry = reads.current(known, key);
  if (!entry?.answer) return loaded(reads, key, asked, find);
  const found = find(idIn(entry.answer));
  return found instanceof Promise
    ? found.then((item) => (reads.current(known, key) === entry ? item : undefined))
    : found;
}

async function loaded<A extends object>(
  reads: Pick<AnswerReads, "current" | "kept">,
  key: string,
  { known, idOf }: AskedAlias,
  find: (id: number) => A | undefined | Promise<A | undefined>,
): Promise<A | undefined> {
  const load = async (note: NoteRows) => {
    const id = await idOf(note);
    return id === undefined ? undefined : { id };
  };
  const entry = await reads.kept({ known, key, form: "value", load });
  if (!entry?.answer) return undefined;
  const found = await find(idIn(entry.answer));
  return reads.current(known, key) === entry ? found : undefined;
}

function idIn({ shared }: KeptAnswer): number {
  return (shared as { readonly id: number }).id;
}
