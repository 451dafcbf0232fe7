/**
 * Options and subcommands that a command does not have and that resemble one of its usage: most likely misspelt. They are found before
 * the command runs, for all commands alike; whatever resembles nothing is left to the command itself.
 */
import { closestMatch } from "../std/closest_match.ts";
import { formsOf } from "./help.ts";

/** What is misspelt, with its nearest match; undefined where nothing is. `hidden` are options that no usage shows. */
export function misspeltArgument(
  name: string,
  usage: string,
  args: readonly string[],
  hidden: readonly string[] = [],
): string | undefined {
  const end = args.indexOf("--");
  const own = end < 0 ? args : args.slice(0, end);
  const [verb] = own;
  const verbs = verbsOf(usage);
  if (verb !== undefined && /^[a-z]/.test(verb) && !verbs.includes(verb)) {
    const near = closestMatch(verb, verbs);
    if (near !== undefined) return `There is no command "${name} ${verb}"; did you mean "${name} ${near}"?`;
  }
  const shown = usage.split(/[^a-z0-9-]/).filter((word) => word.startsWith("--"));
  const options = [...new Set([...shown, "--help", ...hidden])];
  for (const [option = ""] of own.filter((arg) => arg.startsWith("--")).map((arg) => arg.split("="))) {
    const near = options.includes(option) ? undefined : closestMatch(option, options);
    if (near !== undefined) return `"${name}" has no option "${option}"; did you mean "${near}"?`;
  }
  return undefined;
}

/** The words with which the forms of a usage begin; none where a form begins with something else, such as a file. */
function verbsOf(usage: string): string[] {
  const first = formsOf(usage).map((form) => form.split(" ")[0] ?? "");
  return first.every((word) => /^[a-z]/.test(word)) ? first : [];
}
