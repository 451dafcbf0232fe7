import { expect, test } from "bun:test";
import { ApiError, errorBody, localizedError, notFound } from "./errors.ts";

test("errorBody() has the one shape of errors, with faults by field and further keys where there are some", () => {
  expect(errorBody(notFound("Book"))).toEqual({ error: { message: "Book not found", code: 404 } });
  const faulty = new ApiError(422, "No.", { validation: { name: ["The name field is required."] } });
  expect(errorBody(faulty)).toEqual({
    error: { message: "No.", validation: { name: ["The name field is required."] }, code: 422 },
  });
  const extra = { message: "No.", status: "error" };
  expect(errorBody(new ApiError(500, "No.", { extra }))).toEqual({ error: { message: "No.", code: 500 }, ...extra });
});

test("an error's text has its places filled, and keeps the text itself for other languages", () => {
  const error = localizedError(405, "The :method method is not allowed.", { method: "PATCH" });
  expect([error.message, error.details.text?.[0]]).toEqual([
    "The PATCH method is not allowed.",
    "The :method method is not allowed.",
  ]);
});
