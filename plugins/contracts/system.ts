/**
 * Facts about the instance, as other servers see them.
 * @example
 * export default definePlugin({
 *   name: "about",
 *   requires: ["system"],
 *   setup({ app, contracts: { system } }) {
 *     app.get(
 *       "/about",
 *       async () => ({ id: await system.instanceId(), name: system.name, version: system.version }),
 *       { permit: "public" },
 *     );
 *   },
 * });
 */
export interface SystemFacts {
  /** A UUID that never changes. */
  instanceId(): Promise<string>;
  /** Its name, which administrators may change: read it where it is shown. */
  readonly name: string;
  /** URL of the logo; "" for none. It may change, too. */
  readonly logo: string;
  /** URL of its icon of 32, 192 or 512 pixels, where administrators have uploaded one; "" for the shipped one. */
  icon(side: 32 | 192 | 512): string;
  /** The API version that clients see. */
  readonly version: string;
}

declare module "lectern/core" {
  interface Contracts {
    system: SystemFacts;
  }
}
