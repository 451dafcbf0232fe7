/**
 * The schemas of answers: to administrators, to agents, and to machines that enrol. Those to agents have the names that their
 * programs read (dashboard-stats 6).
 */
import {
  fileAnswer,
  idSchema,
  listingSchema,
  listOf,
  nullable,
  type Static,
  t,
  timesFields,
  timestampSchema,
} from "lectern/core";

const count = t.Integer({ minimum: 0 });
const text = t.String();
const status = t.Union([t.Literal("pending"), t.Literal("active"), t.Literal("inactive")]);

const hostFields = {
  id: idSchema,
  friendly_name: text,
  hostname: nullable(text),
  ip: nullable(text),
  os_name: text,
  os_version: text,
  architecture: nullable(text),
  kernel_version: nullable(text),
  agent_version: nullable(text),
  status,
  inactive_reason: nullable(t.Union([t.Literal("manual"), t.Literal("stale")])),
  packages: count,
  outdated_packages: count,
  security_updates: count,
  needs_reboot: t.Boolean(),
  reboot_reason: nullable(text),
  api_id: text,
  last_seen_at: nullable(timestampSchema),
  last_report_at: nullable(timestampSchema),
  ...timesFields,
};

/** A row of the listing of hosts. */
export const hostListItemSchema = t.Object(hostFields, { $id: "HostListItem" });

/** The listing of hosts. */
export const hostListingSchema = listingSchema(hostListItemSchema);

/** A host with its outdated packages and its repositories. */
export const hostSchema = t.Object(
  {
    ...hostFields,
    outdated: t.Array(
      t.Object(
        { name: text, current_version: text, available_version: text, security: t.Boolean() },
        { $id: "OutdatedPackage" },
      ),
    ),
    repositories: t.Array(
      t.Object(
        { name: text, url: text, distribution: text, components: text, type: text, enabled: t.Boolean() },
        { $id: "HostRepository" },
      ),
    ),
  },
  { $id: "Host" },
);

/** A row of the listing of hosts. */
export type ListedHost = Static<typeof hostListItemSchema>;

/** A host with its outdated packages and its repositories. */
export type ShownHost = Static<typeof hostSchema>;

/** A new host; no other answer has its key. */
export const createdHostSchema = t.Object(
  { id: idSchema, friendly_name: text, status: text, api_id: text, api_key: text },
  { $id: "CreatedHost" },
);

/** The numbers over time. */
export const historySchema = t.Object(
  {
    days: count,
    step: t.Union([t.Literal("hour"), t.Literal("day")]),
    points: listOf(
      t.Object(
        {
          at: timestampSchema,
          total_hosts: t.Number(),
          hosts_needing_updates: t.Number(),
          hosts_with_security_updates: t.Number(),
          total_outdated_packages: t.Number(),
          security_updates: t.Number(),
          reboot_required_hosts: t.Number(),
        },
        { $id: "HistoryPoint" },
      ),
    ),
  },
  { $id: "DashboardHistory" },
);

/** A shell script. */
export const scriptSchema = fileAnswer("text/plain");

/** The body of errors that agents read. */
export const agentErrorSchema = errorSchema("AgentError");

/** The body of errors that machines that enrol read. */
export const enrolmentErrorSchema = errorSchema("EnrolmentError");

function errorSchema($id: string) {
  const description = "Some errors have a message and further facts";
  return t.Object({ error: text }, { $id, additionalProperties: true, description });
}

const enrolledHost = t.Object(
  { id: idSchema, friendly_name: text, api_id: text, api_key: text, host_group: t.Null(), status: text },
  { $id: "EnrolledHost" },
);

/** A host that enrolled. */
export type EnrolledHost = Static<typeof enrolledHost>;

const failedHost = t.Object({ friendly_name: text, error: text });

/** A host that could not enrol. */
export type FailedHost = Static<typeof failedHost>;

/** The answers to machines that enrol. */
export const enrolmentAnswers = {
  one: t.Object({ message: text, host: enrolledHost }, { $id: "Enrolment" }),
  bulk: t.Object(
    {
      message: text,
      results: t.Object({
        success: t.Array(enrolledHost),
        failed: t.Array(failedHost),
        skipped: t.Array(t.Unknown()),
      }),
    },
    { $id: "BulkEnrolment" },
  ),
};

const modules = t.Object({ docker: t.Boolean(), compliance: t.Boolean() });

/** The answers to agents (dashboard-stats 6). */
export const agentAnswers = {
  report: t.Object(
    { message: text, packagesProcessed: count, updatesAvailable: count, securityUpdates: count },
    { $id: "StoredReport" },
  ),
  ping: t.Object(
    {
      message: text,
      timestamp: timestampSchema,
      friendlyName: text,
      agentStartup: t.Boolean(),
      integrations: modules,
      hashGate: t.Boolean(),
      requestFull: t.Optional(t.Array(text)),
    },
    { $id: "Ping" },
  ),
  interval: t.Object({ updateInterval: t.Integer(), cronExpression: text }, { $id: "UpdateInterval" }),
  settings: t.Object({ auto_update: t.Boolean(), host_auto_update: t.Boolean() }, { $id: "AgentSettings" }),
  version: t.Object(
    {
      currentVersion: text,
      latestVersion: text,
      hasUpdate: t.Boolean(),
      autoUpdateDisabled: t.Boolean(),
      autoUpdateDisabledReason: text,
    },
    { $id: "AgentVersion" },
  ),
  integrations: t.Object({ success: t.Boolean(), integrations: modules }, { $id: "AgentIntegrations" }),
  integrationStatus: t.Object({ success: t.Boolean(), message: text }, { $id: "AgentIntegrationStatus" }),
  timestamp: t.Object(
    { exists: t.Boolean(), version: nullable(text), lastModified: timestampSchema, timestamp: t.Integer() },
    { $id: "AgentTimestamp" },
  ),
};

declare module "lectern/contracts" {
  interface Answers {
    "/api/v1/dashboard/history": Static<typeof historySchema>;
    "/api/v1/dashboard/hosts": Static<typeof hostListingSchema>;
    "POST /api/v1/dashboard/hosts": Static<typeof createdHostSchema>;
    [host: `/api/v1/dashboard/hosts/${number}`]: Static<typeof hostSchema>;
  }
}
