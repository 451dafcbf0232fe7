/** Objects whose JSON is there as text, and whose rows are parsed only where somebody looks at them. */

/** A list that was read as the text of JSON. */
export interface TextList<Row> {
  readonly data: Row[];
  readonly total: number;
}

/** `data` and `total`. */
const MEMBERS = 2;

/** The text of the whole object. It is no key of the object: a copy with other members has none. */
const TEXT = Symbol("json text");

/**
 * A list with a total. `json` is the text of the list, which `data` parses at the first look; from then on `jsonTextOf` has no text,
 * since the rows may have been changed. Nor has it one once the list has got other rows, another total or a further member, as a hook
 * of a route may give it.
 * @example
 * const list = textList<{ id: number }>('[{"id":1}]', 1);
 * jsonTextOf(list); // {"data":[{"id":1}],"total":1}
 * list.data; // [{ id: 1 }]
 * jsonTextOf(list); // undefined
 */
export function textList<Row>(json: string, total: number): TextList<Row> {
  let rows: Row[] | undefined;
  const list = {
    get data(): Row[] {
      // It is the text of such rows, as the caller says.
      rows ??= JSON.parse(json) as Row[];
      return rows;
    },
    set data(given) {
      rows = given;
    },
    total,
  };
  const isChanged = () => rows !== undefined || list.total !== total || Object.keys(list).length !== MEMBERS;
  return Object.defineProperty(list, TEXT, {
    get: () => (isChanged() ? undefined : `{"data":${json},"total":${total}}`),
  });
}

/** The JSON of a value whose text is known; undefined for all others. */
export function jsonTextOf(value: unknown): string | undefined {
  return typeof value === "object" && value !== null ? (value as { [TEXT]?: string })[TEXT] : undefined;
}
