/** The command `doctor`: runs checks and prints their results as text or JSON. */
import { parseArgs } from "node:util";
import type { Command, CommandIo } from "lectern/cli";
import type { SelfCheck } from "lectern/contracts";
import { closestMatch } from "lectern/core";
import { type CheckResult, runChecks } from "./run_checks.ts";

const USAGE = "[--fix] [--json] [CHECK …]";

/** The command `doctor`. It returns 1 if there are errors. */
export const doctorCommand: Command = {
  summary: "checks data, files, search, counters, jobs and settings; repairs what it can with --fix",
  usage: USAGE,
  store: true,
  looks: () => true,
  refusesPending: () => true,
  async run(args, io, context) {
    const options = readArgs(args);
    if (!options || !context) {
      io.err(`Usage: doctor ${USAGE}`);
      return 2;
    }
    const checks = context.slot("self_check");
    const unknown = options.names.find((name) => !checks.some((check) => isNamed(check, name)));
    if (unknown !== undefined) return reportUnknown(unknown, checks, io);
    const chosen = checks.filter(
      (check) => options.names.length === 0 || options.names.some((name) => isNamed(check, name)),
    );
    const results: CheckResult[] = [];
    for await (const result of runChecks(chosen, options)) {
      results.push(result);
      if (!options.json) print(result, io);
    }
    const hasErrors = results.some(({ status }) => status === "error");
    if (options.json) io.out(JSON.stringify({ status: worstOf(results), checks: results }, null, 2));
    else io.out(summaryOf(results, options));
    return hasErrors ? 1 : 0;
  },
};

interface Options {
  readonly fix: boolean;
  readonly json: boolean;
  /** Names of checks, or of the plugins before "/". */
  readonly names: readonly string[];
}

function readArgs(args: string[]): Options | undefined {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { fix: { type: "boolean" }, json: { type: "boolean" } },
    });
    return { fix: values.fix === true, json: values.json === true, names: positionals };
  } catch {
    // An unknown option, which the usage answers.
    return undefined;
  }
}

function isNamed({ name }: SelfCheck, wanted: string): boolean {
  return name === wanted || name.startsWith(`${wanted}/`);
}

function reportUnknown(name: string, checks: readonly SelfCheck[], io: CommandIo): number {
  const plugins = new Set(checks.map((check) => check.name.split("/", 1).join("")));
  const near = closestMatch(name, [...checks.map((check) => check.name), ...plugins]);
  io.err(`There is no check "${name}"${near === undefined ? "" : `; did you mean "${near}"?`}`);
  return 2;
}

function print({ name, title, status, count, examples, advice, fixed, fixable }: CheckResult, io: CommandIo): void {
  const repaired = fixed === undefined ? "" : `  (${fixed} repaired)`;
  io.out(`${status.padEnd(8)} ${name.padEnd(28)} ${title}${count > 0 ? `: ${count} not` : ""}${repaired}`);
  for (const example of examples) io.out(`${" ".repeat(9)}- ${printable(example)}`);
  if (count > examples.length && examples.length > 0) io.out(`${" ".repeat(9)}- …`);
  if (status !== "ok" && advice !== undefined) io.out(`${" ".repeat(9)}> ${advice}`);
  if (status !== "ok" && fixable && fixed === undefined) io.out(`${" ".repeat(9)}> doctor --fix repairs this.`);
}

/** A text of one line without control characters, which could move the cursor of a terminal. */
function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, " ");
}

function worstOf(results: readonly CheckResult[]): CheckResult["status"] {
  for (const status of ["error", "warning"] as const)
    if (results.some((result) => result.status === status)) return status;
  return "ok";
}

function summaryOf(results: readonly CheckResult[], { fix }: Options): string {
  const of = (status: CheckResult["status"]) => results.filter((result) => result.status === status).length;
  const fixed = results.reduce((sum, result) => sum + (result.fixed ?? 0), 0);
  return `${results.length} checks: ${of("ok")} ok, ${of("warning")} warnings, ${of("error")} errors${fix ? `, ${fixed} repaired` : ""}`;
}
