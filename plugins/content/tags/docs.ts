/** Texts of the endpoints in the API documentation. */
export const about = {
  "list-names": "Lists the names of tags on what you see, and how often each is used.",
  "list-values": "Lists the values of tags of a name, and how often each is used.",
} as const;
