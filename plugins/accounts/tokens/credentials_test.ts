import { expect, test } from "bun:test";
import { credentialsOf } from "./credentials.ts";

test("blank headers count as absent", () => {
  for (const header of [null, "", "   "]) expect(credentialsOf(header)).toBeUndefined();
});

test("other schemes, another case and missing colons are malformed", () => {
  for (const header of ["Token", "Token abc", "abc:def", "Bearer abc:def", "token abc:def", "Basic YWJjOmRlZg=="]) {
    expect(credentialsOf(header)).toBe("malformed");
  }
});

test("id and secret are taken unchanged, up to a second colon", () => {
  expect(credentialsOf("Token abc:def")).toEqual({ tokenId: "abc", secret: "def" });
  expect(credentialsOf("  Token abc:def  ")).toEqual({ tokenId: "abc", secret: "def" });
  expect(credentialsOf("Token abc:def:ghi")).toEqual({ tokenId: "abc", secret: "def" });
  expect(credentialsOf("Token  abc:def")).toEqual({ tokenId: " abc", secret: "def" });
  expect(credentialsOf("Token :")).toEqual({ tokenId: "", secret: "" });
});
