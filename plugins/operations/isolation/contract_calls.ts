/**
 * Functions of contracts that an isolated plugin calls. The contract is the one of the plugin's own context, which refuses what the
 * plugin may not call and as whom it may not act; here values are checked, and viewers are taken from those that the server keeps.
 */
import { type Static, Type } from "@sinclair/typebox";
import { type AnyContext, type Viewer, withinTime } from "lectern/core";
import type { SentViewer } from "./child_viewers.ts";
import { checkPlain, sentResult } from "./values.ts";
import { referenceSchema, sentViewer, viewerOf } from "./viewers.ts";

const MAX_ARGUMENTS = 20;
/** Viewers that the server keeps for one call. */
const MAX_VIEWERS = 1_000;
const at = Type.Integer({ minimum: 0, maximum: MAX_ARGUMENTS - 1 });

/** The form of a call; arguments that are undefined or viewers are not in `args`. */
export const contractCallSchema = Type.Object({
  contract: Type.String(),
  member: Type.String(),
  count: Type.Integer({ minimum: 0, maximum: MAX_ARGUMENTS }),
  args: Type.Array(Type.Object({ at, value: Type.Unknown() }), { maxItems: MAX_ARGUMENTS }),
  viewers: Type.Array(Type.Object({ at, viewer: referenceSchema }), { maxItems: MAX_ARGUMENTS }),
});

/** A result as it is sent: with the viewers in it, which later calls name by their numbers. */
export interface SentResult {
  readonly value: unknown;
  readonly viewers: readonly {
    readonly path: readonly string[];
    readonly number: number;
    readonly viewer: SentViewer;
  }[];
}

type Call = (...args: unknown[]) => unknown;

/** Calls a function of a contract. `sent` are the viewers that the process was sent within the call at hand; new ones are added. */
export async function callContract(
  { contract, member, count, args, viewers }: Static<typeof contractCallSchema>,
  contracts: AnyContext["contracts"],
  { sent, timeoutMs }: { readonly sent: Viewer[] | undefined; readonly timeoutMs: number },
): Promise<SentResult> {
  const name = `${contract}.${member}`;
  const run = functionOf(contracts, contract, member);
  const given = new Array<unknown>(count).fill(undefined);
  for (const { at, value } of args) {
    checkPlain(value, `an argument of ${name}`);
    given[at] = value;
  }
  for (const { at, viewer } of viewers) given[at] = viewerOf(viewer, sent);
  const found = await withinTime(
    timeoutMs,
    async () => run(...given.slice(0, count)),
    `${name} did not answer within ${timeoutMs} ms`,
  );
  const result = sentResult(found, `the result of ${name}`);
  return { value: result.value, viewers: result.viewers.map(({ path, viewer }) => ({ path, ...kept(viewer, sent) })) };
}

function kept(viewer: Viewer, sent: Viewer[] | undefined): { readonly number: number; readonly viewer: SentViewer } {
  if (!sent) throw new Error("Isolated plugins get viewers within a request, an event, a job or a schedule alone");
  const known = sent.indexOf(viewer);
  if (known >= 0) return { number: known, viewer: sentViewer(viewer) };
  if (sent.length >= MAX_VIEWERS) throw new Error(`Isolated plugins get at most ${MAX_VIEWERS} viewers within a call`);
  return { number: sent.push(viewer) - 1, viewer: sentViewer(viewer) };
}

/** A function of a contract that the plugin names. Members with a getter, and those of prototypes, are none. */
function functionOf(contracts: AnyContext["contracts"], contract: string, member: string): Call {
  if (!Object.hasOwn(contracts, contract))
    throw new Error(`The plugin names the contract "${contract}" neither in "requires" nor in "uses"`);
  const service: unknown = Reflect.get(contracts, contract);
  if (service === undefined) throw new Error(`No plugin provides the contract "${contract}"`);
  const own: unknown = Object.getOwnPropertyDescriptor(Object(service), member)?.value;
  if (typeof service !== "object" || typeof own !== "function")
    throw new Error(`The contract "${contract}" has no function "${member}"; isolated plugins call functions alone`);
  return own.bind(service) as Call;
}
