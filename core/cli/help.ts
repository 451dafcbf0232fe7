/**
 * What `--help` shows: of the runtime's own commands and those of plugins alike, from the same words that their usage is made
 * of, before anything boots. `user create --help` shows the one form of `user` that begins with "create".
 */

/** A command as its help tells of it. */
export interface Described {
  readonly summary: string;
  /** The words after its name, where it takes any; forms are parted by " | ". */
  readonly usage?: string;
}

const WISHES = new Set(["--help", "-h"]);

/** Whether the arguments ask for help instead of for work. */
export function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).some((arg) => WISHES.has(arg));
}

/** The help of a command, or of the form of it that the arguments begin. */
export function helpOf(
  name: string,
  { summary, usage = "[plugin list …]" }: Described,
  args: readonly string[],
): string {
  const forms = formsOf(usage);
  const verb = args.find((arg) => !arg.startsWith("-"));
  const meant = forms.filter((form) => form.split(" ")[0] === verb);
  const shown = meant.length > 0 ? meant : forms;
  return [summary, "", "Usage:", ...shown.map((form) => `  bun core/cli.ts ${name} ${form}`.trimEnd())].join("\n");
}

/** Bars within brackets part values, not forms. */
function formsOf(usage: string): string[] {
  return usage.split(/ \| (?![^[]*\])/);
}
