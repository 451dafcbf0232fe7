import { expect, test } from "bun:test";
import { basicCredentials } from "./basic_credentials.ts";

const encoded = (text: string) => Buffer.from(text).toString("base64");

test("credentials are parsed with any case of the scheme, padded or not", () => {
  const pair = { key: "dash_1", secret: "s" };
  for (const header of ["Basic", "basic", "BASIC", "Basic  "]) {
    expect(basicCredentials(`${header} ${encoded("dash_1:s")}`)).toEqual(pair);
    expect(basicCredentials(`${header} ${encoded("dash_1:s").replaceAll("=", "")}`)).toEqual(pair);
  }
});

test("the secret starts after the first colon and loses the line break that echo adds", () => {
  expect(basicCredentials(`Basic ${encoded("k:a:b")}`)).toEqual({ key: "k", secret: "a:b" });
  expect(basicCredentials(`Basic ${encoded("k:secret\r\n")}`)).toEqual({ key: "k", secret: "secret" });
  expect(basicCredentials(`Basic ${encoded("ключ:é")}`)).toEqual({ key: "ключ", secret: "é" });
});

test("invalid headers have no credentials", () => {
  const bad = [null, "", "Basic", "Basic ", "Basic !!!", "Bearer abcdef", "Token a:b", `Basic${encoded("k:s")}`];
  const halves = ["nocolon", ":secret", "key:", "key:\n", ":"].map((text) => `Basic ${encoded(text)}`);
  for (const header of [...bad, ...halves, "Basic a", "Basic //86//8="]) {
    expect([header, basicCredentials(header)]).toEqual([header, undefined]);
  }
});
