/**
 * Bodies and query strings that fit the schemas of an OpenAPI document, made by chance from a seed, so that a failure can be repeated.
 * Fields that name items get the names of staged things, and names that only the instance knows are ones that it accepts. It reads
 * the words that our document uses, and is no sampler for any schema.
 */

/** A schema or another object of a document. */
export type Schema = Readonly<Record<string, unknown>>;

/** Which fields a body has: those it needs, all, or some by chance. */
export type Extent = "least" | "most" | "some";

/** The staged things (`staged_requests.ts`) that fields name. */
const THINGS: Readonly<Record<string, string>> = {
  ...{
    book_id: "{book}",
    chapter_id: "{chapter}",
    page_id: "{page}",
    bookshelf_id: "{shelf}",
    uploaded_to: "{page}",
    role_id: "{role}",
  },
  ...{
    owner_id: "{user}",

    roles: "{role}",
    pages: "{page}",
    migrate_ownership_id: "{heir}",
    url: "{url}",
  },
};
/** What only the instance knows: names that it accepts. */
const NAMES: Readonly<Record<string, string>> = { permissions: "book-view-all", events: "all" };
/** Fields that are about a state of the store, which no sample has. */
const LEFT_OUT = new Set(["draft_id", "base_revision", "kept_at"]);
/** What stands for a file. */
export const FILE = "(file)";
const MAX_INT32 = 2_147_483_647;
const WORD = "Bergfried ";

/** The fields of a form: lists and objects have brackets in their names. */
export function formPairs(value: unknown, name = ""): [string, string][] {
  if (typeof value !== "object" || value === null) return [[name, String(value)]];
  const nested = (key: string) => (name === "" ? key : `${name}[${key}]`);
  return Object.entries(value).flatMap(([key, one]) => formPairs(one, nested(key)));
}

/** Makes values; the same seed makes the same ones. */
export class BodySampler {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
    for (let turn = 0; turn < 4; turn++) this.#next(1);
  }

  /** A value that fits a schema; `name` is that of its field. */
  value(schema: Schema, extent: Extent, name = ""): unknown {
    if ("const" in schema) return schema.const;
    if (Array.isArray(schema.enum)) return this.#oneOf(schema.enum);
    const types = [schema.type ?? "any"].flat() as string[];
    if (types.includes("null") && (types.length === 1 || (extent === "some" && this.#chance()))) return null;
    const type = types.find((one) => one !== "null");
    if (type === "object") return this.#object(schema, extent, name);
    if (type === "array") return this.#list(schema, extent, name);
    if (type === "integer") return this.#integer(schema, name);
    if (type === "boolean") return this.#chance();
    if (type === "string") return this.#text(schema, extent, name);
    return this.#oneOf([7, "any", true, null, { a: 1 }, []]);
  }

  #object(schema: Schema, extent: Extent, name: string): unknown {
    const choices = [schema, ...((schema.allOf ?? []) as Schema[])].flatMap(({ anyOf }) =>
      Array.isArray(anyOf) ? [anyOf] : [],
    );
    const chosen = choices.map((options) => this.#oneOf(options as Schema[]));
    const properties: Record<string, Schema> = Object.assign(
      {},
      schema.properties,
      ...chosen.map((one) => one.properties),
    );
    if (typeof schema.additionalProperties === "object")
      return { name: this.value(schema.additionalProperties as Schema, extent, name) };
    const needed = new Set([schema, ...chosen].flatMap(({ required }) => (required ?? []) as string[]));
    const barred = new Set(chosen.flatMap(({ not }) => ((not as Schema | undefined)?.required ?? []) as string[]));
    const kept = Object.keys(properties).filter(
      (key) => needed.has(key) || (!barred.has(key) && (extent === "most" || (extent === "some" && this.#chance()))),
    );
    const brought = kept.flatMap(
      (key) => ((schema.dependentRequired as Record<string, string[]>)?.[key] ?? []) as string[],
    );
    const names = [...new Set([...kept, ...brought])].filter((key) => !LEFT_OUT.has(key));
    const sample = Object.fromEntries(names.map((key) => [key, this.value(properties[key] ?? {}, extent, key)]));
    if ("parent_id" in sample) sample.parent_id = `{${sample.parent_type}}`;
    if (sample.type === "page" || sample.type === "chapter") sample.id = `{${sample.type}}`;
    return sample;
  }

  #list(schema: Schema, extent: Extent, name: string): unknown[] {
    const { minItems = 0, items = {} } = schema as { minItems?: number; items?: Schema };
    const length = Math.max(minItems, extent === "least" ? 0 : 1);
    return Array.from({ length }, () => this.value(items, extent, name));
  }

  #integer(schema: Schema, name: string): unknown {
    if (THINGS[name] !== undefined) return THINGS[name];
    const { minimum = -MAX_INT32 - 1, maximum = MAX_INT32 } = schema as { minimum?: number; maximum?: number };
    return this.#oneOf([minimum, maximum, Math.min(Math.max(3, minimum), maximum)]);
  }

  #text(schema: Schema, extent: Extent, name: string): string {
    const known = THINGS[name] ?? NAMES[name];
    if (known !== undefined) return known;
    const {
      anyOf,
      format,
      minLength = 0,
      maxLength = 300,
      pattern = "",
    } = schema as {
      anyOf?: Schema[];
      format?: string;
      minLength?: number;
      maxLength?: number;
      pattern?: string;
    };
    if (anyOf) return this.#text(this.#oneOf(anyOf), extent, name);
    if (format === "binary") return FILE;
    if (format === "email") return `somebody-{turn}-${this.#next(1e6)}@example.com`;
    if (format === "date") return "2031-02-03";
    if (format === "date-time") return "2031-02-03T04:05:06Z";
    if (format === "uri") return "https://example.com/a?b=c";
    if (format === "ipv4") return "192.0.2.7";
    if (format === "ipv6") return "2001:db8::7";
    if (pattern.endsWith("?\\d)$")) return "192.0.2.0/24";
    const length = extent === "most" ? maxLength : Math.max(minLength, extent === "least" ? 0 : 5);
    const text = WORD.repeat(Math.ceil(length / WORD.length)).slice(0, length);
    return pattern.startsWith("^[\\p{L}") ? text.replaceAll(" ", "-") || "a" : text.replace(/ $/, "x");
  }

  #chance(): boolean {
    return this.#next(2) === 1;
  }

  #oneOf<T>(options: readonly T[]): T {
    return options[this.#next(options.length)] as T;
  }

  /** A linear congruential generator (Numerical Recipes); the high bits are the better ones. */
  #next(below: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * below);
  }
}
