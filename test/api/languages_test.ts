import { afterAll, beforeAll, expect, test } from "bun:test";
import { definePlugin } from "lectern/core";
import { bootHouse, type TestHouse } from "../support/house.ts";

const german = definePlugin({
  name: "test-german",
  setup({ texts }) {
    texts.add("de", {
      ":noun not found": ":noun gibt es nicht",
      "You do not have permission to perform the requested action.": "Das ist nicht erlaubt.",
      "validation.invalid": "Die Angaben sind ungültig.",
      "validation.required": "Das Feld :attribute fehlt.",
    });
  },
});

let house: TestHouse;
beforeAll(async () => {
  house = await bootHouse({ extra: [german] });
});
afterAll(() => house.stop());

test("messages are told in the language a user wishes, and in English where it has none", async () => {
  const { token, id } = await house.person("anna", ["access-api", "book-create-all"]);
  expect((await house.ask("PUT", `/api/users/${id}`, { body: { language: "de" } })).status).toBe(200);
  const told = async (method: string, path: string, as: string, body?: unknown) =>
    (await house.ask(method, path, { as, body })).body.error;
  expect((await told("GET", "/api/books/999", token)).message).toBe("Book gibt es nicht");
  expect((await told("GET", "/api/users", token)).message).toBe("Das ist nicht erlaubt.");
  expect(await told("POST", "/api/books", token, {})).toEqual({
    code: 422,
    message: "Die Angaben sind ungültig.",
    validation: { name: ["Das Feld name fehlt."] },
  });
  expect((await told("GET", "/api/nowhere", token)).message).toBe("The route api/nowhere could not be found.");
  expect((await told("GET", "/api/books/999", house.token)).message).toBe("Book not found");
});

test("who has chosen none is told in the language their client asks for, where there is one", async () => {
  const told = async (language: string, method = "GET", body?: unknown) =>
    (
      await house.ask(method, method === "GET" ? "/api/books/999" : "/api/books", {
        headers: { "accept-language": language },
        body,
      })
    ).body.error;
  expect((await told("ja, de-AT;q=0.9, en;q=0.5")).message).toBe("Book gibt es nicht");
  expect((await told("en;q=0.9, de;q=0.5")).message).toBe("Book not found");
  expect((await told("x".repeat(5000))).message).toBe("Book not found");
  expect((await told("de", "POST", {})).validation).toEqual({ name: ["Das Feld name fehlt."] });
  expect((await told("*", "POST", {})).validation).toEqual({ name: ["The name field is required."] });
});
