/**
 * Keys for clients that are not users: dashboards that read the statistics, scripts that enrol hosts (dashboard-stats 3 and 5).
 * A key has a name, a random key and a random secret, optionally an expiry and a list of allowed addresses. Plugins that accept
 * keys call the contract `dashboard_keys`, and choose the answer to a rejected key themselves.
 */
import { activityOf } from "lectern/contracts";
import { definePlugin, hasPermission, sql } from "lectern/core";
import { spend } from "./changes.ts";
import { keyChecker, readKey, upgradeHash } from "./check_key.ts";
import { keysUsed } from "./last_used.ts";
import { migrations } from "./migrations.ts";
import { mountKeys } from "./routes.ts";

const EVENTS = ["dashboard_key_create", "dashboard_key_update", "dashboard_key_delete"] as const;

export default definePlugin({
  name: "dashboard_keys",
  requires: ["users"],
  provides: ["dashboard_keys"],
  grants: { write: ["dash_keys"] },
  migrations,
  events: EVENTS,
  setup(context) {
    const { pools, cache, contribute, db, log, visibilityRule, onStop, provide } = context;
    const known = cache.values("keys", (tokenKey) => readKey({ db, pools }, tokenKey));
    const lastUsed = keysUsed(db, log);
    onStop(() => lastUsed.flush());
    visibilityRule("dash_keys", (viewer) => hasPermission(viewer, "settings-manage") || sql<boolean>`false`);
    for (const event of EVENTS)
      contribute(
        "activity",
        activityOf(event, ({ result: { name } }) => [{ type: event, detail: name }]),
      );
    mountKeys({ ...context, lastUsed, forget: (tx, tokenKey) => known.forget(tx, tokenKey) });
    const check = keyChecker({ known, lastUsed, log, upgrade: (key, secret) => upgradeHash(db, key, secret) });
    provide("dashboard_keys", { check, spend }, { spend: "ships" });
  },
});
