import type { FiguresName, ShownFigure, Visit } from "lectern/contracts";
import { callContributions, writtenNumber } from "lectern/core";
import { drawable, textOf } from "./added_parts.ts";
import type { ScreenPlaces } from "./places.ts";
import { currentRecording } from "./recording.ts";
import type { ScreenParts } from "./screen_parts.ts";

/** The figures at a place that the viewer sees, read at the same time. Throws for a place that was not declared. */
export async function figuresAt(
  { places, parts }: { readonly places: ScreenPlaces; readonly parts: ScreenParts },
  at: FiguresName,
  visit: Visit,
): Promise<readonly ShownFigure[]> {
  places.require(at);
  const { ui } = visit;
  const recording = currentRecording();
  // They are read at each request.
  if (recording) recording.isKept = false;
  return callContributions(
    parts.figures(at, ui),
    async (figure) => {
      const value = drawable(await figure.read(visit));
      const formatted = typeof value === "number" ? writtenNumber(value, ui.language, 3) : value;
      const path = figure.path === undefined ? undefined : textOf(figure.path, "path");
      return { label: ui.t(textOf(figure.label, "label")), value: formatted, path };
    },
    () => at,
  );
}
