/** Contracts in an isolated process: each of their members is a function that asks the server, so that it has to be awaited. */
import type { Viewer } from "lectern/core";
import type { ChildViewers } from "./child_viewers.ts";
import type { SentResult } from "./contract_calls.ts";
import { checkPlain, isViewer } from "./values.ts";

/** Sends a call of a function. */
export type SendCall = (value: object, within: number | undefined) => Promise<unknown>;

/** The contracts of the context, by name; `provided` says of each whether there is one. */
export function remoteContracts(
  provided: Readonly<Record<string, boolean>>,
  viewers: ChildViewers,
  send: SendCall,
): Record<string, object | undefined> {
  const names = Object.entries(provided);
  return Object.fromEntries(
    names.map(([name, isProvided]) => [name, isProvided ? remoteContract(name, viewers, send) : undefined]),
  );
}

function remoteContract(contract: string, viewers: ChildViewers, send: SendCall): object {
  return new Proxy(
    {},
    {
      get(_, member) {
        if (typeof member === "symbol" || member === "then") return undefined;
        return async (...args: unknown[]) => {
          const { within, ...sent } = sentArguments(args, `an argument of ${contract}.${member}`, viewers);
          const answer = (await send({ contract, member, count: args.length, ...sent }, within)) as SentResult;
          return received(answer, within, viewers);
        };
      },
    },
  );
}

/** Arguments as they are sent: viewers by their names, all of one call. */
function sentArguments(args: readonly unknown[], what: string, viewers: ChildViewers) {
  const named = args.flatMap((arg, at) =>
    typeof arg === "object" && arg !== null && isViewer(arg) ? [{ at, ...viewers.named(arg) }] : [],
  );
  const calls = new Set(named.map(({ within }) => within));
  if (calls.size > 1) throw new Error(`Cannot send ${what}: its viewers are those of several calls`);
  const values = [...args.entries()].flatMap(([at, value]) =>
    value === undefined || named.some((viewer) => viewer.at === at) ? [] : [{ at, value }],
  );
  for (const { value } of values) checkPlain(value, what);
  return {
    within: named[0] ? named[0].within : viewers.here,
    args: values,
    viewers: named.map(({ at, viewer }) => ({ at, viewer })),
  };
}

/** A result with its viewers. */
function received({ value, viewers: sent }: SentResult, within: number | undefined, viewers: ChildViewers): unknown {
  const root = { value };
  for (const { path, number, viewer } of sent) {
    const keys = ["value", ...path];
    const last = keys.pop() as string;
    const holder = keys.reduce<unknown>((at, key) => Reflect.get(Object(at), key), root);
    // Results with viewers come from calls that have a number.
    const known: Viewer = viewers.received(within as number, number, viewer);
    Reflect.set(Object(holder), last, known);
  }
  return root.value;
}
