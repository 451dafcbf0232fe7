import type { SubmitResult } from "../contracts/web.ts";

/** What a screen shows of a form that the API refused. */
export interface FormErrors {
  readonly errors: Readonly<Record<string, readonly string[]>>;
  /** What is wrong with the whole, where no field is. */
  readonly error: string | undefined;
  /** The status of the screen; what clients know as a 500 of the contract is a refusal here. */
  readonly status: number;
}

/**
 * What to show of an answer; nothing is wrong where there is none yet.
 * @example
 * const { errors, error, status } = formErrors(sent);
 */
export function formErrors(sent: SubmitResult<unknown> | undefined): FormErrors {
  if (!sent || sent.ok) return { errors: {}, error: undefined, status: 200 };
  const { errors, message, status } = sent;
  return { errors, error: Object.keys(errors).length > 0 ? undefined : message, status: status === 500 ? 409 : status };
}

/**
 * Errors of a list by the list's own name: those of `roles.0` and `roles.1` are errors of `roles`.
 * @example
 * errorsOfList(formErrors(sent), "roles"); // those of roles, roles.0, roles.1
 */
export function errorsOfList({ errors }: FormErrors, name: string): string[] {
  return Object.entries(errors).flatMap(([field, texts]) =>
    field === name || field.startsWith(`${name}.`) ? [...texts] : [],
  );
}
