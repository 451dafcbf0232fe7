import type { Sent } from "./contracts/web.ts";

/** What a screen shows of a form that the API refused. */
export interface Refused {
  readonly faults: Readonly<Record<string, readonly string[]>>;
  /** What is wrong with the whole, where no field is. */
  readonly fault: string | undefined;
  /** The status of the screen; what clients know as a 500 of the contract is a refusal here. */
  readonly status: number;
}

/** What to show of an answer; nothing is wrong where there is none yet. */
export function refused(sent: Sent<unknown> | undefined): Refused {
  if (!sent || sent.ok) return { faults: {}, fault: undefined, status: 200 };
  const { faults, message, status } = sent;
  return { faults, fault: Object.keys(faults).length > 0 ? undefined : message, status: status >= 500 ? 409 : status };
}

/** Faults of a list by the list's own name: those of `roles.0` and `roles.1` are faults of `roles`. */
export function faultsOfList({ faults }: Refused, name: string): string[] {
  return Object.entries(faults).flatMap(([field, texts]) =>
    field === name || field.startsWith(`${name}.`) ? [...texts] : [],
  );
}
