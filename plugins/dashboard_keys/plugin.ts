/**
 * Keys of those who are no users: dashboards that read the numbers, scripts that enrol hosts (dashboard-stats 3 and 5). A
 * key is a name, a random key and a random secret, with an end and a list of addresses where wished. Plugins that let keys
 * in ask the contract `dashboard_keys`; what they answer to a refusal is theirs.
 */
import { activityOf, definePlugin, holds, sql } from "lectern/core";
import { judgeOf, readKey, upgradeHash } from "./judge.ts";
import { migrations } from "./migrations.ts";
import { mountKeys } from "./routes.ts";
import { Uses } from "./uses.ts";
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
    const { brief, cached, contribute, db, log, narrow, onStop, provide } = context;
    const known = cached("keys", (tokenKey) => readKey(brief, tokenKey));
    const uses = new Uses(db, log);
    onStop(() => uses.flush());
    narrow("dash_keys", (viewer) => holds(viewer, "settings-manage") || sql<boolean>`false`);
    for (const event of EVENTS)
      contribute(
        "activity",
        activityOf(event, ({ result: { name } }) => [{ type: event, detail: name }]),
      );
    mountKeys(context, { uses, forget: (work, tokenKey) => known.forget(work, tokenKey) });
    provide("dashboard_keys", {
      judge: judgeOf({ known, uses, log, upgrade: (key, secret) => upgradeHash(db, key, secret) }),
      spend: (keyId, hosts, work) => spend(keyId, hosts, { db: work }),
    });
  },
});
