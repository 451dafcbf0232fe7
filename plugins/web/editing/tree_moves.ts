/** Moves within the tree of a book, which scripts send: the API decides, under its lock, so that moves of others at the same time are kept. */

import type { EditingContext } from "./contract.ts";
import { bookOf } from "./items.ts";
import { keptText } from "./sort_by.ts";

const ENTRY = /^(page|chapter):(\d{1,9})$/;

/** Mounts the request: `moved` and `target` such as "page:12", `place` and `within` as the API takes them. Answers a message, and what is said where the book is kept sorted. */
export function mountTreeMoves({ app, web }: EditingContext): void {
  web.form(app.site, "/books/:book/tree", "user", async (visit) => {
    const { id } = await bookOf(visit);
    const [, type = "", moved = ""] = ENTRY.exec(visit.text("moved")) ?? [];
    const [, target_type = "", target_id = ""] = ENTRY.exec(visit.text("target")) ?? [];
    const within = visit.text("within") === "" ? null : visit.text("within");
    const sent = await visit.send("PUT", `/api/books/${id}/order/entry`, {
      ...{ type, id: moved, place: visit.text("place"), target_type, target_id, within },
    });
    if (!sent.ok) return Response.json({ message: messageOf(sent) }, { status: sent.status });
    const kept = (await visit.find(`/api/books/${id}/order/rule`))?.rule ?? null;
    return Response.json({ message: "", ...(kept === null ? {} : { kept: keptText(kept, visit.ui) }) });
  });
}

function messageOf({
  errors,
  message,
}: {
  errors: Readonly<Record<string, readonly string[]>>;
  message: string;
}): string {
  return Object.values(errors).flat()[0] ?? message;
}
