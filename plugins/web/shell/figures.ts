import type { FiguresName, ScreenFigure, ShownFigure, Visit } from "lectern/contracts";
import { callContributionNow, callContributions } from "lectern/core";
import { isPermitted } from "./access.ts";
import { drawable, textOf } from "./added_parts.ts";
import { inOrder, type ScreenPlaces } from "./places.ts";

/** The figures at a place that the viewer sees, read at the same time. Throws for a place that was not declared. */
export async function figuresAt(
  { places, figures }: { readonly places: ScreenPlaces; readonly figures: readonly ScreenFigure[] },
  at: FiguresName,
  visit: Visit,
): Promise<readonly ShownFigure[]> {
  places.require(at);
  const { ui } = visit;
  const isShown = (figure: ScreenFigure) => isPermitted(figure.permit ?? "public", ui);
  const shown = figures.filter((figure) => figure.at === at && callContributionNow(figure, isShown, at) === true);
  return callContributions(
    inOrder(shown),
    async (figure) => {
      const value = drawable(await figure.read(visit));
      const formatted = typeof value === "number" ? formatOf(ui.language).format(value) : value;
      const path = figure.path === undefined ? undefined : textOf(figure.path, "path");
      return { label: ui.t(textOf(figure.label, "label")), value: formatted, path };
    },
    () => at,
  );
}

function formatOf(language: string): Intl.NumberFormat {
  const [locale] = Intl.NumberFormat.supportedLocalesOf(language.replace("_", "-"));
  return new Intl.NumberFormat(locale ?? "en");
}
