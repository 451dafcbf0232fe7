import { expect, test } from "bun:test";
import { chosenProvider } from "./chosen_provider.ts";

const choose = (names: readonly string[], chosen = "") =>
  chosenProvider(
    names.map((name) => ({ name })),
    { service: "a mail transport", variable: "MAIL_TRANSPORT", chosen },
  )?.name;

test("the only provider is used, and the named one of several", () => {
  expect([choose([]), choose(["smtp"]), choose(["smtp", "postmark"], "postmark")]).toEqual([
    undefined,
    "smtp",
    "postmark",
  ]);
});

test("several providers without a choice are an error that names each and the variable", () => {
  expect(() => choose(["smtp", "postmark"])).toThrow(
    'Each of "smtp" and "postmark" is a mail transport: set MAIL_TRANSPORT to the one to use',
  );
});

test("a choice that no provider has names what there is", () => {
  expect(() => choose(["smtp", "postmark"], "postmrak")).toThrow('did you mean "postmark"?');
  expect(() => choose(["smtp"], "carrier pigeon")).toThrow('MAIL_TRANSPORT names "carrier pigeon"');
  expect(() => choose(["smtp", "smtp"], "smtp")).toThrow('Two plugins provide a mail transport named "smtp"');
});
