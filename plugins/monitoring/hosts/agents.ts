/**
 * The routes agents call (dashboard-stats 6.4), with the answers they look for: shell agents search the text of an answer
 * for "success" and for `"packagesProcessed":`, Go agents read the hashes to ask for. What this server does not do (it ships
 * no agent, sends no command, looks into no container) is answered so that agents leave it alone.
 */
import { endpoint, type Log, type PluginContext, rules, sql } from "lectern/core";
import { rows } from "lectern/db";
import { hostOf, type KnownHost } from "./area.ts";
import { textOf } from "./body.ts";
import type { HostFacts, Report, ReportOutcome } from "./contract.ts";
import { examples, REPORT_STORED } from "./docs.ts";
import { IdCache } from "./id_cache.ts";
import { cronOf } from "./interval.ts";
import { objectOf, parseReport } from "./parse_report.ts";
import { touch } from "./ping.ts";
import { inventoryOf, type Prepared, storeReport } from "./store_report.ts";
import { parseTsv } from "./tsv.ts";
import { mountWebSocket } from "./websocket.ts";

type Context = Pick<PluginContext<never, "hosts">, "app" | "db" | "log" | "perform">;

const MAX_PING_BYTES = 8 * 1024;
const NO_MODULES = { docker: false, compliance: false };

/** Fields of a report, for the documentation; what is judged, `parse_report.ts` judges. */
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

/** Mounts the routes of agents; `intervalMinutes` is how often they shall report. */
export function mountAgents(context: Context, intervalMinutes: number): void {
  mountUpdate(context);
  mountPing(context);
  mountWebSocket(context);
  mountSettings(context, intervalMinutes);
}

function mountUpdate({ app, db, log, perform }: Context): void {
  const ids = new IdCache(db);
  const about =
    "Takes a host's report: its packages, repositories and system, as JSON (gzip if you like) or as tab-separated lines.\n" +
    "Credentials are the headers X-API-ID and X-API-KEY.";
  app.post(
    "/v1/hosts/update",
    async ({ request, viewer }) => {
      const host = hostOf(viewer);
      const text = await textOf(request);
      const isTsv = /^text\/tab-separated-values\b/i.test(request.headers.get("content-type") ?? "");
      const report = isTsv ? parseTsv(text) : parseReport(text);
      tellDifferences(log, host, report);
      const prepare = preparation(ids, report);
      // Mostly the hash that was read with the credentials still holds when the row is locked.
      if (report.packages?.hash !== host.packagesHash || report.packages?.hash === null) await prepare();
      const facts: HostFacts = { id: host.id, name: host.name, status: host.status };
      const outcome = await perform("host_report", viewer, { host: facts, report }, (draft, tx) =>
        storeReport(draft.host.id, draft.report, prepare, tx),
      );
      return updated(report, outcome);
    },
    {
      permit: "access-api",
      ...endpoint("hosts", "report", { about, rules: reportRules, handler: "report", example: examples.report }),
    },
  );
}

/** Makes a report ready once, when first asked. */
function preparation(ids: IdCache, { packages, repositories }: Report): () => Promise<Prepared> {
  let ready: Promise<Prepared> | undefined;
  const make = async (): Promise<Prepared> => {
    const outdated = packages?.entries.filter((entry) => entry.outdated).map(({ name }) => name) ?? [];
    const [byName, byPlace, inventory] = await Promise.all([
      ids.packages(outdated),
      ids.repositories(repositories?.entries ?? []),
      packages ? inventoryOf(packages.entries) : null,
    ]);
    return { packages: byName, repositories: byPlace, inventory };
  };
  return () => (ready ??= make());
}

function updated(report: Report, { n_outdated, n_security }: ReportOutcome) {
  return {
    message: REPORT_STORED,
    packagesProcessed: report.packages?.entries.length ?? 0,
    updatesAvailable: n_outdated,
    securityUpdates: n_security,
  };
}

function tellDifferences(log: Log, { id }: KnownHost, report: Report): void {
  const sections = {
    packages: report.packages?.hash,
    repos: report.repositories?.hash,
    interfaces: report.interfacesHash,
    hostname: report.hostnameHash,
  };
  const differing = Object.entries(sections).flatMap(([section, hash]) => (hash === null ? [section] : []));
  if (differing.length > 0)
    log.info("An agent's hash is not that of what it sent; its report is taken, and asked for again", {
      host: id,
      sections: differing,
    });
}

function mountPing({ app, db }: Context): void {
  const about = "Tells that a host is alive, and which sections it should report again where it sends their hashes.";
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
    { permit: "access-api", ...endpoint("hosts", "ping", { about, rules: pingRules }) },
  );
}

function mountSettings({ app, db }: Context, updateInterval: number): void {
  const permit = "access-api" as const;
  const told = (action: string, about: string) => ({ permit, ...endpoint("hosts", action, { about }) });
  app.get(
    "/v1/settings/update-interval",
    () => ({ updateInterval, cronExpression: cronOf(updateInterval) }),
    told("interval", "Tells agents how many minutes lie between their reports."),
  );
  app.get(
    "/v1/hosts/settings",
    () => ({ auto_update: false, host_auto_update: false }),
    told("settings", "Tells agents not to update themselves."),
  );
  app.get(
    "/v1/hosts/agent/version",
    async ({ asked, viewer }) => {
      const sent =
        typeof asked.currentVersion === "string" ? asked.currentVersion : await versionOf(db, hostOf(viewer));
      return {
        currentVersion: sent,
        latestVersion: sent,
        hasUpdate: false,
        autoUpdateDisabled: true,
        autoUpdateDisabledReason: "This server ships no agents",
      };
    },
    told("version", "Tells agents that the version they have is the one to have."),
  );
  app.get(
    "/v1/hosts/integrations",
    () => ({ success: true, integrations: NO_MODULES }),
    told("integrations", "Tells agents that nothing but packages is looked at."),
  );
  app.post("/v1/hosts/integration-status", () => ({ success: true, message: "Integration status received" }), {
    permit,
    ...endpoint("hosts", "integration-status", {
      about: "Takes what agents tell of their other modules, and keeps none of it.",
      rules: rules({ integration: ["string"] }),
    }),
  });
}

async function versionOf(db: Context["db"], { id }: KnownHost): Promise<string> {
  const [host] = await rows(
    db,
    sql<{ version: string }>`select coalesce(agent_version, '') as version from hosts where id = ${id}`,
  );
  return host?.version ?? "";
}
