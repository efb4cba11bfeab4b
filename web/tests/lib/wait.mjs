// Ports, and conditions that tests wait for.
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports below the ephemeral range, which starts at 32768 on Linux, so that the system does not assign them. */
const [FIRST, LAST] = [20_000, 32_000];
/** Test files run in parallel, so each one starts its search at a different port. */
let next = FIRST + ((process.pid * 32) % (LAST - FIRST));

async function isFree(port) {
  const server = createServer().listen(port, '127.0.0.1');
  const is = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (is) await once(server.close(), 'close');
  return is;
}

/** Returns a port on which nothing listens, and which no one else gets before the caller opens it. */
export async function freePort() {
  for (;;) {
    const port = next;
    next = next + 1 < LAST ? next + 1 : FIRST;
    if (await isFree(port)) return port;
  }
}

/** Repeats `check` until it returns a value; fails with `what` after 30 s. */
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
