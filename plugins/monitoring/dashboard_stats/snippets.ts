import { MINUTE_MS, SECOND_MS } from "lectern/core";

/**
 * Snippets that an administrator copies into a dashboard's configuration (dashboard-stats 5.2 and 7). Every snippet sets the
 * polling interval, as Homepage's default of ten seconds exceeds the rate limit. Snippets contain no secret: it is read
 * from variables of the dashboard's own environment. A test parses each YAML snippet.
 */

/** Snippets by their purpose. */
export interface Snippets {
  readonly homepage: string;
  readonly homepage_all: string;
  readonly homepage_environment: string;
  readonly homarr: string;
  readonly glance: string;
  readonly glance_environment: string;
  readonly prometheus: string;
  readonly curl: string;
}

const POLL_MS = MINUTE_MS;
const POLL_SECONDS = POLL_MS / SECOND_MS;

const DEFAULT_METRICS = [
  ["total_hosts", "Hosts"],
  ["hosts_needing_updates", "Need updates"],
  ["security_updates", "Security"],
] as const;

const ALL_METRICS = [
  ["total_hosts", "Hosts"],
  ["hosts_needing_updates", "Need updates"],
  ["up_to_date_hosts", "Up to date"],
  ["security_updates", "Security updates"],
  ["hosts_with_security_updates", "Hosts at risk"],
  ["total_outdated_packages", "Outdated packages"],
  ["total_repos", "Repositories"],
  ["recent_updates_24h", "Reports 24 h"],
] as const;

/** The snippets of the instance at `baseUrl`, for a key. */
export function snippetsFor(baseUrl: string, tokenKey: string): Snippets {
  const address = `${baseUrl}/api/v1/dashboard/stats`;
  return {
    homepage: homepage(baseUrl, DEFAULT_METRICS.map(mapping)),
    homepage_all: homepage(baseUrl, [...ALL_METRICS.map(mapping), ...[1, 2, 3].map(system)], "list"),
    homepage_environment: `HOMEPAGE_VAR_PATCH_KEY=${tokenKey}\nHOMEPAGE_VAR_PATCH_SECRET=<token secret>\n`,
    homarr: `Integration: PatchMon\nURL: ${baseUrl}\nAPI Key: ${tokenKey}\nAPI Secret: <token secret>\n`,
    glance: glance(address),
    glance_environment: `# printf '%s' '${tokenKey}:<token secret>' | base64 | tr -d '\\n'\nPATCH_BASIC=<what that prints>\n`,
    prometheus: prometheus(baseUrl, tokenKey),
    curl: `curl -fsS -u '${tokenKey}:<token secret>' '${address}'\n`,
  };
}

function mapping([field, label]: readonly [string, string]): string {
  return `{ field: ${field}, label: ${label}, format: number }`;
}

/** The name and the count of a system in one row. */
function system(place: number): string {
  const count = `{ field: top_os_${place}_count, color: theme }`;
  return `{ field: top_os_${place}_name, label: "OS ${place}", additionalField: ${count} }`;
}

function homepage(baseUrl: string, mappings: readonly string[], display?: "list"): string {
  return `- Patch status:
    href: ${JSON.stringify(`${baseUrl}/settings/integrations/dashboard`)}
    icon: mdi-package-up
    widget:
      type: customapi
      url: ${JSON.stringify(`${baseUrl}/api/v1/dashboard/stats`)}
      refreshInterval: ${POLL_MS}
      username: "{{HOMEPAGE_VAR_PATCH_KEY}}"
      password: "{{HOMEPAGE_VAR_PATCH_SECRET}}"
${display ? `      display: ${display}\n` : ""}      mappings:
${mappings.map((one) => `        - ${one}`).join("\n")}
`;
}

/** Glance renders answers of any status, so the template checks it. */
function glance(address: string): string {
  return `- type: custom-api
  title: Patch status
  cache: ${POLL_SECONDS}s
  url: ${JSON.stringify(address)}
  headers:
    Authorization: "Basic \${PATCH_BASIC}"
  template: |
    {{ if eq .Response.StatusCode 200 }}
    <div>{{ .JSON.Int "total_hosts" }} hosts, {{ .JSON.Int "hosts_needing_updates" }} need updates</div>
    <div>{{ .JSON.Int "security_updates" }} security updates</div>
    {{ else }}
    <div>{{ .JSON.String "error" }}</div>
    {{ end }}
`;
}

function prometheus(baseUrl: string, tokenKey: string): string {
  const { protocol, host, pathname } = new URL(`${baseUrl}/api/v1/dashboard/metrics`);
  return `- job_name: patches
  scrape_interval: ${POLL_SECONDS}s
  scheme: ${protocol.slice(0, -1)}
  metrics_path: ${JSON.stringify(pathname)}
  basic_auth:
    username: ${JSON.stringify(tokenKey)}
    password_file: /etc/prometheus/patch_secret
  static_configs:
    - targets: [${JSON.stringify(host)}]
`;
}
