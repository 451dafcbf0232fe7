import { join } from "node:path";
import type { Children } from "../children/pool.ts";
import { GUEST, type Viewer } from "../viewer.ts";
import { type ParseText, parseText } from "./body_parsing.ts";

/** Bytes up to which the server itself parses a body: a few milliseconds. A form can hold a field in every two of them. */
const OWN_BYTES = { json: 131_072, form: 16_384 } as const;
const MODULE = join(import.meta.dir, "body_tasks.ts");

/** Parses JSON and urlencoded bodies, large ones in a child process on behalf of who sent them. */
export function parserFor(
  children: Children,
  { viewer, address }: { readonly viewer: Viewer; readonly address: string },
): ParseText {
  const owner = viewer === GUEST ? `address ${address}` : `viewer ${viewer.id}`;
  return (body, limits) =>
    body.bytes.length <= OWN_BYTES[body.kind]
      ? parseText(body, limits)
      : children.run({ body, limits }, { module: MODULE, task: "parse", owner });
}
