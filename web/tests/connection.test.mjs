// The connection chip, when a connection dies silently.
import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { live, setting } from './lib/setting.mjs';

const own = setting();

/** A proxy in front of the API that can stop forwarding, like a network that drops packets. */
class Wire {
  sockets = new Set();
  isFrozen = false;

  static async before(api) {
    const wire = new Wire();
    const { hostname, port } = new URL(api);
    wire.server = createServer((near) => {
      const far = connect(Number(port), hostname);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ]) {
        wire.sockets.add(from);
        from.pipe(to);
        from.on('error', () => {
          to.destroy();
        });
        from.on('close', () => {
          wire.sockets.delete(from);
          to.destroy();
        });
        if (wire.isFrozen) from.pause();
      }
    });
    wire.server.listen(0, '127.0.0.1');
    await once(wire.server, 'listening');
    wire.url = `http://127.0.0.1:${String(wire.server.address().port)}`;
    after(() => {
      wire.sockets.forEach((socket) => {
        socket.destroy();
      });
      wire.server.close();
    });
    return wire;
  }

  freeze() {
    this.isFrozen = true;
    this.sockets.forEach((socket) => {
      socket.pause();
    });
  }
  thaw() {
    this.isFrozen = false;
    this.sockets.forEach((socket) => {
      socket.resume();
    });
  }
}

const chip = (page, text) => page.locator('[data-testid=live-chip]', { hasText: text }).waitFor();

test('a line that falls silent is not called live, on any page, until data comes again', async () => {
  const wire = await Wire.before(own.fleet.api);
  for (const path of ['/sessions', '/fleet', '/usage']) {
    const { page, context } = await newPage(own.browser);
    await page.goto(own.fleet.dashboard(path).replace(own.fleet.api, wire.url));
    await live(page);
    wire.freeze();
    await chip(page, /as of \d\d:\d\d:\d\d/);
    wire.thaw();
    await live(page);
    await context.close();
  }
});

test('a browser that goes offline says so at once', async () => {
  const { page, context } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/sessions'));
  await live(page);
  await page.evaluate(() => {
    const text = () => globalThis.document.querySelector('[data-testid=live-chip]').textContent;
    globalThis.said = [];
    new globalThis.MutationObserver(() => {
      globalThis.said.push(text());
    }).observe(globalThis.document.body, { subtree: true, childList: true, characterData: true });
  });
  await context.setOffline(true);
  await chip(page, /reconnecting, as of/);
  // The chip changed without waiting for the silence timeout.
  assert.deepEqual(
    (await page.evaluate(() => globalThis.said)).filter((text) => text.startsWith('as of')),
    [],
  );
  await context.setOffline(false);
  await live(page);
  await context.close();
});
