// Ports, and conditions that tests wait for.
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports that the system gives to nobody by itself: Linux begins at 32768. */
const [FIRST, LAST] = [20_000, 32_000];
/** Files of tests run side by side: each looks from another place on. */
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

/** A port that nothing listens on, and that nobody gets before who asked has opened it. */
export async function freePort() {
  for (;;) {
    const port = next;
    next = next + 1 < LAST ? next + 1 : FIRST;
    if (await isFree(port)) return port;
  }
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
