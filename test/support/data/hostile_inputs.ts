/**
 * Requests of hostile and broken clients as fast-check arbitraries: values that no rule expects, bodies that fit a route's JSON
 * schema and are then broken field by field, encodings that contradict their type, ids, headers and query strings. Everything
 * is plain data, so that a failing case can be printed and sent again from its seed. Long texts are few, since parsing them is
 * what takes time.
 */
import fc from "fast-check";
import { type Entry, encoded, encoding, GIF, type HostileBody } from "./hostile_encodings.ts";

export type { HostileBody } from "./hostile_encodings.ts";

/** A JSON schema as `schemaOf` makes it. */
export type Schema = Record<string, unknown>;

/** Ids of existing items by the last part of a collection's path: `{ books: [1, 2] }`. */
export type Ids = Readonly<Record<string, readonly number[]>>;

/** Texts that break parsers, patterns, columns and encodings. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom(
      ..."\0|a\0b|\ud800|\udfff tail|\ufeff\u200b|\u202e\u0007\u001b[2J|\r\nSet-Cookie: a=b|null|NaN|-Infinity|1e308|-0".split(
        "|",
      ),
      ..."2147483648|-2147483649|9007199254740993|0x10|1_000|%00|%ff|%|..%2f..|__proto__|constructor|%%%%|\\|\\\\\\|_".split(
        "|",
      ),
      ..."'; drop table pages; --|$1|$&|{{@1}}|{{@999999999999#bkmrk-a}}|<script>alert(1)</script>|<a href='javascript:x'>".split(
        "|",
      ),
      ..."2024-02-30|0000-00-00|2024-13-01T25:61:61Z|99999-01-01|-4713-01-01|2024-01-01T00:00:00+15:00|infinity|now".split(
        "|",
      ),
      ..."💥💥|é|ﬀ|İ|ẞ|a@b|@|a@b..c|true|[]|{}|\t| |".split("|"),
    ),
  },
  { weight: 6, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 2, arbitrary: fc.constantFrom(191, 192, 255, 256, 70_000).map((length) => "x".repeat(length)) },
  { weight: 1, arbitrary: fc.constantFrom("é".repeat(300), "<b>".repeat(3000), "[".repeat(3000), "*_`".repeat(2000)) },
);

/** A megabyte of text, in several kinds. */
export const hugeText: fc.Arbitrary<string> = fc
  .constantFrom("x", " ", "💥", "<p>x</p>", "{{@1}} ", "a\n\n", "> ", "&amp;")
  .map((part) => part.repeat(1_000_000 / part.length));

const hostileNumber = fc.constantFrom(
  1e308,
  -1e308,
  2 ** 31,
  2 ** 31 - 1,
  -(2 ** 31) - 1,
  2 ** 53,
  2 ** 64,
  -0,
  1.5,
  1e-320,
);

/** A value of any type at any depth. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 8, arbitrary: hostileText },
  { weight: 4, arbitrary: hostileNumber },
  { weight: 3, arbitrary: fc.constantFrom(null, true, false, 0, -1, [], {}, [[]], [null], [{}], { "": "" }) },
  { weight: 2, arbitrary: fc.jsonValue({ noUnicodeString: false }) },
  { weight: 2, arbitrary: fc.array(fc.oneof(hostileText, hostileNumber, fc.constant(null)), { maxLength: 5 }) },
  { weight: 1, arbitrary: fc.constantFrom(40, 65, 3000).map((depth) => nest(depth)) },
  { weight: 1, arbitrary: fc.constantFrom(2000).map((length) => Array.from({ length }, (_, at) => at)) },
  { weight: 2, arbitrary: fc.array(fc.record({ name: hostileText, value: hostileText }), { maxLength: 4 }) },
);

/** Named where no item may be: no test creates as many. */
const MISSING_ID = 999_999_999;

/** An id as a path may hold it, already encoded. */
export function hostileId(ids: readonly number[]): fc.Arbitrary<string> {
  const known = fc.constantFrom(...(ids.length > 0 ? ids : [MISSING_ID])).map(String);
  return fc.oneof(
    { weight: 6, arbitrary: known },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        ..."0|-1|+1|01|1.0|1e3|2147483647|2147483648|99999999999999999999|%00|1%00|%ff|%c0%80|%|%2|%zz|..|%2e%2e|..%2f1".split(
          "|",
        ),
        ..."%2F|*|:id|null|NaN|1;x=y|1%20|%F0%9F%92%A5|__proto__|1//|a".split("|"),
        "9".repeat(5000),
      ),
    },
    { weight: 1, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 20 }).map(encoded) },
  );
}

