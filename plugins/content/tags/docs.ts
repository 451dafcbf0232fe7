/** Texts of the endpoints in the API documentation. */
export const about = {
  "list-names":
    "Lists the names of tags on what you see, and how often each is used. Names that differ in case and accents alone are one. Filters " +
    "apply to the name; any field sorts.",
  "list-values":
    "Lists the values of tags of a name, and how often each is used. Values that differ in case and accents alone are one. Filters apply to " +
    "the value; any field sorts.",
} as const;
