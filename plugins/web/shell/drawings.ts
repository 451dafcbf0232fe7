/**
 * Drawings that are kept, each with the answers that it was drawn from, by the roles of the reader, the language and the time zone. One that follows from
 * whether the reader is one of some users, such as the owner of an item, is kept once for each of these and once for all others; one
 * that follows from anything else of the reader, for that reader alone. Which of these it is, is known once it was drawn.
 */
import type { DrawnFor, Ui, Visit } from "lectern/contracts";
import { type DerivedAnswers, type DerivedValue, GUEST, type NoteRows } from "lectern/core";
import { Drawing } from "./drawing.ts";
import { Recording } from "./recording.ts";

/** What a drawing is of. */
export interface AskedDrawing<Facts> {
  /** What it is drawn from: answers that are cached, else it is drawn each time. */
  readonly answers: readonly object[];
  /** What it follows from beside them and the reader. */
  readonly key: string;
  readonly visit: Visit;
  /** Draws; `facts` are kept with the drawing. */
  draw(reader: DrawnFor, recording: Recording): Promise<Drawn<Facts>>;
}

/** What was drawn. */
interface Drawn<Facts> {
  readonly markup: string;
  readonly facts: Facts;
}

/** A drawing with its facts. */
export interface KeptDrawing<Facts> {
  readonly drawing: Drawing;
  readonly facts: Facts;
}

/** What a drawing follows from of the reader. */
type Whom = Pick<Recording, "askedFor" | "isPersonal" | "isKept">;

/** What is kept under a key: a drawing, or whom the drawings under further keys are for. */
interface Kept extends DerivedValue {
  readonly whom?: Whom;
  readonly drawn?: KeptDrawing<unknown>;
}

/** The cache of drawings. */
export type KeptDrawings = DerivedAnswers<Kept>;

/** Approximate bytes of memory of a drawing beside its markup. */
const DRAWING_BYTES = 1_000;

/** The drawing, from the cache or drawn now. At once where it is kept. Throws what `draw` throws. */
export function drawingOf<Facts>(
  kept: KeptDrawings,
  asked: AskedDrawing<Facts>,
): KeptDrawing<Facts> | Promise<KeptDrawing<Facts>> {
  const { answers, visit } = asked;
  const key = keyOf(asked.key, visit.ui);
  let own: Made<Facts> | undefined;
  const first = kept.read(visit.ui.viewer, { answers, key, isPersonal: false }, async (note) => {
    own = await made(asked, note);
    const { drawn, whom } = own;
    if (whom.isKept && !whom.isPersonal && whom.askedFor.size === 0) return { bytes: bytesOf(drawn), drawn };
    return { bytes: DRAWING_BYTES, whom };
  });
  if (first instanceof Promise) return first.then((found) => own?.drawn ?? ofReader(kept, asked, key, found));
  return ofReader(kept, asked, key, first);
}

/** The drawing for a reader, where it is known whom drawings are for. */
function ofReader<Facts>(
  kept: KeptDrawings,
  asked: AskedDrawing<Facts>,
  key: string,
  { drawn, whom }: Kept,
): KeptDrawing<Facts> | Promise<KeptDrawing<Facts>> {
  // What is kept under a key has the facts of its drawings.
  if (!whom) return drawn as KeptDrawing<Facts>;
  const { answers, visit } = asked;
  const { viewer } = visit.ui;
  if (!whom.isKept) return made(asked, () => {}).then((own) => own.drawn);
  const { isPersonal, askedFor } = whom;
  const isOne = askedFor.has(viewer.id);
  const found = kept.read(
    viewer,
    { answers, key: `${key} ${isPersonal ? "own" : isOne ? viewer.id : "others"}`, isPersonal },
    async (note) => {
      const own = await made(asked, note);
      const isAlike = isPersonal || (!own.whom.isPersonal && (isOne || own.whom.askedFor.isSubsetOf(askedFor)));
      return { bytes: isAlike && own.whom.isKept ? bytesOf(own.drawn) : undefined, drawn: own.drawn };
    },
  );
  return found instanceof Promise
    ? found.then((each) => each.drawn as KeptDrawing<Facts>)
    : (found.drawn as KeptDrawing<Facts>);
}

interface Made<Facts> {
  readonly drawn: KeptDrawing<Facts>;
  readonly whom: Whom;
}

async function made<Facts>({ draw, visit }: AskedDrawing<Facts>, note: NoteRows): Promise<Made<Facts>> {
  const recording = new Recording(note);
  const { markup, facts } = await recording.run(visit.ui, (reader) => draw(reader, recording));
  const { askedFor, isKept, isPersonal } = recording;
  return { drawn: { drawing: new Drawing(markup, recording), facts }, whom: { askedFor, isKept, isPersonal } };
}

function bytesOf({ drawing }: KeptDrawing<unknown>): number {
  return drawing.bytes + DRAWING_BYTES;
}

/** The key, with the language and the time zone, and how the reader is recognised. */
function keyOf(key: string, { isSignedIn, language, viewer }: Ui): string {
  return `${viewer === GUEST ? "nobody" : isSignedIn ? "user" : "guest"} ${language} ${viewer.timeZone ?? ""} ${key}`;
}
