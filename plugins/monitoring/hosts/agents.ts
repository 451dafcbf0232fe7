/**
 * The routes of agents (dashboard-stats 6.4), with the answers that they expect: shell agents search the text of an answer for
 * "success" and `"packagesProcessed":`, Go agents read the sections to send. Features that this server lacks (agent updates,
 * commands, containers) are answered so that agents do not use them.
 */
import { endpoint, type Log, rules } from "lectern/core";
import { agentAnswers } from "./answers.ts";
import { textOf } from "./body.ts";
import type { HostFacts, HostsContext, Report, ReportOutcome } from "./contract.ts";
import { examples, REPORT_FIELDS, REPORT_STORED } from "./docs.ts";
import { IdCache } from "./id_cache.ts";
import { cronOf } from "./interval.ts";
import { objectOf, parseReport } from "./parse_report.ts";
import { touch } from "./ping.ts";
import { agentVersionOf } from "./queries.ts";
import { hostOf, type KnownHost } from "./route_scope.ts";
import { inventoryOf, type Prepared, storeReport } from "./store_report.ts";
import { parseTsv } from "./tsv.ts";
import { mountWebSocket } from "./websocket.ts";

const MAX_PING_BYTES = 8 * 1024;
const NO_MODULES = { docker: false, compliance: false };

/** Fields of a report for the API documentation; `parse_report.ts` validates them. */
const reportRules = rules({
  packages: ["required", "array", "max:10000"],
  repositories: ["array"],
  osType: ["string"],
  osVersion: ["string"],
  hostname: ["string"],
  ip: ["string"],
  architecture: ["string"],
  kernelVersion: ["string"],
  agentVersion: ["string"],
  machineId: ["string"],
  needsReboot: ["boolean"],
  rebootReason: ["string"],
  sections: ["array"],
});
const pingRules = rules({ agentVersion: ["string"] });

/** Mounts the routes of agents; `intervalMinutes` is the time between reports. */
export function mountAgents(context: HostsContext, intervalMinutes: number): void {
  mountUpdate(context);
  mountPing(context);
  mountWebSocket(context);
  mountSettings(context, intervalMinutes);
}

function mountUpdate({ app, db, log, perform }: HostsContext): void {
  const ids = new IdCache(db);
  const about =
    "Stores a report of a host: packages, repositories and system, as JSON (optionally gzip) or as tab-separated lines.\n" +
    "Credentials are the headers X-API-ID and X-API-KEY.";
  app.post(
    "/v1/hosts/update",
    async ({ request, viewer }) => {
      const host = hostOf(viewer);
      const text = await textOf(request);
      const isTsv = /^text\/tab-separated-values\b/i.test(request.headers.get("content-type") ?? "");
      const report = isTsv ? parseTsv(text) : parseReport(text);
      logHashMismatches(log, host, report);
      const prepare = preparer(ids, report);
      // Mostly the hash that was read with the credentials is still current when the row is locked.
      if (report.packages?.hash !== host.packagesHash || report.packages?.hash === null) await prepare();
      const facts: HostFacts = { id: host.id, name: host.name, status: host.status };
      const outcome = await perform("host_report", viewer, { host: facts, report }, (draft, tx) =>
        storeReport(draft.host.id, draft.report, prepare, tx),
      );
      return answerOf(report, outcome);
    },
    {
      permit: "access-api",
      response: agentAnswers.report,
      ...endpoint("hosts", "report", {
        ...{ about, rules: reportRules, fields: REPORT_FIELDS, errors: [415], handler: "report" },
        example: examples.report,
      }),
    },
  );
}

/** Prepares a report at the first call. */
function preparer(ids: IdCache, { packages, repositories }: Report): () => Promise<Prepared> {
  let prepared: Promise<Prepared> | undefined;
  const prepare = async (): Promise<Prepared> => {
    const outdated = packages?.entries.filter((entry) => entry.outdated).map(({ name }) => name) ?? [];
    const [packageIds, repositoryIds, inventory] = await Promise.all([
      ids.packages(outdated),
      ids.repositories(repositories?.entries ?? []),
      packages ? inventoryOf(packages.entries) : null,
    ]);
    return { packages: packageIds, repositories: repositoryIds, inventory };
  };
  return () => (prepared ??= prepare());
}

