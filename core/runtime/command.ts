import { BootError } from "../errors.ts";
import type { Instance } from "./instance.ts";
import type { AnyContext, AnyPlugin } from "./plugin.ts";

/** The terminal and the environment of a command. */
export interface CommandIo {
  out(line: string): void;
  err(line: string): void;
  readonly env: Record<string, string | undefined>;
  /** Width of the terminal in characters. */
  readonly columns: number;
  readonly tty: boolean;
}

/** A command that a plugin adds to the command line. */
export interface Command {
  readonly summary: string;
  /** The words after the command's name, such as `create --user EMAIL`. */
  readonly usage: string;
  /** Whether the runtime is booted over its store first; `run` then gets the plugin's context. Else it may open the `instance`. */
  readonly store: boolean;
  /** Whether these arguments only read: where there is no store yet, none is created and `run` is not called. */
  looks?(args: readonly string[]): boolean;
  /** Whether pending migrations are reported instead of run, and `run` is not called: for commands that must not alter tables. */
  refusesPending?(args: readonly string[]): boolean;
  /** Returns the exit code. */
  run(args: string[], io: CommandIo, context?: AnyContext, instance?: () => Promise<Instance>): Promise<number>;
}

/** Checks that no two plugins add the same command, and none adds one of `own`. Throws BootError. */
export function checkCommands(plugins: readonly AnyPlugin[], own: readonly string[]): void {
  const owners = new Map(own.map((name) => [name, "Lectern"]));
  for (const plugin of plugins) {
    for (const name of Object.keys(plugin.commands)) {
      const owner = owners.get(name);
      if (owner !== undefined)
        throw new BootError(`The plugin "${plugin.name}" adds the command "${name}", which ${owner} has already`);
      owners.set(name, `"${plugin.name}"`);
    }
  }
}
