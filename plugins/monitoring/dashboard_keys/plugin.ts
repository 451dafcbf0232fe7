/**
 * Keys of those who are no users: dashboards that read the numbers, scripts that enrol hosts (dashboard-stats 3 and 5). A
 * key is a name, a random key and a random secret, with an end and a list of addresses where wished. Plugins that let keys
 * in ask the contract `dashboard_keys`; what they answer to a refusal is theirs.
 */
import { activityOf } from "lectern/contracts";
import { definePlugin, hasPermission, sql } from "lectern/core";
import { keyChecker, readKey, upgradeHash } from "./check_key.ts";
import { keysUsed } from "./last_used.ts";
import { migrations } from "./migrations.ts";
import { mountKeys } from "./routes.ts";
import { spend } from "./write.ts";

const EVENTS = ["dashboard_key_create", "dashboard_key_update", "dashboard_key_delete"] as const;

export default definePlugin({
  name: "dashboard_keys",
  requires: ["users"],
  provides: ["dashboard_keys"],
  permissions: { write: ["dash_keys"] },
  migrations,
  events: EVENTS,
  setup(context) {
    const { queryWithDeadline, cached, contribute, db, log, visibilityRule, onStop, provide } = context;
    const known = cached("keys", (tokenKey) => readKey(queryWithDeadline, tokenKey));
    const lastUsed = keysUsed(db, log);
    onStop(() => lastUsed.flush());
    visibilityRule("dash_keys", (viewer) => hasPermission(viewer, "settings-manage") || sql<boolean>`false`);
    for (const event of EVENTS)
      contribute(
        "activity",
        activityOf(event, ({ result: { name } }) => [{ type: event, detail: name }]),
      );
    mountKeys(context, { lastUsed, forget: (tx, tokenKey) => known.forget(tx, tokenKey) });
    provide("dashboard_keys", {
      check: keyChecker({ known, lastUsed, log, upgrade: (key, secret) => upgradeHash(db, key, secret) }),
      spend: (keyId, hosts, work) => spend(keyId, hosts, { db: work }),
    });
  },
});
