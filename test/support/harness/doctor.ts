/** The command `doctor` over the runtime of a test. */
import { expect } from "bun:test";
import type { TestRuntime } from "./test_runtime.ts";

/** The result of a check, as `doctor --json` prints it. */
export interface CheckOutcome {
  readonly name: string;
  readonly status: "ok" | "warning" | "error";
  readonly count: number;
  readonly examples: readonly string[];
  readonly advice?: string;
  readonly fixable: boolean;
  readonly fixed?: number;
}

/** Runs the command, or one check of it; `runtime` is asked when it runs. */
export function doctorOf(runtime: () => TestRuntime) {
  /** Runs the command as the command line does. */
  async function doctor(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const [out, err]: [string[], string[]] = [[], []];
    const io = {
      ...{ env: {}, columns: 80, tty: false },
      out: (line: string) => void out.push(line),
      err: (line: string) => void err.push(line),
    };
    const { contexts, runtime: booted } = runtime();
    const command = booted.booted.find(({ plugin }) => plugin.name === "doctor")?.plugin.commands.doctor;
    const code = (await command?.run(args, io, contexts.get("doctor"))) ?? -1;
    return { code, out: out.join("\n"), err: err.join("\n") };
  }

  async function check(name: string, ...args: string[]): Promise<CheckOutcome> {
    const { out } = await doctor("--json", ...args, name);
    const { checks } = JSON.parse(out) as { checks: CheckOutcome[] };
    expect(checks.map((each) => each.name)).toEqual([name]);
    return checks[0] as CheckOutcome;
  }

  return { doctor, check };
}
