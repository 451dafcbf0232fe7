/**
 * Machines for scripts: folders for PATH with the tools of every system, and package managers that print what a test gives
 * them.
 */
import { chmodSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const TOOLS = "sh bash awk sed sort cat mktemp rm id uname curl grep cut head printf command tr chmod mkdir mv".split(
  " ",
);

/** Makes machines below a folder: the tools every machine has and commands that print what they are given; its path. */
export function machinesIn(folder: string): (commands: Readonly<Record<string, string>>) => string {
  return (commands) => {
    const place = mkdtempSync(join(folder, "machine-"));
    for (const tool of TOOLS) {
      const found = Bun.which(tool);
      if (found) symlinkSync(found, join(place, tool));
    }
    for (const [name, body] of Object.entries(commands)) {
      writeFileSync(join(place, name), `#!/bin/sh\n${body}\n`);
      chmodSync(join(place, name), 0o755);
    }
    return place;
  };
}

/** A command that prints a text. */
export const says = (text: string, code = 0) => `cat <<'END'\n${text}\nEND\nexit ${code}`;
/** A command that runs the body whose pattern of the shell its arguments match. */
export const byArguments = (cases: Readonly<Record<string, string>>) =>
  `case "$*" in\n${Object.entries(cases)
    .map(([pattern, body]) => `${pattern}) ${body}\n;;`)
    .join("\n")}\nesac`;

/** What dpkg-query prints of packages, in the format it was asked for. */
export function installedByDpkg(...packages: string[]): string {
  const lines = packages.map((line) => {
    const [state = "", name = "", version = "", architecture = ""] = line.split(" ");
    return `say '${state} ' ${name} ${version} ${architecture}`;
  });
  return `say() {
  case "$*$format" in
    *Package}:*Architecture*) printf '%s\\t%s:%s\\t%s\\n' "$1" "$2" "$4" "$3" ;;
    *Architecture*) printf '%s\\t%s\\t%s\\t%s\\n' "$@" ;;
    *) printf '%s\\t%s\\t%s\\n' "$1" "$2" "$3" ;;
  esac
}
format=$3
${lines.join("\n")}`;
}

/** A machine with apt: three packages, of which two are outdated and one of these for security. */
export const APT = {
  "apt-get": byArguments({
    "*upgrade*": says(
      "Listing of one line\nInst bash [5.2-1] (5.2-2 Debian:12/stable [amd64])\nInst openssl [3.0-1] (3.0-2 Debian-Security:12/stable-security [amd64])\nInst fresh (1.0 Debian:12/stable [amd64])",
    ),
    "*indextargets*": says("#repo\tdeb\thttp://deb.example/debian/\tbookworm\tmain"),
  }),
  dpkg: says("amd64"),
  "dpkg-query": installedByDpkg("ii bash 5.2-1 amd64", "ii openssl 3.0-1 amd64", "rc gone 1 all", "ii zlib 1.2 all"),
};
