/** What the source editor gets from the server: addresses, its texts in the user's language beside those of the rich editor, and its style. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Ui } from "lectern/contracts";
import type { EditingContext } from "./contract.ts";

/** The style of the source editor, for its screen alone. */
export const SOURCE_STYLE = readFileSync(join(import.meta.dir, "public/source.css"), "utf8");

/** What the script is told of a screen: what is edited, by kind and id. */
interface SourceFacts {
  readonly scripts: EditingContext["scripts"];
  readonly about: string;
}

/** The data for `browser/source.ts`. */
export function sourceData({ scripts: { languages }, about }: SourceFacts, ui: Ui) {
  const { t } = ui;
  return {
    pages: ui.url("/editor/pages"),
    people: ui.url(`/editor/people/${about}`),
    pictures: ui.url("/editor/pictures"),
    languages,
    texts: {
      sourceHelp: t(
        "Type / at the beginning of a line for a menu of everything that can be inserted, [[ for a link to a page, ![ for a picture. Tab indents in lists and code; after Escape it leaves the text.",
      ),
      words: t("Words: :count"),
      find: t("Find and replace"),
      ...phrases(ui),
    },
  };
}

/** The texts of CodeMirror, by `phrase` and what it calls them. */
function phrases({ t }: Ui) {
  return {
    "phrase Find": t("Find"),
    "phrase Replace": t("Replace with"),
    "phrase next": t("Next"),
    "phrase previous": t("Previous"),
    "phrase match case": t("Match case"),
    "phrase regexp": t("Regular expression"),
    "phrase by word": t("Whole words"),
    "phrase replace": t("Replace"),
    "phrase replace all": t("Replace all"),
    "phrase close": t("Close"),
    "phrase current match": t("Current match"),
    "phrase on line": t("on line"),
    "phrase replaced match on line $": t("Replaced on line $"),
    "phrase replaced $ matches": t("Replaced: $"),
    "phrase Completions": t("Suggestions"),
    "phrase Go to line": t("Go to line"),
    "phrase go": t("Go"),
    "phrase Selection deleted": t("Selection deleted"),
    "phrase Control character": t("Control character"),
  };
}
