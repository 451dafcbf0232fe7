/** Checks of the servers that use one database. */
import { Findings, type SelfCheck } from "lectern/contracts";
import type { CheckedParts, FileStore } from "lectern/core";
import packaged from "../../../../package.json" with { type: "json" };

type RunningServers = CheckedParts["servers"];

/** Every running server stores files where the others do: the file that each of them wrote is there. */
export function sharedFilesCheck(servers: RunningServers, files: FileStore): SelfCheck {
  return {
    name: "core/shared_files",
    title: "All servers of the database use the same file store",
    async check() {
      const findings = new Findings();
      for (const { place } of await servers.elsewhere(files)) findings.add(`${place} uses another one`);
      return findings.as("error", "Mount one shared folder as DATA_DIR/files of all servers, or use one bucket.");
    },
  };
}

/** Versions differ only during a rolling upgrade. */
export function serverVersionsCheck(servers: RunningServers): SelfCheck {
  return {
    name: "core/server_versions",
    title: "All servers of the database run the same version",
    async check() {
      const findings = new Findings();
      for (const { place, version } of await servers.others())
        if (version !== packaged.version) findings.add(`${place} runs ${version}, and this is ${packaged.version}`);
      return findings.as("warning", "Upgrade the other servers too.");
    },
  };
}
