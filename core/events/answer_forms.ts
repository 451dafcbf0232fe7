import { deepFreeze } from "../std/freeze.ts";
import { JsonBytes } from "../std/json_bytes.ts";
import type { DerivedValue } from "./derived_answers.ts";
import { SharedItem } from "./shared_item.ts";
import type { SharedFacts } from "./shared_rows.ts";

/** An answer as it is cached: JSON as bytes, or an object that is frozen with all that is in it. */
export interface KeptAnswer {
  readonly shared: JsonBytes | object;
  /** Approximate bytes of memory. */
  readonly size: number;
  /** When its load began, of `performance.now()`. */
  readonly since: number;
  /** Whether it is an object that readers are given, of which they may make what is kept with it. */
  readonly isGiven?: true;
}

/** Of the bytes of an answer, what its compressed form takes that is kept with it (`http/compression.ts`). */
const COMPRESSED = 0.25;

/** The forms in which answers are read. */
export type AnswerForm = keyof typeof ANSWER_FORMS;

/** Makes what is kept of an answer, and of the time when its load began; undefined for what must not be kept. */
export const ANSWER_FORMS = {
  json(answer: object, since: number): KeptAnswer {
    const shared = new JsonBytes(JSON.stringify(answer));
    return { shared, size: shared.bytes.byteLength * (1 + COMPRESSED), since };
  },
  /** A copy that nobody else has: plugins may go on to use the objects that they returned. */
  value(answer: object, since: number): KeptAnswer {
    const text = JSON.stringify(answer);
    const shared: object = deepFreeze(JSON.parse(text));
    const count = countOf(shared);
    return { shared, size: text.length * (WIDE.test(text) ? 2 : 1) + NODE_BYTES * count, since, isGiven: true };
  },
  /** A `DerivedValue` as it was made. */
  derived(answer: object, since: number): KeptAnswer | undefined {
    const { bytes } = answer as DerivedValue;
    return bytes === undefined ? undefined : { shared: answer, size: bytes, since };
  },
  /** The facts of an item whose answer is shared. */
  item(answer: object, since: number): KeptAnswer {
    const text = JSON.stringify(answer);
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
