/** The part of the context that isolated plugins have, as a type. */

import type { SlotName, Slots } from "../registry.ts";

/** Members of the context that an isolated plugin has. */
export type IsolatedMember =
  | "app"
  | "contracts"
  | "contribute"
  | "slot"
  | "db"
  | "visible"
  | "perform"
  | "callAs"
  | "on"
  | "jobs"
  | "fetch"
  | "files"
  | "log"
  | "settings"
  | "baseUrl"
  | "language";

/**
 * A context without the members that isolated plugins lack, so that their use is an error of types and not of the boot.
 * @example
 * export default definePlugin({
 *   name: "counting",
 *   setup(context) {
 *     const { app, settings }: IsolatedContext<typeof context> = context;
 *     app.get("/counting", () => settings, { permit: "access-api" });
 *   },
 * });
 */
export type IsolatedContext<Context> = Pick<Context, Exclude<IsolatedMember, "contracts" | "slot"> & keyof Context> & {
  readonly contracts: Context extends { readonly contracts: infer C }
    ? { readonly [N in keyof C]: Asked<C[N]> }
    : never;
  /** The data of contributions, which has to be awaited. */
  slot<N extends SlotName>(name: N): readonly Data<Slots[N]>[] | Promise<readonly Data<Slots[N]>[]>;
};

/** A contract whose functions are called in another process: their results are awaited, and there are no other members. */
type Asked<Contract> = Contract extends object
  ? {
      readonly [M in keyof Contract as Contract[M] extends AnyFunction ? M : never]: Contract[M] extends (
        ...args: infer Args
      ) => infer Found
        ? (...args: Args) => Awaited<Found> | Promise<Awaited<Found>>
        : never;
    }
  : Contract;

/** A contribution without its functions. */
type Data<Contribution> = {
  readonly [M in keyof Contribution as Contribution[M] extends AnyFunction | undefined ? never : M]: Contribution[M];
};

type AnyFunction = (...args: never[]) => unknown;
