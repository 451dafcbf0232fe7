/**
 * Encodings of a body as hostile and broken clients make them: mostly what the type says, sometimes another, truncated, with a
 * boundary that is none or a byte that is no UTF-8. Written by hand, since a library would correct them.
 */
import fc from "fast-check";

/** A body ready to send: its bytes and the type it claims to be. */
export interface HostileBody {
  readonly type: string | undefined;
  readonly bytes: Uint8Array;
}

/** A field of a body; names may repeat. */
export type Entry = [string, unknown];

/** How a picture starts that can be written as text. */
export const GIF = "GIF89a";
const BOUNDARY = "----oddboundary";
const encoder = new TextEncoder();

/** How the fields of a body become bytes. */
export const encoding: fc.Arbitrary<(entries: readonly Entry[]) => HostileBody> = fc.oneof(
  { weight: 24, arbitrary: fc.constant((entries: readonly Entry[]) => claim("application/json", json(entries))) },
  {
    weight: 4,
    arbitrary: fc.constant((entries: readonly Entry[]) => claim("application/x-www-form-urlencoded", form(entries))),
  },
  {
    weight: 3,
    arbitrary: fc.constant((entries: readonly Entry[]) =>
      claim(`multipart/form-data; boundary=${BOUNDARY}`, parts(entries)),
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom("a", "", BOUNDARY.slice(0, 5), `"${BOUNDARY}`)
      .map((bad) => (entries: readonly Entry[]) => claim(`multipart/form-data; boundary=${bad}`, parts(entries))),
  },
  {
    weight: 1,
    arbitrary: fc.constant((entries: readonly Entry[]) =>
      claim(`multipart/form-data; boundary=${BOUNDARY}`, parts(entries).slice(0, -30)),
    ),
  },
  { weight: 2, arbitrary: fc.nat(200).map((at) => (entries: readonly Entry[]) => spoilt(json(entries), at)) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom("[1,2]", "5", "NaN", '{"a":1,}', '{"a":1e999}', "{", "\ufeff{}", '"\ud800"')
      .map((text) => () => claim("application/json", text)),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(
        undefined,
        "text/plain",
        "application/xml",
        ";;;",
        "application/json; charset=utf-16",
        "multipart/form-data",
      )
      .map((type) => (entries: readonly Entry[]) => claim(type, json(entries))),
  },
);

function claim(type: string | undefined, text: string): HostileBody {
  return { type, bytes: encoder.encode(text) };
}

/** JSON with a byte in it that is no UTF-8. */
function spoilt(text: string, at: number): HostileBody {
  const bytes = encoder.encode(text);
  bytes[Math.min(at, bytes.length - 1)] = 0xff;
  return { type: "application/json", bytes };
}

/** By hand, since an object would lose equal names and `__proto__`. */
function json(entries: readonly Entry[]): string {
  return `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value) ?? "null"}`).join(",")}}`;
}

function flat(name: string, value: unknown, depth = 0): [string, string][] {
  if (typeof value !== "object" || value === null || depth > 200) return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, inner]) => flat(`${name}[${key}]`, inner, depth + 1));
}

function form(entries: readonly Entry[]): string {
  return entries
    .flatMap(([name, value]) => flat(name, value))
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .join("&");
}

function parts(entries: readonly Entry[]): string {
  const all = entries
    .flatMap(([name, value]) => flat(name, value))
    .map(([name, value], at) => {
      const file = value.startsWith(GIF) || at % 7 === 6 ? `; filename="${name}.gif"\r\ncontent-type: image/gif` : "";
      return `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
    });
  return `${all.join("")}--${BOUNDARY}--\r\n`;
}

/** Text as it stands in forms and query strings. */
export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
