import { definePlugin } from "lectern/core";
import type {} from "./contract.ts";
import { migrations } from "./migrations.ts";
import { forgive, take } from "./take.ts";

const SWEEP_MS = 3_600_000;

/** Keeps count of attempts at what may be guessed; see the contract. */
export default definePlugin({
  name: "throttle",
  provides: ["throttle"],
  permissions: { write: ["throttles"] },
  migrations,
  setup({ db, every, provide }) {
    provide("throttle", {
      take: (limit, key) => take(db, limit, key),
      forgive: (limit, key) => forgive(db, limit, key),
    });
    every("sweep", SWEEP_MS, async () => {
      await db.deleteFrom("throttles").where("ends_at", "<", new Date().toISOString()).execute();
    });
  },
});
