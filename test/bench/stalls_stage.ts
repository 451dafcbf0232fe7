/** What the inputs of stalls.ts are sent with. */

/** The server under test, as the user who does all this. */
export interface Stage {
  readonly baseUrl: string;
  readonly token: string;
  /** A book that pages can be made in. */
  readonly book: number;
  /** Sends a request with the user's token; a body is sent as JSON. Resolves to status and body once that was read. */
  send(method: string, path: string, body?: unknown): Promise<{ status: number; body: string }>;
}

/** A hostile input. */
export interface Input {
  readonly name: string;
  prepare?(stage: Stage): Promise<void>;
  send(stage: Stage): Promise<string>;
  /** A further path that the other user asks for meanwhile. */
  readonly also?: string;
}

/** What came of several requests: how many had which status. */
export async function statuses(asked: readonly Promise<{ status: number }>[]): Promise<string> {
  const counts = new Map<string, number>();
  for (const one of await Promise.allSettled(asked)) {
    const outcome = one.status === "fulfilled" ? String(one.value.status) : "no answer";
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  return [...counts].map(([outcome, n]) => (n === 1 ? outcome : `${n}x ${outcome}`)).join(", ");
}

/** So many things, by their number. */
export function times<T>(n: number, make: (n: number) => T): T[] {
  return Array.from({ length: n }, (_, at) => make(at));
}

/** Creates a page of this content. */
export function page(stage: Stage, content: Record<string, unknown>): ReturnType<Stage["send"]> {
  return stage.send("POST", "/api/pages", { book_id: stage.book, name: `Page ${crypto.randomUUID()}`, ...content });
}