/** A body for a schema: each field fitting, spoilt or left out, in an encoding that may be spoilt too. */
export function hostileBody(schema: Schema, ids: Ids): fc.Arbitrary<HostileBody> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  const required = new Set((schema.required ?? []) as string[]);
  const field = ([name, of]: [string, Schema]) => {
    const huge = of.type === "string" ? 1 : 0;
    return fc.oneof(
      { weight: 60, arbitrary: fitting(name, of, ids).map((value) => [[name, value]]) },
      { weight: 8, arbitrary: hostileValue.map((value) => [[name, value]]) },
      { weight: required.has(name) ? 3 : of.format === "binary" ? 200 : 50, arbitrary: fc.constant([]) },
      { weight: huge, arbitrary: hugeText.map((value) => [[name, value]]) },
      {
        weight: 1,
        arbitrary: fc.tuple(hostileValue, hostileValue).map(([a, b]) => [
          [name, a],
          [name, b],
        ]),
      },
    ) as fc.Arbitrary<Entry[]>;
  };
  const extra = fc.array(fc.tuple(fc.oneof(hostileText, fc.constantFrom("__proto__", "_method", "id")), hostileValue), {
    maxLength: 2,
  }) as fc.Arbitrary<Entry[]>;
  const entries = fc.tuple(...properties.map(field), extra).map((lists) => lists.flat());
  return fc.tuple(entries, encoding).map(([list, encode]) => encode(list));
}

/** Unusual headers, beside the credentials the test adds. */
export const hostileHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { "x-http-method-override": "GET" },
      { "x-http-method-override": "put" },
      { "x-http-method-override": "DELETE, PUT" },
      { "x-http-method-override": "TRACE" },
      { "content-length": "-1" },
      { "content-length": "1e99" },
      { "content-length": "abc" },
      { "transfer-encoding": "chunked", "content-length": "5" },
      { "content-encoding": "gzip" },
      { accept: "text/html" },
      { "accept-language": "x".repeat(5000) },
      { "x-forwarded-for": "1.1.1.1, '; --, ::1" },
      { "if-none-match": "*", range: "bytes=0-1" },
      { cookie: "bookstack_session=%00; __Host-a=b" },
    ),
  },
);

/** Authorization headers without a valid token. */
export const hostileCredentials: fc.Arbitrary<string> = fc.constantFrom(
  ..."Token|Token :|Token a:|Token :b|Token a:b:c|token adminid:adminsecret|Bearer x|Basic YTpi|Token %00:%00|Token adminid:x".split(
    "|",
  ),
  `Token ${"a".repeat(20_000)}:b`,
  "Token \u00ff\u00fe:\u0080",
);

/** A query string for a listing with these fields. */
export function hostileQuery(fields: readonly string[]): fc.Arbitrary<string> {
  const name = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...fields) }, { weight: 1, arbitrary: hostileText });
  const operator = fc.constantFrom(
    "",
    ":eq",
    ":ne",
    ":gt",
    ":lt",
    ":gte",
    ":lte",
    ":like",
    ":like",
    ":LIKE",
    ":",
    ":x",
    "::",
  );
  const value = fc.oneof(
    hostileText,
    fc.constantFrom(
      "1",
      "0",
      "a",
      "%a%",
      "2024-01-01",
      "2024-01-01 00:00:00",
      "-1.50",
      "true",
      "\\",
      "%\\",
      "%_\\\\\\",
    ),
  );
  const filter = fc.tuple(name, operator, value).map(([field, op, text]) => [`filter[${field}${op}]`, text]);
  const plain = fc.tuple(
    fc.constantFrom("count", "offset", "filter", "filter[]", "filter[a][b]", "sort[]", "page", "_method", "count[x]"),
    hostileText,
  );
  const sort = fc.tuple(fc.constantFrom("+", "-", "", "--", "+-"), name).map(([sign, field]) => ["sort", sign + field]);
  return fc
    .array(fc.oneof({ weight: 4, arbitrary: filter }, { weight: 2, arbitrary: sort }, plain), {
      minLength: 1,
      maxLength: 4,
    })
    .map((pairs) => pairs.map(([key, text]) => `${encoded(key ?? "")}=${encoded(text ?? "")}`).join("&"));
}

function nest(depth: number): unknown {
  let value: unknown = "deep";
  for (let at = 0; at < depth; at++) value = at % 2 === 0 ? [value] : { a: value };
  return value;
}

/** A value the rules of the field accept, as far as the schema says. */
function fitting(name: string, schema: Schema, ids: Ids): fc.Arbitrary<unknown> {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  const own = ids[name] ?? ids[`${name.replace(/_id$/, "")}s`] ?? [];
  const id = fc.constantFrom(...(own.length > 0 ? own : [1, 2]));
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if (type === "integer") return id;
  if (type === "boolean") return fc.boolean();
  if (name === "tags") return fc.array(fc.record({ name: fc.constant("Topic"), value: hostileText }), { maxLength: 3 });
  if (type === "array") return fc.array(fc.oneof(id, hostileText), { maxLength: 3 });
  if (type === "object") return hostileValue;
  if (schema.format === "binary") return fc.constantFrom(`${GIF} then nothing`, "no picture");
  if (schema.format === "email") return fc.uuid().map((text) => `${text}@example.com`);
  return fc.oneof(
    fc.uuid().map((text) => `Name ${text.slice(0, 8)}`),
    hostileText,
    fc.constantFrom("<h1>Title</h1><p>Text</p>", "# Title\n\nText", "{{@1}}", '<img src="data:image/png;base64,AAAA">'),
  );
}
