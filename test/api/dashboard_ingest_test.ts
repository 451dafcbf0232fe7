import { afterAll, beforeAll, expect, test } from "bun:test";
import { bootHouse, type TestHouse } from "../support/house.ts";

let house: TestHouse;
beforeAll(async () => { house = await bootHouse({ env: { HOSTS_REQUESTS_PER_MIN: "0" } }); });
afterAll(() => house.stop());
test("smoke", async () => {
  const h = (await house.ask("POST", "/api/v1/dashboard/hosts", { body: { friendly_name: "a" } })).body;
  console.error(h);
  const headers = { "x-api-id": h.api_id, "x-api-key": h.api_key };
  const send = (body: unknown) => house.ask("POST", "/api/v1/hosts/update", { as: null, headers, body });
  const p = (name: string, o = false, s = false) => ({ name, currentVersion: "1", availableVersion: "2", needsUpdate: o, isSecurityUpdate: s });
  const fleet = () => (house.contexts.get("hosts") as any);
  console.error((await send({ osType: "ubuntu", osVersion: "24", packages: [p("a", true), p("b", true, true), p("c")], repositories: [{ url: "http://x", distribution: "a", components: "b", isEnabled: true }] })).body);
  console.error(JSON.stringify(await house.store.sql`select * from host_totals`), JSON.stringify(await house.store.sql`select * from report_counts`));
  console.error((await send({ osType: "ubuntu", osVersion: "24", packages: [p("a", true), p("b", true, true), p("c")] })).body);
  console.error((await send({ osType: "debian", osVersion: "24", packages: [p("a"), p("b", true, true), p("c")] })).body);
  console.error((await house.ask("POST", "/api/v1/hosts/ping", { as: null, headers, body: { hashes: {} } })).body);
  console.error((await house.ask("GET", `/api/v1/dashboard/hosts/${h.id}`)).body);
  console.error((await house.ask("PATCH", `/api/v1/dashboard/hosts/${h.id}`, { body: { status: "inactive" } })).body.status);
  console.error(JSON.stringify(await house.store.sql`select * from host_totals`));
  console.error((await house.ask("DELETE", `/api/v1/dashboard/hosts/${h.id}`)).status);
  console.error(JSON.stringify(await house.store.sql`select * from host_totals`), JSON.stringify(await house.store.sql`select * from report_counts`), JSON.stringify(await house.store.sql`select * from repositories`));
  console.error((await send({})).body, (await house.ask("GET", "/api/v1/hosts/docker", {headers})).body);
});
