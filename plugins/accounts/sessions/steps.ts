import type { PendingSignIn, SignInStep } from "lectern/contracts";
import { ownPath } from "lectern/core";
import type { SessionsContext } from "./contract.ts";

const NAME = /^[a-z][a-z0-9_-]{0,39}$/;
const DEFAULT_ORDER = 50;

/** The first step that a sign-in still needs; undefined if it needs none. */
export async function nextStep(
  { slot }: Pick<SessionsContext, "slot">,
  signIn: Pick<PendingSignIn, "user" | "method" | "passed">,
): Promise<SignInStep | undefined> {
  for (const step of inOrder(slot("sign_in_step")))
    if (!signIn.passed.includes(step.name) && (await step.isNeeded(signIn))) return step;
  return undefined;
}

/** Throws an Error that names the first malformed step, and for a name that two steps have. */
export function checkSteps(steps: readonly SignInStep[]): void {
  const names = new Set<string>();
  for (const { name, path } of steps) {
    if (!NAME.test(name)) throw new Error(`The sign-in step "${name}" needs a name of a-z, 0-9, "_" and "-"`);
    if (names.has(name)) throw new Error(`Two sign-in steps are named "${name}"`);
    if (ownPath(path) !== path || path === "/")
      throw new Error(`The sign-in step "${name}" has the path "${path}", which is no path of a screen`);
    names.add(name);
  }
}

/** Throws RangeError for a method that audit log and webhooks cannot show. */
export function checkMethod(method: string): void {
  if (!NAME.test(method))
    throw new RangeError(`Cannot sign in by "${method}": a method is a name of a-z, 0-9, "_" and "-"`);
}

function inOrder(steps: readonly SignInStep[]): SignInStep[] {
  return [...steps].sort((a, b) => (a.order ?? DEFAULT_ORDER) - (b.order ?? DEFAULT_ORDER));
}
