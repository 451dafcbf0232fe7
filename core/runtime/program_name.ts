import { INSTALL_ROOT } from "../install_root.ts";

/** The name where npm has installed Lectern as a package. */
export const PACKAGED = "npx --no lectern";

/**
 * How an operator runs a command, for help and errors: `bun core/cli.ts` in a copy of the repository where Bun is installed, else
 * `npx --no lectern`, which npm offers in a copy too.
 * @example
 * io.err(`Usage: ${programName()} notes list`);
 */
export function programName(root: string = INSTALL_ROOT, path: string = process.env.PATH ?? ""): string {
  if (isPackaged(root)) return PACKAGED;
  const ofTerminals = path.split(":").filter((folder) => !isAdded(folder));
  return Bun.which("bun", { PATH: ofTerminals.join(":") }) === null ? PACKAGED : "bun core/cli.ts";
}

/** Whether npm has installed this copy of Lectern as a package. */
export function isPackaged(root: string): boolean {
  return /[\\/]node_modules[\\/]/.test(root);
}

/** Whether npm or Bun adds a folder to PATH for the commands that they run: a terminal does not have it. */
function isAdded(folder: string): boolean {
  return folder.endsWith("/node_modules/.bin") || folder.includes("/_npx/") || folder.includes("/bun-node-");
}