function answerOf(report: Report, { n_outdated, n_security }: ReportOutcome) {
  return {
    message: REPORT_STORED,
    packagesProcessed: report.packages?.entries.length ?? 0,
    updatesAvailable: n_outdated,
    securityUpdates: n_security,
  };
}

function logHashMismatches(log: Log, { id }: KnownHost, report: Report): void {
  const sections = {
    packages: report.packages?.hash,
    repos: report.repositories?.hash,
    interfaces: report.interfacesHash,
    hostname: report.hostnameHash,
  };
  const differing = Object.entries(sections).flatMap(([section, hash]) => (hash === null ? [section] : []));
  if (differing.length > 0)
    log.info("A hash of an agent differs from that of its sections; they are accepted, and requested again", {
      host: id,
      sections: differing,
    });
}

function mountPing({ app, db }: HostsContext): void {
  const about =
    "Records that a host is alive. Where it sends hashes of sections, the answer lists those to report again.";
  app.post(
    "/v1/hosts/ping",
    async ({ request, viewer }) => {
      const text = await textOf(request, MAX_PING_BYTES);
      const body = text.trim() === "" ? {} : objectOf(text);
      const { name, wanted } = await touch(db, hostOf(viewer).id, body);
      return {
        message: "Ping successful",
        timestamp: new Date().toISOString(),
        friendlyName: name,
        agentStartup: body.triggeredBy === "agent_startup" || body.agentStartup === true,
        integrations: NO_MODULES,
        hashGate: true,
        ...(wanted.length > 0 ? { requestFull: wanted } : {}),
      };
    },
    { permit: "access-api", response: agentAnswers.ping, ...endpoint("hosts", "ping", { about, rules: pingRules }) },
  );
}

function mountSettings({ app, db }: HostsContext, updateInterval: number): void {
  const permit = "access-api" as const;
  const route = (action: string, about: string) => ({ permit, ...endpoint("hosts", action, { about }) });
  app.get("/v1/settings/update-interval", () => ({ updateInterval, cronExpression: cronOf(updateInterval) }), {
    ...route("interval", "The minutes between reports."),
    response: agentAnswers.interval,
  });
  app.get("/v1/hosts/settings", () => ({ auto_update: false, host_auto_update: false }), {
    ...route("settings", "Settings of agents: they must not update themselves."),
    response: agentAnswers.settings,
  });
  app.get(
    "/v1/hosts/agent/version",
    async ({ nestedQuery, viewer }) => {
      const sent =
        typeof nestedQuery.currentVersion === "string"
          ? nestedQuery.currentVersion
          : ((await agentVersionOf({ db }, hostOf(viewer).id)) ?? "");
      return {
        currentVersion: sent,
        latestVersion: sent,
        hasUpdate: false,
        autoUpdateDisabled: true,
        autoUpdateDisabledReason: "This server ships no agents",
      };
    },
    {
      permit,
      response: agentAnswers.version,
      ...endpoint("hosts", "version", {
        about: "Confirms that the version of an agent is current.",
        query: rules({ currentVersion: ["string"] }),
      }),
    },
  );
  app.get("/v1/hosts/integrations", () => ({ success: true, integrations: NO_MODULES }), {
    ...route("integrations", "The modules of agents, all disabled: only packages are read."),
    response: agentAnswers.integrations,
  });
  app.post("/v1/hosts/integration-status", () => ({ success: true, message: "Integration status received" }), {
    permit,
    response: agentAnswers.integrationStatus,
    ...endpoint("hosts", "integration-status", {
      about: "Accepts the status of other modules of agents, without storing it.",
      rules: rules({ integration: ["string"] }),
    }),
  });
}
