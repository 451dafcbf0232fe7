/** What the API answered to a form: its item, or the refusal with its errors by field. */
export type FormAnswer =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly status: number;
      readonly message: string;
      readonly errors: Readonly<Record<string, readonly string[]>>;
    };

/** The errors of a form that the API refused, as a screen shows them. */
export interface FormErrors {
  readonly errors: Readonly<Record<string, readonly string[]>>;
  /** The error of the form as a whole, where no field has one. */
  readonly error: string | undefined;
  /** The status of the screen: 409 for the 500s by which the contract refuses a change. */
  readonly status: number;
}

/**
 * The errors of an answer; none where nothing was sent yet.
 * @example
 * const { errors, error, status } = formErrors(sent);
 */
export function formErrors(sent: FormAnswer | undefined): FormErrors {
  if (!sent || sent.ok) return { errors: {}, error: undefined, status: 200 };
  const { errors, message, status } = sent;
  return { errors, error: Object.keys(errors).length > 0 ? undefined : message, status: status === 500 ? 409 : status };
}

/**
 * The errors of a list and its elements: those of `roles`, `roles.0`, `roles.1` for "roles".
 * @example
 * errorsOfList(formErrors(sent), "roles"); // those of roles, roles.0, roles.1
 */
export function errorsOfList({ errors }: FormErrors, name: string): string[] {
  return Object.entries(errors).flatMap(([field, texts]) =>
    field === name || field.startsWith(`${name}.`) ? [...texts] : [],
  );
}
