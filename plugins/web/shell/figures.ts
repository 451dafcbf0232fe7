import type { FiguresName, ScreenFigure, ShownFigure, Visit } from "lectern/contracts";
import { isAdmitted } from "./access.ts";
import { inOrder, type ScreenPlaces } from "./places.ts";

/** The figures at a place that the viewer sees, read at the same time. Throws for a place that was not declared. */
export async function figuresAt(
  { places, figures }: { readonly places: ScreenPlaces; readonly figures: readonly ScreenFigure[] },
  at: FiguresName,
  visit: Visit,
): Promise<readonly ShownFigure[]> {
  places.require(at);
  const { ui } = visit;
  const shown = figures.filter((figure) => figure.at === at && isAdmitted(figure.admits ?? "anyone", ui));
  return Promise.all(
    inOrder(shown).map(async (figure) => {
      const value = await figure.read(visit);
      const formatted = typeof value === "number" ? formatOf(ui.language).format(value) : value;
      return { label: ui.t(figure.label), value: formatted, path: figure.path };
    }),
  );
}

function formatOf(language: string): Intl.NumberFormat {
  const [locale] = Intl.NumberFormat.supportedLocalesOf(language.replace("_", "-"));
  return new Intl.NumberFormat(locale ?? "en");
}
