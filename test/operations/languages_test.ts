import { afterAll, beforeAll, expect, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
});
afterAll(() => runtime.stop());

test("messages are in the language of the user, and in English where it has none", async () => {
  const { token, id } = await runtime.person("anna", ["access-api", "book-create-all"]);
  expect((await runtime.ask("PUT", `/api/users/${id}`, { body: { language: "de" } })).status).toBe(200);
  const answered = async (method: string, path: string, as: string, body?: unknown) =>
    (await runtime.ask(method, path, { as, body })).body.error;
  expect((await answered("GET", "/api/books/999", token)).message).toBe("Buch nicht gefunden");
  expect((await answered("GET", "/api/users", token)).message).toBe("Dazu fehlt Ihnen die Berechtigung.");
  expect(await answered("POST", "/api/books", token, {})).toEqual({
    code: 422,
    message: "Die Angaben sind ungültig.",
    validation: { name: ["Das Feld name fehlt."] },
  });
  expect((await answered("GET", "/api/nowhere", token)).message).toBe("Die Adresse api/nowhere gibt es nicht.");
  expect((await runtime.ask("PUT", `/api/users/${id}`, { body: { language: "fr" } })).status).toBe(200);
  expect((await answered("GET", "/api/books/999", token)).message).toBe("Livre introuvable");
  // As the original's clients write languages; Norwegian does not ship.
  const messages: Record<string, string> = {
    ...{ pt_BR: "Não encontrado: Livro", zh_CN: "未找到“图书”", de_informal: "Buch nicht gefunden" },
    ...{ es_AR: "No se ha encontrado: Libro", nb: "Book not found" },
  };
  for (const [language, message] of Object.entries(messages)) {
    expect((await runtime.ask("PUT", `/api/users/${id}`, { body: { language } })).status).toBe(200);
    expect([language, (await answered("GET", "/api/books/999", token)).message]).toEqual([language, message]);
  }
  expect((await answered("GET", "/api/books/999", runtime.token)).message).toBe("Book not found");
});

test("a user without a language gets that of Accept-Language, where there is one", async () => {
  const answered = async (language: string, method = "GET", body?: unknown) =>
    (
      await runtime.ask(method, method === "GET" ? "/api/books/999" : "/api/books", {
        headers: { "accept-language": language },
        body,
      })
    ).body.error;
  expect((await answered("nb, de-AT;q=0.9, en;q=0.5")).message).toBe("Buch nicht gefunden");
  expect((await answered("en;q=0.9, de;q=0.5")).message).toBe("Book not found");
  expect((await answered("x".repeat(5000))).message).toBe("Book not found");
  expect((await answered("de", "POST", {})).validation).toEqual({ name: ["Das Feld name fehlt."] });
  expect((await answered("*", "POST", {})).validation).toEqual({ name: ["The name field is required."] });
});
