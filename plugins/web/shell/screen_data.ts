/** What a screen is drawn from, by name. */
export type ScreenData = Readonly<Record<string, unknown>>;

/** Entries of a list up to which it is compared by its content. */
const MAX_LISTED = 20;

/**
 * The answers among what a screen is drawn from, and the rest as a text, which is that of other data only where it has the same members. Short
 * lists, such as of attachments, are often equal for many readers. What is neither text nor an answer keeps the screen from being kept.
 */
export function answersAndText(data: ScreenData): { readonly answers: readonly object[]; readonly text: string } {
  const answers: object[] = [];
  const members = Object.entries(data).map(([name, value]) => {
    if (value === undefined) return [name];
    const isAnswer = Array.isArray(value) ? value.length > MAX_LISTED : typeof value === "object" && value !== null;
    return isAnswer || !isWhole(value) ? { [name]: answers.push(Object(value)) } : [name, value];
  });
  return { answers, text: JSON.stringify(members) };
}

/** Whether JSON has all of a value. */
function isWhole(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null)
    return typeof value === "string" || typeof value === "boolean" || value === null;
  if (Array.isArray(value)) return value.every(isWhole);
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const member of Object.values(value)) if (member !== undefined && !isWhole(member)) return false;
  return true;
}
