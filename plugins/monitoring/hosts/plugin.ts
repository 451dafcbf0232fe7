/**
 * Monitored hosts: agents report what is installed and outdated, administrators manage who may, and the counters are true
 * at every commit (dashboard-stats 6 and 9). Who wants the numbers asks the contract `fleet`; how they are shown to
 * dashboards is another plugin's business. The server never sends a command to a host.
 */
import { activityOf, descriptor } from "lectern/contracts";
import { definePlugin, hasPermission, sql, t } from "lectern/core";
import type { Db } from "lectern/db";
import { mountAgents } from "./agents.ts";
import { openArea } from "./area.ts";
import { mountEnrolment } from "./enrolment.ts";
import { mountHistory } from "./history.ts";
import { checkedInterval } from "./interval.ts";
import { migrations } from "./migrations.ts";
import { numbersReader, readDetails, remembered } from "./numbers.ts";
import { serveReporter } from "./reporter.ts";
import { mountManagement } from "./routes.ts";
import { keepUp } from "./schedules.ts";
import { mountScripts } from "./scripts.ts";
import { verifyCommand } from "./verify_command.ts";

/** How old what takes a look at every host may be, in milliseconds (dashboard-stats 1.5). */
const DETAILS_MS = 60_000;
/** An active host is stale once it was silent for more intervals than these. */
const STALE_INTERVALS = 2;

/** What people did to hosts; reports are what hosts do, too many for a log of that. */
const MANAGED = ["host_create", "host_update", "host_delete"] as const;

export default definePlugin({
  name: "hosts",
  requires: ["dashboard_keys"],
  provides: ["fleet"],
  permissions: {
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
  },
  settings: t.Object({
    intervalMinutes: t.Integer({
      default: 60,
      env: "HOSTS_UPDATE_INTERVAL_MIN",
      description: "Minutes between reports, as agents are told: 5 to 55 in steps of 5, 60, 120, 180, 360, 720 or 1440",
    }),
    requestsPerMinute: t.Integer({
      default: 30,
      minimum: 0,
      env: "HOSTS_REQUESTS_PER_MIN",
      description: "Requests of one host in a minute; 0 for any number",
    }),
    staleMinutes: t.Integer({
      default: 0,
      minimum: 0,
      maximum: 5_256_000,
      env: "DASHBOARD_STALE_AFTER_MIN",
      description: "Minutes of silence after which a host leaves the numbers; 0 for never",
    }),
  }),
  migrations,
  commands: { verify: verifyCommand },
  events: [...MANAGED, "host_report"],
  setup(context) {
    const { queryWithDeadline, contribute, db, visibilityRule, provide, settings } = context;
    const intervalMinutes = checkedInterval(settings.intervalMinutes);
    visibilityRule("hosts", (viewer) => hasPermission(viewer, "settings-manage") || sql<boolean>`false`);
    for (const event of MANAGED)
      contribute(
        "activity",
        activityOf(event, ({ result }) => [{ type: event, detail: descriptor(result) }]),
      );
    openArea(context, settings.requestsPerMinute);
    mountAgents(context, intervalMinutes);
    mountEnrolment(context);
    mountScripts(context, intervalMinutes);
    mountManagement(context);
    mountHistory(context);
    serveReporter(context);
    const { drift } = keepUp(context, db as unknown as Db, settings.staleMinutes);
    provide("fleet", {
      numbers: numbersReader(queryWithDeadline),
      details: remembered(DETAILS_MS, () => readDetails(db as unknown as Db, intervalMinutes * STALE_INTERVALS)),
      intervalMinutes,
      drift,
    });
  },
});
