/**
 * The output of `--help`, for built-in commands and those of plugins. It is generated from their usage before anything boots.
 * `user create --help` shows only the form of `user` that begins with "create".
 */
import { programName } from "../runtime/program_name.ts";

/** The description of a command. */
export interface Described {
  readonly summary: string;
  /** The words after its name; forms are separated by " | ". Absent if it takes plugin lists alone. */
  readonly usage?: string;
  /** Options that no usage shows, as another process of the program alone sends them. */
  readonly hidden?: readonly string[];
}

const HELP_OPTIONS = new Set(["--help", "-h"]);

/** Whether the arguments contain `--help` or `-h` before `--`. */
export function requestsHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).some((arg) => HELP_OPTIONS.has(arg));
}

/** The help of a command, or of the form that the first argument selects. */
export function helpOf(
  name: string,
  { summary, usage = "[plugin list …]" }: Described,
  args: readonly string[],
): string {
  const forms = formsOf(usage);
  const verb = args.find((arg) => !arg.startsWith("-"));
  const selected = forms.filter((form) => form.split(" ")[0] === verb);
  const shown = selected.length > 0 ? selected : forms;
  return [summary, "", "Usage:", ...shown.map((form) => `  ${programName()} ${name} ${form}`.trimEnd())].join("\n");
}

/** The forms of a usage. Bars within brackets separate values. */
export function formsOf(usage: string): string[] {
  return usage.split(/ \| (?![^[]*\])/);
}
