/** The part of the context that isolated plugins have, as a type. */

/** Members of the context that an isolated plugin has. */
export type IsolatedMember =
  | "app"
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
export type IsolatedContext<Context> = Pick<Context, IsolatedMember & keyof Context>;
