import { t } from "lectern/core";

/** Limits of copies. No operator sets them; tests give smaller ones. */
export const settings = t.Object({
  pagesAtOnce: t.Integer({
    default: 100,
    minimum: 1,
    constant: true,
    description: "Pages that a request copies while it is answered; what has more is copied in the background",
  }),
  staleMs: t.Integer({
    default: 30_000,
    minimum: 200,
    constant: true,
    description: "Time without a sign of life after which a copy is started again: its server was killed",
  }),
});
