import type { SubmitResult } from "lectern/contracts";

/** What is wrong with a field of a form, its entries among them; none where the form was taken or is fresh. */
export function besideField(sent: SubmitResult<unknown> | undefined, name: string): readonly string[] {
  if (!sent || sent.ok) return [];
  return Object.entries(sent.errors).flatMap(([field, errors]) =>
    field === name || field.startsWith(`${name}.`) ? errors : [],
  );
}

/** What is wrong with a form as a whole: what none of its fields shows. */
export function generalError(sent: SubmitResult<unknown> | undefined, fields: readonly string[]): string | undefined {
  if (!sent || sent.ok) return undefined;
  return fields.some((name) => besideField(sent, name).length > 0) ? undefined : sent.message;
}
