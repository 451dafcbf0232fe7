/**
 * Files in buckets of S3 services that exist (`support/object_stores`): the store itself, broken connections, wrong settings,
 * and the program with `move-files`, `backup`, `restore`, `doctor` and redirected downloads. Services that are not installed
 * are skipped.
 */
import { afterAll, beforeAll, describe, expect, setSystemTime, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { findUnfinished } from "../../core/files/orphan_sweep.ts";
import { type S3Options, s3Store } from "../../plugins/operations/s3_files/store.ts";
import { command } from "../support/harness/command.ts";
import { testFileStore } from "../support/harness/file_store_suite.ts";
import { dataFolder, startProgram } from "../support/harness/program.ts";
import { until } from "../support/harness/until.ts";
import { type FaultyLink, faultyLink } from "../support/object_stores/faulty_link.ts";
import { OBJECT_STORES, type ObjectStore, startObjectStore } from "../support/object_stores/mod.ts";

const TIMEOUT_MS = 300_000;
const MB = 1024 * 1024;
const LARGE = 23 * MB + 5;
const HOUR_MS = 3_600_000;

const large = () => new Blob(Array.from({ length: 24 }, (_, at) => new Uint8Array(MB).fill(at))).slice(0, LARGE);
const digest = async (bytes: Blob | Uint8Array) =>
  new Bun.CryptoHasher("sha256").update(bytes instanceof Blob ? await bytes.bytes() : bytes).digest("hex");

/** The messages of an error and of its causes. */
function messagesOf(error: unknown): string {
  return error instanceof Error ? `${error.message} ${messagesOf(error.cause)}` : "";
}

const failing = (work: Promise<unknown>) =>
  work.then(
    () => "no error",
    (error: unknown) => messagesOf(error),
  );

for (const kind of OBJECT_STORES) {
  if (!kind.start) {
    process.stdout.write(`\n== skipped: ${kind.name} is not installed here (Debian's ${kind.packages})\n`);
    continue;
  }
  describe(kind.name, () => {
    let service: ObjectStore;
    let link: FaultyLink;
    const store = (more: Partial<S3Options> = {}) => s3Store({ ...service, ...more });
    const byHost = () => store({ endpoint: service.hostEndpoint.replace("//files.", "//"), virtualHost: true });

    beforeAll(async () => {
      service = (await startObjectStore(kind)) as ObjectStore;
      link = await faultyLink(service.endpoint);
    }, TIMEOUT_MS);
    afterAll(async () => {
      link.stop();
      await service.stop();
    }, TIMEOUT_MS);

    testFileStore(() => store(), "addressed by path");
    testFileStore(byHost, "addressed by host name");

    test(
      "an endpoint may have a path",
      async () => {
        const below = store({ endpoint: `${service.endpoint}/files/`, bucket: "below" });
        await below.put("a/b c+%.txt", new Blob(["here"]));
        expect(await (await below.get("a/b c+%.txt"))?.bytes()).toEqual(new TextEncoder().encode("here"));
        expect((await store().get("below/a/b c+%.txt"))?.size).toBe(4);
        await below.remove("a/b c+%.txt");
        expect(await store().get("below/a/b c+%.txt")).toBeUndefined();
      },
      TIMEOUT_MS,
    );

    test(
      "wrong keys, a wrong bucket and a wrong clock are named, and are no missing file",
      async () => {
        for (const wrong of [{ secretAccessKey: "x" }, { accessKeyId: "x" }]) {
          expect(await failing(store({ ...wrong, attempts: 1 }).get("a/b"))).toContain("403 AccessDenied");
          expect(await failing(store(wrong).put("a/b", new Blob(["x"])))).toMatch(
            /403 (SignatureDoesNotMatch|InvalidAccessKeyId)/,
          );
        }
        const absent = store({ bucket: "absent" });
        expect(await failing(absent.get("a/b"))).toContain("the bucket does not exist");
        expect(await failing(absent.put("a/b", new Blob(["x"])))).toContain("the bucket does not exist");
        expect(await failing(Array.fromAsync(absent.list()))).toContain("the bucket does not exist");
        setSystemTime(new Date(Date.now() - HOUR_MS));
        const late = await failing(store().put("a/b", new Blob(["x"])));
        setSystemTime();
        expect(late).toMatch(/the clocks/);
      },
      TIMEOUT_MS,
    );

    test(
      "a download continues after its connection breaks, and an upload sends a broken part again",
      async () => {
        const linked = store({ endpoint: link.endpoint, parts: { bytes: 5 * MB, parallel: 2 } });
        link.next({ kind: "cut_request", bytes: 3 * MB }, 2);
        expect(await linked.put("broken/large", large())).toBe(LARGE);
        const file = await linked.get("broken/large");
        link.next({ kind: "cut_answer", bytes: 7 * MB }, 2);
        expect(await digest((await file?.bytes()) ?? new Uint8Array())).toBe(await digest(large()));
        link.next({ kind: "cut_answer", bytes: 10 }, 3);
        expect((await linked.get("broken/large"))?.size).toBe(LARGE);
        await linked.remove("broken/large");
        expect(await Array.fromAsync(linked.unfinished?.list() ?? [])).toEqual([]);
      },
      TIMEOUT_MS,
    );

    test(
      "a service that never answers, or is not there, is an error after the time limit",
      async () => {
        const patient = store({ endpoint: link.endpoint, timeoutMs: 300, attempts: 2 });
        link.next({ kind: "silent" }, 2);
        expect(await failing(patient.get("a/b"))).toContain("did not answer within 300 milliseconds");
        expect(await failing(store({ endpoint: "http://127.0.0.1:1", attempts: 2 }).get("a/b"))).not.toBe("no error");
      },
      TIMEOUT_MS,
    );

    test(
      "a process that is killed leaves an upload without a file, which is found by its age and ended",
      async () => {
        const script = `import { s3Store } from ${JSON.stringify(join(import.meta.dir, "../../plugins/operations/s3_files/store.ts"))};
          const store = s3Store(${JSON.stringify({ ...service, parts: { bytes: 5 * MB, parallel: 1 } })});
          let sent = 0;
          await store.put("killed/ü + file", new ReadableStream({ async pull(controller) {
            if (sent++ === 12) { console.log("begun"); await Bun.sleep(60_000); }
            controller.enqueue(new Uint8Array(1024 * 1024));
          } }));`;
        const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" });
        for await (const _ of child.stdout) break;
        child.kill("SIGKILL");
        await child.exited;
        expect(await store().get("killed/ü + file")).toBeUndefined();
        expect(await Array.fromAsync(findUnfinished(store()))).toEqual([]);
        const found = await Array.fromAsync(findUnfinished(store(), -HOUR_MS));
        expect(found.map(({ key }) => key)).toEqual(["killed/ü + file"]);
        for (const one of [...found, ...found]) await store().unfinished?.end(one);
        expect(await Array.fromAsync(store().unfinished?.list() ?? [])).toEqual([]);
      },
      TIMEOUT_MS,
    );

    test(
      "a signed address answers with the given headers and ranges, to nothing else, and for its time",
      async () => {
        await store().put("signed/a b+ü.txt", new Blob(["<script>0123456789"]));
        const addressOf = async (more: Partial<S3Options>) => {
          const file = await store(more).get("signed/a b+ü.txt");
          const disposition = `attachment; filename="u.txt"; filename*=UTF-8''%C3%BC.txt`;
          return (await file?.signedAddress?.({ type: "text/plain; charset=utf-8", disposition })) ?? "";
        };
        expect(await addressOf({})).toBe("");
        const address = await addressOf({ signed: { seconds: 60 } });
        const answer = await fetch(address, { headers: { range: "bytes=8-11" } });
        expect([answer.status, await answer.text()]).toEqual([206, "0123"]);
        expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
        expect(answer.headers.get("content-disposition")).toEndWith("filename*=UTF-8''%C3%BC.txt");
        expect(answer.headers.get("cache-control")).toBe("private, no-cache");
        for (const changed of [address.replace("text%2Fplain", "text%2Fhtml"), address.replace("signed/", "suite/")])
          expect((await fetch(changed)).status).toBe(403);
        const brief = await addressOf({ signed: { seconds: 1 } });
        expect(
          await until(
            async () => (await fetch(brief)).status,
            (status) => status !== 200,
          ),
        ).toBe(403);
        await store().remove("signed/a b+ü.txt");
      },
      TIMEOUT_MS,
    );

    test(
      "the program moves files there and back, backs up and restores, redirects downloads, and finds what is wrong",
      async () => {
        const folders = [dataFolder(), dataFolder()] as const;
        const [{ path: folder }, { path: restored }] = folders;
        const bucket = {
          FILES_S3_BUCKET: service.bucket,
          FILES_S3_ENDPOINT: service.endpoint,
          FILES_S3_KEY: service.accessKeyId,
          FILES_S3_SECRET: service.secretAccessKey,
        };
        const env = { DATA_DIR: folder, LOG_LEVEL: "warn", ...bucket };
        const server = await startProgram(folder, { ...bucket, FILES_STORE: "disk" });
        const book = (await server.ask("POST", "/api/books", { name: "Runbooks" })).body.id;
        const { body: page } = await server.ask("POST", "/api/pages", {
          book_id: book,
          name: "Call",
          html: "<p>1</p>",
        });
        const form = new FormData();
        form.set("name", "Plan ü");
        form.set("uploaded_to", String(page.id));
        form.set("file", new File([large()], "plan.txt"));
        const headers = { authorization: server.authorization };
        const sent = await fetch(`http://127.0.0.1:${server.port}/api/attachments`, {
          method: "POST",
          headers,
          body: form,
        });
        const { id } = (await sent.json()) as { id: number };
        server.signal("SIGTERM");
        await server.ended;

        const moved = await command(["move-files", "--to", "s3"], { ...env, FILES_STORE: "disk" });
        expect([moved.code, moved.err]).toEqual([0, ""]);
        rmSync(join(folder, "files"), { recursive: true });
        const onS3 = { ...env, FILES_STORE: "s3" };
        const place = "s3://backups/daily/one.tar.zst";
        const backup = await command(["backup", place], onS3);
        expect([backup.code, backup.err]).toEqual([0, ""]);
        expect((await command(["backup", "--verify", place], onS3)).code).toBe(0);
        const restore = await command(["restore", place], { ...env, DATA_DIR: restored, FILES_STORE: "disk" });
        expect([restore.code, restore.err]).toEqual([0, ""]);
        expect((await command(["doctor"], onS3)).out).not.toContain("core/unfinished_uploads");

        const again = await startProgram(folder, {
          ...onS3,
          LOG_LEVEL: "debug",
          FILES_S3_SIGNED_DOWNLOADS_SECONDS: "60",
        });
        const file = `http://127.0.0.1:${again.port}/attachments/${id}?open=true`;
        const answer = await fetch(file, { headers, redirect: "manual" });
        const location = answer.headers.get("location") ?? "";
        expect([answer.status, answer.headers.get("cache-control")]).toEqual([302, "private, no-store"]);
        const content = await fetch(location);
        expect(content.headers.get("content-type")).toBe("text/plain; charset=utf-8");
        expect(content.headers.get("content-disposition")).toStartWith("inline;");
        expect(await digest(await content.bytes())).toBe(await digest(large()));
        const stranger = await fetch(file, { redirect: "manual" });
        expect([stranger.status, stranger.headers.get("location")]).not.toEqual([302, location]);
        again.signal("SIGTERM");
        await again.ended;
        expect(again.output()).not.toContain("X-Amz-Signature");

        expect((await command(["move-files", "--to", "disk"], onS3)).code).toBe(0);
        const stored = [...new Bun.Glob("files/attachments/**/*").scanSync({ cwd: folder, absolute: true })];
        expect(await Promise.all(stored.map((path) => digest(Bun.file(path))))).toEqual([await digest(large())]);
        for (const { remove } of folders) remove();
      },
      TIMEOUT_MS,
    );
  });
}
