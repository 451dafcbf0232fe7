import { expect, test } from "bun:test";
import { ApiError, errorBody, invalidFields, localizedError, notFound } from "./errors.ts";

test("errorBody() has the shape of errors, with validation errors by field and further keys if there are any", () => {
  expect(errorBody(notFound("Book"))).toEqual({ error: { message: "Book not found", code: 404 } });
  const faulty = new ApiError(422, "No.", { validation: { name: ["The name field is required."] } });
  expect(errorBody(faulty)).toEqual({
    error: { message: "No.", validation: { name: ["The name field is required."] }, code: 422 },
  });
  const extra = { message: "No.", status: "error" };
  expect(errorBody(new ApiError(500, "No.", { extra }))).toEqual({ error: { message: "No.", code: 500 }, ...extra });
});

test("a localized error has its placeholders filled, and keeps the text for other languages", () => {
  const error = localizedError(405, "The :method method is not allowed.", { method: "PATCH" });
  expect([error.message, error.details.text?.[0]]).toEqual([
    "The PATCH method is not allowed.",
    "The :method method is not allowed.",
  ]);
});

test("the error of fields has a list of messages for each", () => {
  const error = invalidFields({ ends: "The ends is too early.", name: ["The name is taken.", "The name is short."] });
  expect(errorBody(error)).toEqual({
    error: {
      code: 422,
      message: "The given data was invalid.",
      validation: { ends: ["The ends is too early."], name: ["The name is taken.", "The name is short."] },
    },
  });
});
