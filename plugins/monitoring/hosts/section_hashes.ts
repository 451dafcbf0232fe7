/**
 * Hashes of the sections of a report, computed as agents do, so that a ping can prove by a hash that nothing has changed
 * (dashboard-stats 6.6): texts as trimmed Unicode NFC, missing fields filled in, rows sorted and the last of equal ones
 * kept, written as compact JSON as Go writes it, then SHA-256. Where ours differs from the hash that an agent sends, the
 * report is accepted and the section requested again: a mismatch costs work, not correctness.
 */
import { sha256 } from "lectern/core";

type Raw = Readonly<Record<string, unknown>>;

/** Normalises a text of a report for hashing and storing: no NUL, well-formed, NFC, trimmed. */
export function normalizeText(value: unknown): string {
  if (typeof value !== "string") return "";
  // Most texts are ASCII, where only trimming can change anything.
  return (/^[ -~]*$/.test(value) ? value : value.toWellFormed().replaceAll("\0", "").normalize("NFC")).trim();
}

/** The hash of the packages of a report. */
export function packagesHash(packages: readonly Raw[]): string {
  const canonical = packages.map((sent) => ({
    name: normalizeText(sent.name),
    description: normalizeText(sent.description),
    category: normalizeText(sent.category),
    currentVersion: normalizeText(sent.currentVersion),
    availableVersion: normalizeText(sent.availableVersion),
    needsUpdate: sent.needsUpdate === true,
    isSecurityUpdate: sent.isSecurityUpdate === true,
    sourceRepository: normalizeText(sent.sourceRepository),
    wuaGuid: normalizeText(sent.wuaGuid),
    wuaKb: normalizeText(sent.wuaKb),
    wuaSeverity: normalizeText(sent.wuaSeverity),
    wuaCategories: Array.isArray(sent.wuaCategories) ? sent.wuaCategories.map(normalizeText) : null,
    wuaSupportUrl: normalizeText(sent.wuaSupportUrl),
    wuaRevisionNumber: Number.isInteger(sent.wuaRevisionNumber) ? sent.wuaRevisionNumber : 0,
  }));
  return hashOf(sortedUnique(canonical, ({ name }) => [name]));
}

/** The hash of the repositories of a report. */
export function reposHash(repositories: readonly Raw[]): string {
  const canonical = repositories.map((sent) => ({
    name: normalizeText(sent.name),
    url: normalizeText(sent.url),
    distribution: normalizeText(sent.distribution),
    components: normalizeText(sent.components),
    repoType: normalizeText(sent.repoType),
    isEnabled: sent.isEnabled === true,
    isSecure: sent.isSecure === true,
  }));
  return hashOf(sortedUnique(canonical, ({ url, distribution, components }) => [url, distribution, components]));
}

/** The hash of the network interfaces of a report. */
export function interfacesHash(interfaces: readonly Raw[]): string {
  const canonical = interfaces.map((sent) => ({
    name: normalizeText(sent.name),
    type: normalizeText(sent.type),
    macAddress: normalizeText(sent.macAddress).toLowerCase(),
    addresses: objectsOf(sent.addresses)
      .map((address) => ({
        address: normalizeText(address.address),
        family: normalizeText(address.family),
        netmask: normalizeText(address.netmask),
        gateway: normalizeText(address.gateway),
      }))
      .sort((a, b) => compare([a.family, a.address], [b.family, b.address])),
  }));
  return hashOf(canonical.sort((a, b) => compare([a.name], [b.name])));
}

/** The hash of a host's name. */
export function hostnameHash(hostname: unknown): string {
  return sha256(normalizeText(hostname));
}

/** The objects in a list; other entries are dropped. */
export function objectsOf(value: unknown): Raw[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "object" && item !== null) : [];
}

function hashOf(rows: readonly unknown[]): string {
  const text = JSON.stringify(rows).replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return sha256(text);
}

/** Rows sorted by key; of equal keys the last one is kept. */
function sortedUnique<Row>(rows: readonly Row[], keyOf: (row: Row) => readonly string[]): Row[] {
  const last = new Map(rows.map((row) => [keyOf(row).join("\0"), row]));
  return [...last.values()].sort((a, b) => compare(keyOf(a), keyOf(b)));
}

function compare(a: readonly string[], b: readonly string[]): number {
  for (const [at, text] of a.entries()) {
    const other = b[at] ?? "";
    if (text !== other) return text < other ? -1 : 1;
  }
  return 0;
}
