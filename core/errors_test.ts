import { expect, test } from "bun:test";
import { ApiError, denied, errorBody, notFound } from "./errors.ts";
import { createTexts } from "./texts.ts";

test("errorBody() has the one shape of errors, with faults by field and further keys where there are some", () => {
  expect(errorBody(notFound("Book"))).toEqual({ error: { message: "Book not found", code: 404 } });
  const faulty = new ApiError(422, "No.", { validation: { name: ["The name field is required."] } });
  expect(errorBody(faulty)).toEqual({
    error: { message: "No.", validation: { name: ["The name field is required."] }, code: 422 },
  });
  const extra = { message: "No.", status: "error" };
  expect(errorBody(new ApiError(500, "No.", { extra }))).toEqual({ error: { message: "No.", code: 500 }, ...extra });
});

test("errors made by hand and the catalogue say the same", () => {
  const texts = createTexts();
  expect([denied().message, notFound("Page").message]).toEqual([
    texts.say("errors.denied"),
    texts.say("errors.not_found", { noun: "Page" }),
  ]);
});
