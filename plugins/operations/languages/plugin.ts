import { definePlugin } from "lectern/core";
import german from "./de.json" with { type: "json" };
import french from "./fr.json" with { type: "json" };

/**
 * German and French, for the API's messages and the screens: a file of texts for each, by their English text or, where a
 * message has one, its name. A text that a file lacks is shown in English.
 */
export default definePlugin({
  name: "languages",
  setup({ texts }) {
    texts.add("de", german);
    texts.add("fr", french);
  },
});
