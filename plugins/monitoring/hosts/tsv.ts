import { ApiError } from "lectern/core";
import type { Report } from "./contract.ts";
import { factsOf, packagesOf, repositoriesOf } from "./parse_report.ts";

/**
 * Parses a report of tab-separated lines, which a shell can write without escaping (dashboard-stats 6.7). A line is a fact
 * (`#key⇥value`), a repository (`#repo⇥type⇥url⇥distribution⇥components`) or a package (`name⇥current⇥available⇥flags`).
 * A package without an available version is up to date; the flag `s` marks a security update. Throws ApiError 400.
 */
export function parseTsv(text: string): Report {
  const facts: Record<string, unknown> = {};
  const repositories: Record<string, unknown>[] = [];
  const packages: Record<string, unknown>[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    const [first = "", ...rest] = line.replace(/\r$/, "").split("\t");
    if (first === "" && rest.length === 0) continue;
    if (rest.length === 0) throw new ApiError(400, `Line ${at + 1} has no tab`);
    if (first === "#repo") repositories.push(repositoryOf(rest));
    else if (first.startsWith("#")) facts[first.slice(1)] = first === "#needsReboot" ? rest[0] === "1" : rest[0];
    else packages.push(packageOf(first, rest));
  }
  return {
    kind: "full",
    packages: packagesOf(packages),
    ...(repositories.length > 0 ? { repositories: repositoriesOf(repositories) } : {}),
    facts: factsOf(facts),
  };
}

function packageOf(name: string, [currentVersion, availableVersion = "", flags = ""]: string[]) {
  const needsUpdate = availableVersion.trim() !== "";
  return { name, currentVersion, availableVersion, needsUpdate, isSecurityUpdate: flags.includes("s") };
}

function repositoryOf([repoType, url = "", distribution, components]: string[]) {
  return { repoType, url, distribution, components, name: [distribution, components].filter(Boolean).join(" ") };
}
