/** A limit on attempts. */
export interface Allowed {
  /** The name of the limit, such as "sign in by account". Plugins that do not ship have names of their own. */
  readonly name: string;
  readonly attempts: number;
  /** Length in seconds of the window that the first attempt opens. */
  readonly seconds: number;
}

/**
 * Limits on attempts to guess secrets, such as passwords. Attempts are counted in the store, so that all processes share
 * them and a restart loses none. Requests in general have their own limit (platform 1.6).
 * @example
 * export default definePlugin({
 *   name: "vouchers",
 *   requires: ["throttle"],
 *   settings: t.Object({ hash: t.String({ default: "", env: "VOUCHER_HASH", description: "SHA-256 of the code" }) }),
 *   setup({ app, contracts: { throttle }, settings }) {
 *     const byAddress = { name: "voucher by address", attempts: 10, seconds: 3600 };
 *     app.post(
 *       "/vouchers",
 *       async ({ address, body }) => {
 *         await throttle.take(byAddress, address);
 *         if (!matchesSecret(body.code, settings.hash)) throw denied();
 *         await throttle.forgive(byAddress, address);
 *         return { is_valid: true };
 *       },
 *       { permit: "public", body: t.Object({ code: t.String() }) },
 *     );
 *   },
 * });
 */
export interface Throttle {
  /** Counts an attempt by a key, such as an address. Throws ApiError 429 with Retry-After beyond the limit. */
  take(limit: Allowed, key: string): Promise<void>;
  /** Clears the attempts of a key, as after a success. */
  forgive(limit: Allowed, key: string): Promise<void>;
}

declare module "lectern/core" {
  interface Contracts {
    throttle: Throttle;
  }
}
