import { join } from "node:path";
import type { Children } from "../children/pool.ts";
import { type ParseText, parseText } from "../input/body_parsing.ts";
import type { Pause } from "../input/multipart.ts";

/** Bytes up to which a body is parsed in the server, within a few milliseconds. A form may have a field in every two bytes. */
export const OWN_BYTES = { json: 65_536, form: 16_384 } as const;
const MODULE = join(import.meta.dir, "body_tasks.ts");

/** A parser of JSON and urlencoded bodies; large ones are parsed in a child process on behalf of the owner, others in its turn. */
export function parserFor(children: Children, owner: string, pause: Pause): ParseText {
  return async (body, limits) => {
    if (body.bytes.length > OWN_BYTES[body.kind])
      return children.run({ body, limits }, { module: MODULE, task: "parse", owner });
    await pause();
    return parseText(body, limits);
  };
}
