import { INSTALL_ROOT } from "./resolve.ts";

/** The name where npm has installed Lectern as a package. */
export const PACKAGED = "npx --no lectern";

/**
 * How an operator runs a command, for help and errors: `npx --no lectern` where npm has installed Lectern as a package, else
 * `bun core/cli.ts`.
 * @example
 * io.err(`Usage: ${programName()} notes list`);
 */
export function programName(root: string = INSTALL_ROOT): string {
  return /[\\/]node_modules[\\/]/.test(root) ? PACKAGED : "bun core/cli.ts";
}
