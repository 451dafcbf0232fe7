import type { SubmitResult } from "lectern/contracts";
import { errorsOfList, formErrors } from "lectern/core";

/** The errors of a field, those of its list entries included; empty where the form was accepted or is new. */
export function fieldErrors(sent: SubmitResult<unknown> | undefined, name: string): readonly string[] {
  return errorsOfList(formErrors(sent), name);
}

/** The error of the whole form, where none of its fields has one. */
export function generalError(sent: SubmitResult<unknown> | undefined, fields: readonly string[]): string | undefined {
  if (!sent || sent.ok) return undefined;
  return fields.some((name) => fieldErrors(sent, name).length > 0) ? undefined : sent.message;
}
