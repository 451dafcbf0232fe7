import { definePlugin } from "lectern/core";
import german from "./de.json" with { type: "json" };
import french from "./fr.json" with { type: "json" };

/**
 * German and French texts for messages of the API and screens: one catalogue per language, keyed by the English text or, if a
 * message has one, its key. Texts that a catalogue lacks are shown in English.
 */
export default definePlugin({
  name: "languages",
  texts: { de: german, fr: french },
  setup() {},
});
