import { expect, test } from "bun:test";
import { drawingEditor } from "./settings.ts";

test("drawingEditor() takes true, false and addresses, and says what its page needs to talk", () => {
  for (const off of ["", "false", "FALSE", "0"]) expect(drawingEditor(off)).toBeUndefined();
  expect(drawingEditor("true")).toEqual({
    address: "https://embed.diagrams.net/?embed=1&proto=json&spin=1",
    origin: "https://embed.diagrams.net",
  });
  expect(drawingEditor("http://draw.internal:8080/app/?ui=min&embed=0&configure=1")).toEqual({
    address: "http://draw.internal:8080/app/?ui=min&embed=1&configure=1&proto=json&spin=1",
    origin: "http://draw.internal:8080",
  });
});

test.each(["yes", "javascript:alert(1)", "draw.internal", "data:text/html,x"])(
  "drawingEditor() refuses %p",
  (setting) => {
    expect(() => drawingEditor(setting)).toThrow("Cannot use DRAWIO");
  },
);
