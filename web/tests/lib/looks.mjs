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

/** Impacts that count: all. */
const COUNTS = ['minor', 'moderate', 'serious', 'critical'];

/** What axe looks for by scheme: all, and what depends on colours. */
const RULES = {
  light: { rules: { 'target-size': { enabled: true } } },
  dark: { runOnly: ['color-contrast', 'link-in-text-block'] },
};

/** Issues of the page as it stands. */
async function issues(page, scheme) {
  return page.evaluate(
    async ({ counts, rules }) => {
      // axe measures what is in view of a target: one half below the header is as large as it is.
      const isSmall = (node) => {
        const { width, height } = globalThis.document.querySelector(node.target.at(-1)).getBoundingClientRect();
        return Math.min(width, height) < 24;
      };
      const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'], ...rules });
      return violations
        .filter((one) => counts.includes(one.impact))
        .map(({ nodes, ...one }) => ({ ...one, nodes: one.id === 'target-size' ? nodes.filter(isSmall) : nodes }))
        .filter((one) => one.nodes.length > 0)
        .map(
          (one) =>
            `${one.id} (${one.impact}): ${one.nodes
              .slice(0, 3)
              .map((node) => `${node.target.join(' ')} ${node.html.slice(0, 80)}`)
              .join(' | ')}`,
        );
    },
    { counts: COUNTS, rules: RULES[scheme] },
  );
}

/** Goes to an address as a link would; where that leads to another app, by loading it. */
async function follow(page, url) {
  const dashboard = new URL('/dashboard/', url).href;
  if (!page.url().startsWith(dashboard) || !url.startsWith(dashboard)) {
    await page.goto(url);
    return;
  }
  const to = (place) =>
    page.evaluate((address) => {
      globalThis.history.pushState(null, '', address);
      globalThis.dispatchEvent(new globalThis.PopStateEvent('popstate'));
    }, place);
  // By way of a page that shares nothing with it: what is waited for must not be there already.
  await to(`${dashboard}between`);
  await page.getByText('Page not found').first().waitFor();
  await to(url);
}

/** Loads a page, also one whose address is open already but for its fragment. */
async function load(page, url) {
  await page.goto('about:blank');
  await page.goto(url);
}

/** Opens a page and looks at it in both schemes; its issues. */
async function look(page, go, name, [url, ready, width = 1440, height = 900, open]) {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: 'light' });
  await go(page, url);
  await page.locator(ready).first().waitFor();
  await page.locator('[data-testid=live-chip]').waitFor();
  await open?.(page);
  // Not as a script tag: the page's own policy would refuse it.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  const found = [];
  for (const scheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.locator(`html[data-scheme=${scheme}]`).waitFor({ state: 'attached' });
    await page.screenshot({ path: `${SHOTS}${name}-${scheme}.png`, fullPage: WHOLE.has(name) });
    found.push(...(await issues(page, scheme)).map((issue) => `${name} (${scheme}): ${issue}`));
  }
  return found;
}

/** Pages one after another, in a tab of their own. */
async function every(browser, go, pages) {
  const { page, context, errors } = await newPage(browser);
  const found = [];
  for (const [name, one] of pages) found.push(...(await look(page, go, name, one)));
  await context.close();
  return [...found, ...errors];
}

/**
 * Photograph all, by name; none has an issue that counts.
 *
 * @param {{ byLinks?: boolean }} options whether it follows links from one page to the next, which is faster: only where no page leaves something open and nobody has to sign in
 */
export async function looked(browser, all, { byLinks = false } = {}) {
  mkdirSync(SHOTS, { recursive: true });
  const pages = Object.entries(all);
  const found = await Promise.all(
    [0, 1].map((half) =>
      every(
        browser,
        byLinks ? follow : load,
        pages.filter((_, at) => at % 2 === half),
      ),
    ),
  );
  assert.deepEqual(found.flat(), []);
}
