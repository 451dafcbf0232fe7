import { t } from "lectern/core";

/** Limits of renames. No operator sets them; tests give smaller ones. */
export const settings = t.Object({
  itemsAtOnce: t.Integer({
    default: 50,
    minimum: 0,
    constant: true,
    description: "Items that a request renames a tag on while it is answered; more are changed in the background",
  }),
  batchItems: t.Integer({
    default: 25,
    minimum: 1,
    constant: true,
    description:
      "Items that change in one transaction: writers of these wait so long, and readers see all or none of them",
  }),
  staleMs: t.Integer({
    default: 30_000,
    minimum: 200,
    constant: true,
    description: "Time without a sign of life after which a rename goes on elsewhere: its server was killed",
  }),
});
