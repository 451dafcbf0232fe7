import type { CheckFindings, SelfCheck } from "lectern/contracts";
import { messageOf } from "lectern/db";

/** The result of one check. */
export interface CheckResult extends CheckFindings {
  readonly name: string;
  readonly title: string;
  /** Whether `doctor --fix` repairs it. */
  readonly fixable: boolean;
  /** What was repaired, if that was wanted and something was wrong; the other members then tell what is left. */
  readonly fixed?: number;
}

/**
 * Runs checks one after another, so that they do not compete with requests, and yields each result. With `fix`, repairs what is
 * wrong and checks it again. A check that throws is an error of its own.
 */
export async function* runChecks(
  checks: readonly SelfCheck[],
  { fix }: { readonly fix: boolean },
): AsyncGenerator<CheckResult> {
  for (const check of checks) {
    const { name, title } = check;
    const found = await findingsOf(check);
    const result = { name, title, fixable: check.fix !== undefined };
    if (!fix || !check.fix || found.status === "ok") {
      yield { ...result, ...found };
      continue;
    }
    try {
      const fixed = await check.fix();
      yield { ...result, ...(await findingsOf(check)), fixed };
    } catch (error) {
      yield { ...result, ...found, advice: `The repair failed: ${messageOf(error)}` };
    }
  }
}

async function findingsOf(check: SelfCheck): Promise<CheckFindings> {
  try {
    return await check.check();
  } catch (error) {
    return { status: "error", count: 1, examples: [`the check failed: ${messageOf(error)}`] };
  }
}
