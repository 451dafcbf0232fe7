/** The limits of isolated plugins, as an operator writes them by entry in `isolated` of package.json. */
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { BootError, HOUR_MS, MINUTE_MS } from "lectern/core";

const limitsSchema = Type.Object(
  {
    /** Milliseconds that a call may take: a request, an event's handler, a job. */
    timeoutMs: Type.Integer({ default: 5_000, minimum: 10, maximum: 10 * MINUTE_MS }),
    /** Milliseconds that the start may take: loading the module, and `setup`. */
    startMs: Type.Integer({ default: 20_000, minimum: 100, maximum: 10 * MINUTE_MS }),
    /** Megabytes of resident memory. */
    memoryMb: Type.Integer({ default: 192, minimum: 96, maximum: 65_536 }),
    /** Megabytes of one message: a request, an answer, the rows of a statement. */
    messageMb: Type.Integer({ default: 4, minimum: 1, maximum: 256 }),
    /** Calls of the plugin to the server at a time. */
    calls: Type.Integer({ default: 32, minimum: 1, maximum: 10_000 }),
    /** The longest pause before the process is started again, in milliseconds. */
    pauseMs: Type.Integer({ default: 30_000, minimum: 0, maximum: HOUR_MS }),
    /** Whether the plugin runs where the kernel cannot confine it. */
    unenforced: Type.Boolean({ default: false }),
  },
  { additionalProperties: false },
);

/** The limits of an isolated plugin. */
export type Limits = Static<typeof limitsSchema>;

/** The limits of an entry, from what the operator wrote for it. Throws BootError for limits that do not exist. */
export function limitsOf(entry: string, given: Readonly<Record<string, unknown>>): Limits {
  const limits = Value.Default(limitsSchema, { ...given });
  const first = Value.Errors(limitsSchema, limits).First();
  if (first)
    throw new BootError(
      `Cannot use the "lectern" block of package.json: "isolated" of "${entry}": "${first.path.slice(1)}": ${first.message}`,
    );
  return limits as Limits;
}
