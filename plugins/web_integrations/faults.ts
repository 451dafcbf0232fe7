import type { Sent } from "lectern/core";

/** What is wrong with a field of a form, its entries among them; none where the form was taken or is fresh. */
export function beside(sent: Sent<unknown> | undefined, name: string): readonly string[] {
  if (!sent || sent.ok) return [];
  return Object.entries(sent.faults).flatMap(([field, faults]) =>
    field === name || field.startsWith(`${name}.`) ? faults : [],
  );
}

/** What is wrong with a form as a whole: what none of its fields shows. */
export function generalFault(sent: Sent<unknown> | undefined, fields: readonly string[]): string | undefined {
  if (!sent || sent.ok) return undefined;
  return fields.some((name) => beside(sent, name).length > 0) ? undefined : sent.message;
}
