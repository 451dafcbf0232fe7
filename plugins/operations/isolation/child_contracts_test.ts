import { expect, test } from "bun:test";
import { GUEST, SYSTEM } from "lectern/core";
import { remoteContracts } from "./child_contracts.ts";
import { ChildViewers, type SentViewer } from "./child_viewers.ts";

const SENT: SentViewer = {
  id: 7,
  name: "Reader",
  slug: "reader",
  roles: [],
  permissions: [],
  admin: false,
  via: "token",
};

function contractsOf(answer: unknown = { value: "found", viewers: [] }) {
  const viewers = new ChildViewers();
  const sent: [object, number | undefined][] = [];
  const send = async (value: object, within: number | undefined) => {
    sent.push([value, within]);
    return answer;
  };
  // Of contracts, the process knows the names alone.
  const contracts = remoteContracts({ acme: true, absent: false }, viewers, send) as Record<string, Acme>;
  return { acme: contracts.acme as Acme, absent: contracts.absent, viewers, sent };
}

type Acme = Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>;

test("calls of contracts name viewers by call and number, and leave undefined arguments out", async () => {
  const { acme, absent, viewers, sent } = contractsOf();
  expect(absent).toBeUndefined();
  const reader = viewers.received(5, 0, SENT);
  expect(await acme.find?.(reader, undefined, { name: "x" })).toBe("found");
  await viewers.run(6, () => acme.find?.(SYSTEM, GUEST));
  await acme.find?.();
  expect(sent).toEqual([
    [
      {
        contract: "acme",
        member: "find",
        count: 3,
        args: [{ at: 2, value: { name: "x" } }],
        viewers: [{ at: 0, viewer: 0 }],
      },
      5,
    ],
    [
      {
        contract: "acme",
        member: "find",
        count: 2,
        args: [],
        viewers: [
          { at: 0, viewer: "system" },
          { at: 1, viewer: "guest" },
        ],
      },
      6,
    ],
    [{ contract: "acme", member: "find", count: 0, args: [], viewers: [] }, undefined],
  ]);
});

test("a process sends no viewer that it made, none of another call, and no function", async () => {
  const { acme, viewers, sent } = contractsOf();
  const both = [viewers.received(5, 0, SENT), viewers.received(6, 0, SENT)];
  await expect(acme.find?.(...both)).rejects.toThrow("its viewers are those of several calls");
  await expect(acme.find?.({ ...both[0] })).rejects.toThrow("act only as the viewer of a request");
  await expect(acme.find?.({ db: () => {}, viewer: both[0] })).rejects.toThrow('a function at "db"');
  await expect(acme.find?.(new Date(0))).rejects.toThrow('an object of the class "Date"');
  expect(sent).toEqual([]);
});

test("viewers of results can be given to later calls", async () => {
  const found = { value: { all: [null] }, viewers: [{ path: ["all", "0"], number: 3, viewer: SENT }] };
  const { acme, viewers, sent } = contractsOf(found);
  const result = (await viewers.run(5, () => acme.find?.("all"))) as { all: [object] };
  expect(result.all[0]).toMatchObject({ id: 7, permissions: new Set() });
  await acme.find?.(result.all[0]);
  expect(sent[1]).toEqual([expect.objectContaining({ viewers: [{ at: 0, viewer: 3 }] }), 5]);
});
