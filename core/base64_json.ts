/** Base64 goes three bytes at a time. */
const GROUP = 3;

/**
 * A JSON answer whose last field is the base64 of a file, made while it is sent: a file of any size costs the memory of
 * a few chunks. `field` must not be among `fields`.
 */
export function jsonWithFile(
  fields: Readonly<Record<string, unknown>>,
  field: string,
  content: ReadableStream<Uint8Array>,
): Response {
  const parts = pieces(fields, field, content);
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(Buffer.from(value, "latin1"));
      },
      async cancel() {
        await parts.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { "content-type": "application/json" } });
}

async function* pieces(
  fields: Readonly<Record<string, unknown>>,
  field: string,
  content: ReadableStream<Uint8Array>,
): AsyncGenerator<string> {
  const frame = Buffer.from(JSON.stringify({ ...fields, [field]: "" })).toString("latin1");
  yield frame.slice(0, -2);
  let rest = Buffer.alloc(0);
  for await (const chunk of content) {
    const bytes = Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % GROUP);
    rest = bytes.subarray(whole);
    if (whole > 0) yield bytes.toString("base64", 0, whole);
  }
  yield `${rest.toString("base64")}"}`;
}
