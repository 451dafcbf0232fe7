import type { Allowed, Throttle } from "lectern/contracts";
import { definePlugin, HOUR_MS } from "lectern/core";
import { forgive, take } from "./changes.ts";
import type {} from "./contract.ts";
import { migrations } from "./migrations.ts";

const SWEEP_MS = HOUR_MS;

/** Limits attempts at secrets that can be guessed; see the contract `throttle`. */
export default definePlugin({
  name: "throttle",
  provides: ["throttle"],
  grants: { write: ["throttles"] },
  migrations,
  setup({ db, jobs, provide }) {
    const service: Throttle = {
      take: (limit, key) => take(db, limit, key),
      forgive: (limit, key) => forgive(db, limit, key),
    };
    // The limits of a plugin that does not ship are its own: it can neither clear nor use up those of others.
    provide("throttle", service, {}, ({ name, ships }) => {
      const own = (limit: Allowed) => ({ ...limit, name: `${name}: ${limit.name}` });
      if (ships) return {};
      return {
        take: (limit, key) => service.take(own(limit), key),
        forgive: (limit, key) => service.forgive(own(limit), key),
      };
    });
    jobs.every("sweep", SWEEP_MS, async () => {
      await db.deleteFrom("throttles").where("ends_at", "<", new Date().toISOString()).execute();
    });
  },
});
