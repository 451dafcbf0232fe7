/** Most options of a select. */
export const MAX_OPTIONS = 500;
