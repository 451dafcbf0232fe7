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
export async function foundByAlias<A extends object>(
  reads: Pick<AnswerReads, "current" | "kept">,
  { known, alias, idOf }: AskedAlias,
  find: (id: number) => Promise<A | undefined>,
): Promise<A | undefined> {
  const key = `${known.name} ${alias}`;
  const load = async (note: NoteRows) => {
    const id = await idOf(note);
    return id === undefined ? undefined : { id };
  };
  const entry = await reads.kept({ known, key, form: "value", load });
  if (!entry?.answer) return undefined;
  const { id } = entry.answer.shared as { readonly id: number };
  const found = await find(id);
  return reads.current(known, key) === entry ? found : undefined;
}
