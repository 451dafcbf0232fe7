/**
 * Environment variables of earlier versions that nothing reads any more. One that is set stops the start with what stands for it: an
 * operator who chose a value would otherwise get another one without a word.
 */
import { BootError } from "../errors.ts";
import { variablesOf } from "../runtime/operator_choices.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";

/**
 * Refuses variables of `removed` that have a value and that no plugin reads as its own; `removed` has what stands for each, as the end of
 * a sentence that begins with "NAME is gone: ". Throws BootError that names all that are set.
 */
export function refuseRemovedVariables(
  env: Readonly<Record<string, string | undefined>>,
  plugins: readonly AnyPlugin[],
  removed: Readonly<Record<string, string>>,
): void {
  const read = new Set(plugins.flatMap(variablesOf));
  const found = Object.keys(removed).filter((name) => (env[name] ?? "") !== "" && !read.has(name));
  if (found.length === 0) return;
  const texts = found.map((name) => `${name} is gone: ${removed[name]}`);
  throw new BootError(`Cannot start: ${texts.join(". ")}. Remove what is gone from the environment or .env`);
}
