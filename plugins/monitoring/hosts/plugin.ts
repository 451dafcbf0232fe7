/**
 * Monitored hosts: agents report installed and outdated packages, administrators manage hosts, and the counters are exact at
 * every commit (dashboard-stats 6 and 9). Other plugins read the numbers through the contract `fleet`; `dashboard` serves them
 * to dashboards. The server never sends a command to a host.
 */
import { activityOf, descriptor } from "lectern/contracts";
import { definePlugin, hasPermission, MINUTE_MS, sql, t } from "lectern/core";
import { overAll } from "lectern/db";
import { mountAgents } from "./agents.ts";
import { mountEnrolment } from "./enrolment.ts";
import { mountHistory } from "./history.ts";
import { checkedInterval } from "./interval.ts";
import { migrations } from "./migrations.ts";
import { cacheFor, numbersReader, readDetails } from "./numbers.ts";
import { mountReporter } from "./reporter.ts";
import { declareScope } from "./route_scope.ts";
import { mountHosts } from "./routes.ts";
import { scheduleMaintenance } from "./schedules.ts";
import { mountScripts } from "./scripts.ts";
import { countersCheck } from "./self_check.ts";
import { verifyCommand } from "./verify_command.ts";

/** Maximum age of the details, in milliseconds (dashboard-stats 1.5). */
const DETAILS_MS = MINUTE_MS;
/** An active host is stale after this many intervals without contact. */
const STALE_INTERVALS = 2;

/** Events for the activity log: changes by users. Reports are left out, as there are too many. */
const MANAGED = ["host_create", "host_update", "host_delete"] as const;

export default definePlugin({
  name: "hosts",
  requires: ["dashboard_keys"],
  provides: ["fleet"],
  grants: {
    write: [
      "hosts",
      "packages",
      "host_outdated",
      "host_inventory",
      "repositories",
      "host_repositories",
      "host_reports",
      "host_totals",
      "report_counts",
      "host_history",
    ],
    auth: true,
  },
  settings: t.Object({
    intervalMinutes: t.Integer({
      default: 60,
      env: "HOSTS_UPDATE_INTERVAL_MIN",
      unit: "minutes",
      description: "Between reports of agents: 5 to 55 in steps of 5, 60, 120, 180, 360, 720 or 1440",
    }),
    requestsPerMinute: t.Integer({
      default: 30,
      minimum: 0,
      env: "HOSTS_REQUESTS_PER_MIN",
      unit: "requests per minute",
      description: "Requests of one host; 0 for no limit",
    }),
    staleMinutes: t.Integer({
      default: 0,
      minimum: 0,
      maximum: 5_256_000,
      env: "DASHBOARD_STALE_AFTER_MIN",
      unit: "minutes",
      description: "After how long without a report a host is no longer counted; 0 for never",
    }),
  }),
  migrations,
  commands: { verify: verifyCommand },
  events: [...MANAGED, "host_report"],
  setup(context) {
    const { pools, contribute, db, visibilityRule, provide, settings } = context;
    const intervalMinutes = checkedInterval(settings.intervalMinutes);
    visibilityRule("hosts", (viewer) => hasPermission(viewer, "settings-manage") || sql<boolean>`false`);
    for (const event of MANAGED)
      contribute(
        "activity",
        activityOf(event, ({ result }) => [{ type: event, detail: descriptor(result) }]),
      );
    declareScope(context, settings.requestsPerMinute);
    mountAgents(context, intervalMinutes);
    mountEnrolment(context);
    mountScripts(context, intervalMinutes);
    mountHosts(context);
    mountHistory(context);
    mountReporter(context);
    contribute("self_check", countersCheck(overAll(db)));
    const { drift } = scheduleMaintenance(context, overAll(db), settings.staleMinutes);
    provide("fleet", {
      numbers: numbersReader(db, pools),
      details: cacheFor(DETAILS_MS, () => readDetails(overAll(db), intervalMinutes * STALE_INTERVALS)),
      intervalMinutes,
      drift,
    });
  },
});
