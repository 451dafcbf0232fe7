/** What the documentation says about the endpoints. */
export const about = {
  read:
    "The settings of the instance that can be changed while it runs, with their values. One that a variable of the environment " +
    "sets is locked, and locked_by names that. Secrets are never shown: is_set tells whether there is one.",
  update:
    "Changes settings, all or none. Fields that are absent stay as they are; null, and for texts with another default an empty text, " +
    "is the default again. Other servers of the instance follow within a second.",
} as const;
