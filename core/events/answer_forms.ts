import { deepFreeze } from "../std/freeze.ts";
import { JsonBytes } from "../std/json_bytes.ts";
import { SharedItem } from "./shared_item.ts";
import type { SharedFacts } from "./shared_rows.ts";

/** An answer as it is cached: JSON as bytes, or an object that is frozen with all that is in it. */
export interface KeptAnswer {
  readonly shared: JsonBytes | object;
  /** Approximate bytes of memory. */
  readonly size: number;
  /** When its load began, of `performance.now()`. */
  readonly since: number;
}

/** The forms in which answers are read. */
export type AnswerForm = keyof typeof ANSWER_FORMS;

/** Makes an answer of its JSON, and the time when its load began. */
export const ANSWER_FORMS = {
  json(text: string, since: number): KeptAnswer {
    const shared = new JsonBytes(text);
    return { shared, size: shared.blob.size, since };
  },
  /** A copy that nobody else has: plugins may go on to use the objects that they returned. */
  value(text: string, since: number): KeptAnswer {
    const shared: object = deepFreeze(JSON.parse(text));
    const count = countOf(shared);
    return { shared, size: text.length * (WIDE.test(text) ? 2 : 1) + NODE_BYTES * count, since };
  },
  /** The facts of an item whose answer is shared. */
  item(text: string, since: number): KeptAnswer {
    const facts: SharedFacts = JSON.parse(text);
    return { shared: new SharedItem(facts), size: text.length + NODE_BYTES * countOf(facts), since };
  },
};

/** Approximate bytes of an object or a value in it, beside its text. */
const NODE_BYTES = 60;
/** Characters that make a text take two bytes for each of its characters. */
const WIDE = /[\u0100-\uffff]/;

/** The number of values in a value, itself included. */
function countOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  let count = 1;
  for (const each of Object.values(value)) count += countOf(each);
  return count;
}
