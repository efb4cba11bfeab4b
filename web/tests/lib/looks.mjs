// Visual and accessibility checks: a screenshot of each page in both colour schemes, and the issues that axe finds.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { newPage } from './browser.mjs';

const SHOTS = fileURLToPath(new URL('../../../target/screenshots/', import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Pages with a screenshot of their full height. */
const WHOLE = new Set(['fleet']);

/** Impacts that count: all. */
const COUNTS = ['minor', 'moderate', 'serious', 'critical'];

/** Rules of axe by scheme: all rules for the first, only those about colours for the second. */
const RULES = {
  light: { rules: { 'target-size': { enabled: true } } },
  dark: { runOnly: ['color-contrast', 'link-in-text-block'] },
};

/** Returns the issues of the page in its current state. */
async function issues(page, scheme) {
  return page.evaluate(
    async ({ counts, rules }) => {
      // axe measures only the visible part of a target, so one that is half below the header seems too small.
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

/** Goes to an address like a link. If it belongs to another app, loads the page. */
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
  // Go through a page that shares nothing with it, because the awaited element must not be there already.
  await to(`${dashboard}between`);
  await page.getByText('Page not found').first().waitFor();
  await to(url);
}

/** Loads a page, even if its address is already open with another fragment. */
async function load(page, url) {
  await page.goto('about:blank');
  await page.goto(url);
}

/** Opens a page, and checks it in both colour schemes; returns its issues. */
async function look(page, go, name, [url, ready, width = 1440, height = 900, open]) {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: 'light' });
  await go(page, url);
  await page.locator(ready).first().waitFor();
  await page.locator('[data-testid=live-chip]').waitFor();
  await open?.(page);
  // Not as a script tag, because the page's content security policy would block it.
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

/** Checks pages one after another, in a separate tab. */
async function every(browser, go, pages) {
  const { page, context, errors } = await newPage(browser);
  const found = [];
  for (const [name, one] of pages) found.push(...(await look(page, go, name, one)));
  await context.close();
  return [...found, ...errors];
}

/**
 * Takes screenshots of all pages, by name, and checks that none has an issue that counts.
 *
 * @param {{ byLinks?: boolean }} options whether to follow links from one page to the next, which is faster. Use it
 * only if no page leaves something open and no sign-in is needed
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
