// Looking at pages: a picture of each in both schemes, and what axe says of it.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { newPage } from './browser.mjs';

const SHOTS = fileURLToPath(new URL('../../../target/screenshots/', import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Pages that are photographed from top to bottom. */
const WHOLE = new Set(['fleet']);

/** Impacts that count: all but `minor`. */
const COUNTS = ['moderate', 'serious', 'critical'];

/** Issues of the page as it stands. */
async function issues(page) {
  // Not as a script tag: the page's own policy would refuse it.
  await page.evaluate(AXE);
  return page.evaluate(async (counts) => (await globalThis.axe.run(document, { resultTypes: ['violations'] })).violations
    .filter((one) => counts.includes(one.impact))
    .map((one) => `${one.id} (${one.impact}): ${one.nodes.slice(0, 3).map((node) => node.target.join(' ')).join(' | ')}`), COUNTS);
}

async function look(browser, scheme, all) {
  const { page, context, errors } = await newPage(browser, { scheme });
  const found = [];
  for (const [name, [url, ready, width = 1440, height = 900, open]] of Object.entries(all)) {
    await page.setViewportSize({ width, height });
    // An address with a fragment that is open already would not be loaded again.
    await page.goto('about:blank');
    await page.goto(url);
    await page.locator(ready).first().waitFor();
    await page.locator('[data-testid=live-chip]').waitFor();
    await open?.(page);
    await page.screenshot({ path: `${SHOTS}${name}-${scheme}.png`, fullPage: WHOLE.has(name) });
    found.push(...(await issues(page)).map((issue) => `${name} (${scheme}): ${issue}`));
  }
  await context.close();
  return [...found, ...errors];
}

/** Photograph all, by name; none has an issue that counts. */
export async function looked(browser, all) {
  mkdirSync(SHOTS, { recursive: true });
  const found = await Promise.all(['light', 'dark'].map((scheme) => look(browser, scheme, all)));
  assert.deepEqual(found.flat(), []);
}
