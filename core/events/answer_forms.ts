import { JsonBytes } from "../http/default_headers.ts";

/** Approximate bytes of an object or a value in it, beside its text. */
const NODE_BYTES = 60;
const WIDE = /[\u0100-\uffff]/;

/**
 * A cached answer in the forms in which it is read: its JSON as bytes, and an object that is frozen with all that is in it. It has the
 * one that was read first; the other is made of it.
 */
export class AnswerForms<A extends object = object> {
  #json: JsonBytes | undefined;
  #value: A | undefined;
  #valueSize = 0;

  private constructor() {}

  /** The form of JSON. */
  static ofJson<A extends object>(text: string): AnswerForms<A> {
    const forms = new AnswerForms<A>();
    forms.#json = new JsonBytes(text);
    return forms;
  }

  /** The form of an object: a copy, which nobody else has. */
  static ofValue<A extends object>(text: string): AnswerForms<A> {
    const forms = new AnswerForms<A>();
    forms.#setValue(text);
    return forms;
  }

  /** Approximate bytes of memory. */
  get size(): number {
    return (this.#json?.blob.size ?? 0) + this.#valueSize;
  }

  /** The object, if it was made. */
  get value(): A | undefined {
    return this.#value;
  }

  /** The JSON, if it was made. */
  get json(): JsonBytes | undefined {
    return this.#json;
  }

  /** The JSON; made of the object. */
  makeJson(): JsonBytes {
    this.#json ??= new JsonBytes(JSON.stringify(this.#value));
    return this.#json;
  }

  /** The object; made of the JSON. */
  async makeValue(): Promise<A> {
    const text = this.#value ? "" : ((await this.#json?.blob.text()) ?? "");
    return this.#value ?? this.#setValue(text);
  }

  #setValue(text: string): A {
    // JSON of an object of this type.
    const value = JSON.parse(text) as A;
    this.#valueSize = text.length * (WIDE.test(text) ? 2 : 1) + NODE_BYTES * freeze(value);
    this.#value = value;
    return value;
  }
}

/** Freezes a value with all that is in it. Returns the number of values. */
function freeze(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  let count = 1;
  for (const each of Object.values(value)) count += freeze(each);
  Object.freeze(value);
  return count;
}
