/**
 * Parses reports of agents of every version (dashboard-stats 6.4). Unknown keys are ignored, and keys that only describe a
 * machine never make a report fail. What is counted is checked strictly: packages must be a non-empty list, each with a name
 * and boolean flags, so that a broken collector never looks "fully patched".
 */
import { ApiError } from "lectern/core";
import type { PackageEntry, Report, ReportFacts, RepositoryEntry, Section } from "./contract.ts";
import { systemName } from "./os_names.ts";
import { hostnameHash, interfacesHash, normalizeText, objectsOf, packagesHash, reposHash } from "./section_hashes.ts";

/** Most packages, and most repositories, of one report. */
const MAX_ROWS = 10_000;
const MAX_NAME = 255;
/** Longest version, name of a system and the like, in characters; longer ones are cut. */
const MAX_WORD = 255;
const MAX_URL = 2_000;
const SECTIONS = ["packages", "repos", "interfaces", "hostname"] as const;

type Payload = Readonly<Record<string, unknown>>;

/** Parses a report. Throws ApiError 400 naming the error. */
export function parseReport(text: string): Report {
  const payload = objectOf(text);
  const sections = sectionsOf(payload.sections);
  const has = (section: (typeof SECTIONS)[number]) => sections?.has(section) ?? true;
  const hashes = isObject(payload.hashes) ? payload.hashes : {};
  const repositories = objectsOf(payload.repositories);
  // Without `sections`, an agent omits repositories that it could not read.
  const hasRepositories = sections ? sections.has("repos") : repositories.length > 0;
  return {
    kind: sections && SECTIONS.some((section) => !sections.has(section)) ? "partial" : "full",
    ...(has("packages") ? { packages: packagesOf(payload.packages, hashes.packagesHash) } : {}),
    ...(hasRepositories ? { repositories: repositoriesOf(repositories, hashes.reposHash) } : {}),
    ...(has("interfaces") && payload.networkInterfaces !== undefined
      ? { interfacesHash: agreed(interfacesHash(objectsOf(payload.networkInterfaces)), hashes.interfacesHash) }
      : {}),
    ...(has("hostname") && normalizeText(payload.hostname) !== ""
      ? { hostnameHash: agreed(hostnameHash(payload.hostname), hashes.hostnameHash) }
      : {}),
    facts: factsOf(payload),
  };
}

/** Parses JSON that has to be an object. Throws ApiError 400. */
export function objectOf(text: string): Payload {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ApiError(400, "Request body is not JSON");
  }
  if (!isObject(value)) throw new ApiError(400, "Request body must be a JSON object");
  return value;
}

/** Validates packages and computes their hash. Throws ApiError 400. */
export function packagesOf(value: unknown, sentHash?: unknown): Section<PackageEntry> {
  if (!Array.isArray(value)) throw new ApiError(400, "Packages must be an array");
  if (value.length === 0) throw new ApiError(400, "Packages must not be empty");
  if (value.length > MAX_ROWS) throw new ApiError(400, `Packages must be at most ${MAX_ROWS}`);
  const byName = new Map(value.map((item, at) => packageOf(item, at)));
  return { entries: [...byName.values()], hash: agreed(packagesHash(value), sentHash) };
}

/** Reads repositories and computes their hash. */
export function repositoriesOf(sent: readonly Payload[], sentHash?: unknown): Section<RepositoryEntry> {
  const byKey = new Map(
    sent.slice(0, MAX_ROWS).map((item) => {
      const entry = repositoryOf(item);
      return [[entry.url, entry.distribution, entry.components].join("\0"), entry];
    }),
  );
  return { entries: [...byKey.values()].filter(({ url }) => url !== ""), hash: agreed(reposHash(sent), sentHash) };
}

/** What a report says about the host itself. */
export function factsOf(payload: Payload): ReportFacts {
  const word = (key: string) => normalizeText(payload[key]).slice(0, MAX_WORD);
  const system = systemName(word("osType"));
  const facts = {
    os_name: system === "Unknown" ? "" : system,
    os_version: word("osVersion"),
    hostname: word("hostname"),
    ip: word("ip"),
    machine_id: word("machineId"),
    architecture: word("architecture"),
    kernel_version: word("kernelVersion"),
    agent_version: word("agentVersion"),
  };
  const known = Object.fromEntries(Object.entries(facts).filter(([, text]) => text !== ""));
  if (typeof payload.needsReboot !== "boolean") return known;
  return { ...known, needs_reboot: payload.needsReboot, reboot_reason: word("rebootReason") };
}

/** The hash to store: ours, or null where the agent's differs, so that it sends the section again. */
function agreed(ours: string, sent: unknown): string | null {
  return typeof sent !== "string" || sent === "" || sent === ours ? ours : null;
}

function sectionsOf(value: unknown): ReadonlySet<string> | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || value.length === 0) throw new ApiError(400, "Sections must be a list of sections");
  const unknown = value.find((section) => !SECTIONS.includes(section));
  if (unknown !== undefined) throw new ApiError(400, `Sections must be among ${SECTIONS.join(", ")}`);
  return new Set(value as string[]);
}

function packageOf(value: unknown, at: number): [string, PackageEntry] {
  const sent: Payload = isObject(value) ? value : {};
  const name = normalizeText(sent.name);
  if (name === "" || name.length > MAX_NAME)
    throw new ApiError(400, `Package ${at} must have a name of 1 to ${MAX_NAME} characters`);
  const outdated = flagOf(sent, "needsUpdate", at);
  const security = flagOf(sent, "isSecurityUpdate", at);
  const version = (key: string) => normalizeText(sent[key]).slice(0, MAX_WORD);
  return [
    name,
    {
      name,
      current: version("currentVersion") || "unknown",
      available: version("availableVersion"),
      outdated,
      security: outdated && security,
    },
  ];
}

/** A flag of a package, false where absent. Throws ApiError 400 for other types: "true" or 1 would read as "up to date". */
function flagOf(sent: Payload, key: "needsUpdate" | "isSecurityUpdate", at: number): boolean {
  const value = sent[key] ?? false;
  if (typeof value !== "boolean") throw new ApiError(400, `Package ${at} must have true or false as ${key}`);
  return value;
}

function repositoryOf(sent: Payload): RepositoryEntry {
  const word = (key: string, max = MAX_WORD) => normalizeText(sent[key]).slice(0, max);
  const url = word("url", MAX_URL);
  return {
    url,
    name: word("name"),
    distribution: word("distribution"),
    components: word("components"),
    repo_type: word("repoType"),
    is_enabled: sent.isEnabled !== false,
    is_secure: typeof sent.isSecure === "boolean" ? sent.isSecure : url.startsWith("https:"),
  };
}

function isObject(value: unknown): value is Payload {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
