// Ports, and conditions that tests wait for.
import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port that nothing listens on. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Ask again until `check` answers something; fails with `what` after 30 s. */
export async function until(what, check) {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const found = await check().catch(() => undefined);
    if (found !== undefined && found !== null && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`not within 30 s: ${what}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
}
