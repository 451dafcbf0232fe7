/**
 * Draws the screens of the pages that were read most once a server has started, in the background: their answers and drawings are kept then, and
 * the code for them is compiled, before most readers come. They are drawn as the users who read them, one after the other, with pauses of
 * several times the work, and count as nobody's views.
 */
import { pagePath } from "lectern/contracts";
import { MINUTE_MS, type PluginContext, sql } from "lectern/core";
import { type Executor, prepared } from "lectern/db";

/** Screens that are drawn. */
const SCREENS = 200;
/** Milliseconds from the start of the server until the first one, which leaves the start to those who wait for it. */
const AFTER_MS = 500;
/** Milliseconds after which the rest is left out. */
const MAX_MS = MINUTE_MS;
/** The pause after a screen, in times of its work and of what the event loop was late by: a quarter of a core at most. */
const PAUSE_FACTOR = 3;
/** The table that says which pages users read, which is the search's. */
const VIEWS = "item_views";

const mostRead = prepared("web_reading.mostRead", (db, p: { limit: number }) =>
  db
    .selectFrom("item_views")
    .innerJoin("pages", "pages.id", "item_views.item_id")
    .innerJoin("books", "books.id", "pages.book_id")
    .select(["item_views.user_id as reader", "pages.slug as page", "books.slug as book"])
    .where("item_views.kind", "=", sql.lit("page"))
    .where("pages.deleted_at", "is", null)
    .orderBy("item_views.count", "desc")
    .orderBy("item_views.viewed_at", "desc")
    .limit(p.limit),
);

/** What drawing takes. */
interface WarmUp extends Pick<PluginContext<"users">, "callAs" | "contracts" | "log" | "pools"> {
  readonly db: Executor;
}

/** Has the screens drawn after each start. */
export function warmUpScreens(context: WarmUp & Pick<PluginContext, "onStart" | "onStop" | "runtime">): void {
  const { onStart, onStop, runtime } = context;
  let isStopped = false;
  let timer: Timer | undefined;
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
      timer.unref();
    });
  onStart(() => {
    if (!runtime.plugins().some(({ plugin }) => plugin.grants.write?.includes(VIEWS))) return;
    void pause(AFTER_MS).then(() => draw(context, { pause, isStopped: () => isStopped }));
  });
  onStop(() => {
    isStopped = true;
    clearTimeout(timer);
  });
}

async function draw(
  { callAs, contracts, db, log, pools }: WarmUp,
  { pause, isStopped }: { pause(ms: number): Promise<void>; isStopped(): boolean },
): Promise<void> {
  const until = performance.now() + MAX_MS;
  try {
    for (const { reader, page, book } of await pools.poll(mostRead.compile(db, { limit: SCREENS }))) {
      const viewer = await contracts.users.viewer(reader);
      if (isStopped() || performance.now() > until) return;
      const began = performance.now();
      if (viewer) await (await callAs(viewer, "GET", pagePath({ slug: book }, { slug: page }))).body?.cancel();
      const restMs = PAUSE_FACTOR * (performance.now() - began);
      const rested = performance.now();
      await pause(restMs);
      await pause(PAUSE_FACTOR * Math.max(0, performance.now() - rested - restMs));
    }
  } catch (error) {
    if (!isStopped()) log.debug("Cannot draw the screens that were read most", { error });
  }
}
