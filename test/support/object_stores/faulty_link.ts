/** A TCP link to a service that can be slow, silent, or cut in the middle of what passes. */
import { connect, createServer, type Socket } from "node:net";

/** What happens to connections that are opened from now on. */
export type Fault =
  | { readonly kind: "none" }
  /** The connection ends after so many bytes from the service. */
  | { readonly kind: "cut_answer"; readonly bytes: number }
  /** The connection ends after so many bytes to the service. */
  | { readonly kind: "cut_request"; readonly bytes: number }
  /** Nothing passes. */
  | { readonly kind: "silent" };

/** A link that listens on the loopback address. */
export interface FaultyLink {
  readonly endpoint: string;
  /** The next `times` connections get the fault; those after them none. */
  next(fault: Fault, times?: number): void;
  stop(): void;
}

/** Opens a link to the service at an address such as "http://127.0.0.1:8080". */
export async function faultyLink(endpoint: string): Promise<FaultyLink> {
  const { hostname, port } = new URL(endpoint);
  const open = new Set<Socket>();
  let planned: Fault[] = [];
  const server = createServer((client) => {
    const fault = planned.shift() ?? { kind: "none" };
    open.add(client);
    client.on("error", () => client.destroy()).on("close", () => open.delete(client));
    if (fault.kind === "silent") return void client.resume();
    const service = connect(Number(port), hostname);
    service.on("error", () => client.destroy()).on("close", () => client.destroy());
    client.on("close", () => service.destroy());
    pass(client, service, fault.kind === "cut_request" ? fault.bytes : Number.POSITIVE_INFINITY);
    pass(service, client, fault.kind === "cut_answer" ? fault.bytes : Number.POSITIVE_INFINITY);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address() as { port: number };
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    next(fault, times = 1) {
      planned = Array.from({ length: times }, () => fault);
      // Clients reuse connections, which would have no fault.
      for (const socket of open) socket.destroy();
    },
    stop() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

function pass(from: Socket, to: Socket, limit: number): void {
  let passed = 0;
  from.on("data", (chunk: Buffer) => {
    passed += chunk.length;
    if (passed > limit) return from.destroy();
    if (!to.write(chunk)) from.pause();
  });
  to.on("drain", () => from.resume());
}
