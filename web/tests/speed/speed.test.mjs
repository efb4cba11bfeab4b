// Response times of the web apps. These tests must run alone, because other work on the machine would be measured too.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { newPage } from '../lib/browser.mjs';
import { setting } from '../lib/setting.mjs';

const own = setting();
const seed = (name) => own.fleet.query(readFileSync(new URL(`../seed/${name}.sql`, import.meta.url), 'utf8'));

test('a session of 2,000 interactions is there at once, all of it', async (told) => {
  const { rows } = await seed('long-session');
  const path = `/sessions/${rows[0].session_id}`;
  const { page, context, errors } = await newPage(own.browser);
  const took = [];
  const whole = [];
  const calls = [];
  for (let run = 0; run < 5; run += 1) {
    // Like following a link in a chat: a new document, with scripts from the browser's cache.
    await page.goto('about:blank');
    const begin = performance.now();
    await page.goto(own.fleet.dashboard(path), { waitUntil: 'commit' });
    await page.getByTestId('answer').getByText('Root cause').waitFor();
    await page.locator('[data-kind=answer]').first().waitFor();
    took.push(Math.round(performance.now() - begin));
    await page.waitForFunction(() => globalThis.document.querySelector('[data-testid=unread]') === null);
    whole.push(Math.round(performance.now() - begin));
    calls.push(
      await page.evaluate(() =>
        globalThis.performance
          .getEntriesByType('resource')
          .filter((one) => one.name.includes('/history/sessions/'))
          .map((one) => ({
            from: Math.round(one.requestStart),
            to: Math.round(one.responseEnd),
            sent: one.transferSize,
            size: one.decodedBodySize,
          })),
      ),
    );
  }
  const sum = (name) => calls.at(-1).reduce((all, one) => all + one[name], 0);
  told.diagnostic(
    `2,000 interactions: opened in ${took.join(', ')} ms, the whole record there after ${whole.join(', ')} ms; ${(sum('size') / 1e6).toFixed(1)} MB sent as ${(sum('sent') / 1e6).toFixed(2)} MB; requests ${calls
      .at(-1)
      .map((one) => `${one.from}-${one.to}`)
      .join(', ')} ms`,
  );
  const [first, second] = calls
    .at(-1)
    .map((one) => one.size)
    .sort((a, b) => a - b);
  assert.ok(first + second < 500_000, `${first} and ${second} bytes stand before the first screen`);
  assert.ok(sum('sent') < sum('size') / 4, 'answers are compressed');
  // Open the last record by its link. It arrives with the last part.
  const record = await own.fleet.query(
    `select interaction_id as id from mcp_interactions where session_id = '${rows[0].session_id}' order by timestamp_us desc limit 1`,
  );
  await page.goto(own.fleet.dashboard(`${path}?event=${record.rows[0].id}`));
  await page.locator(`[id="event-${record.rows[0].id}"]`).getByText('line 499 of the log').first().waitFor();
  await page.goto(own.fleet.dashboard(`${path}?find=pod-499`));
  await page
    .getByTestId('hits')
    .filter({ hasText: /^1 of 4$/ })
    .waitFor();
  await page.goto(own.fleet.dashboard(`${path}?tab=waterfall`));
  await page.getByTestId('waterfall').getByRole('button').first().waitFor();
  assert.ok((await page.getByTestId('waterfall').getByRole('button').count()) < 200, 'only what is in view exists');
  assert.deepEqual(errors, []);
  await context.close();
});

/**
 * Runs in the page. Scrolls like a person who looks for something: 120 pixels per frame, in leaps from top to bottom.
 */
async function scrolled(selector) {
  const scroller = globalThis.document.querySelector(selector);
  const frame = () =>
    new Promise((resolve) => {
      globalThis.requestAnimationFrame(resolve);
    });
  const gaps = [];
  // Number of lines that were added to the document or moved in it.
  let placed = 0;
  const watch = new globalThis.MutationObserver((changes) => {
    for (const change of changes) if (change.target === scroller.lastElementChild) placed += change.addedNodes.length;
  });
  watch.observe(scroller, { childList: true, subtree: true });
  for (let leap = 0; leap < 8; leap += 1) {
    scroller.scrollTop = (leap / 8) * scroller.scrollHeight;
    await frame();
    await frame();
    let last = globalThis.performance.now();
    for (let step = 0; step < 60; step += 1) {
      scroller.scrollTop += 120;
      await frame();
      const now = globalThis.performance.now();
      gaps.push(now - last);
      last = now;
    }
  }
  watch.disconnect();
  return {
    gaps,
    placed,
    height: scroller.scrollHeight,
    background: globalThis.getComputedStyle(scroller).backgroundColor,
  };
}

/**
 * Runs in the page. Returns the index of the first row, once the rows are in document order and the first one is not
 * `before`.
 */
function inOrder(before) {
  const seen = [...globalThis.document.querySelectorAll('[data-testid=session-row]')].map((row) =>
    Number(row.getAttribute('aria-rowindex')),
  );
  return seen[0] !== before && seen.every((row, at) => at === 0 || row === seen[at - 1] + 1) && seen[0];
}

function figures(gaps) {
  const sorted = gaps.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.floor(sorted.length * share)].toFixed(1);
  return `${gaps.length} frames, median ${at(0.5)} ms, 99 % within ${at(0.99)} ms, longest ${at(0.9999)} ms, ${gaps.filter((gap) => gap > 25).length} late`;
}

/** A page with only 10,000 plain lines, which shows the limit of this machine's browser. */
const PLAIN = `<!doctype html><style>body{margin:0;font:13px sans-serif}main{height:100vh;overflow:auto;contain:strict;background:#fff}div{height:64px;box-sizing:border-box;border-bottom:1px solid #ddd;padding:8px}</style>
<main>${Array.from({ length: 10_000 }, (_, n) => `<div>row ${n} of ten thousand, a line of plain text</div>`).join('')}</main>`;

test('a history of 10,000 rows scrolls to its end', async (told) => {
  const plain = await newPage(own.browser);
  await plain.page.setContent(PLAIN);
  told.diagnostic(
    `10,000 plain lines, the machine's own limit: ${figures((await plain.page.evaluate(scrolled, 'main')).gaps)}`,
  );
  await plain.context.close();
  await seed('history');
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/sessions?range=all'));
  await page.getByTestId('session-row').first().waitFor();
  // Scroll through everything first. Each page of rows is fetched on the way.
  await page.waitForFunction(
    (rows) => {
      const scroller = globalThis.document.querySelector('[data-testid=session-rows]');
      scroller.scrollTop = scroller.scrollHeight;
      return scroller.getAttribute('aria-rowcount') === String(rows + 1);
    },
    10_000,
    { polling: 'raf', timeout: 80_000 },
  );
  const list = await page.evaluate(scrolled, '[data-testid=session-rows]');
  told.diagnostic(`10,000 rows: ${figures(list.gaps)}`);
  assert.ok((await page.getByTestId('session-row').count()) < 120, 'only rows in view exist');
  assert.equal(
    list.placed,
    0,
    'a row that leaves is filled anew where it stands: none is made or moved while one scrolls',
  );
  assert.match(list.background, /^rgb\(/, 'opaque, lest all of it be drawn again with each step');
  // After scrolling, Tab visits the rows in visible order, and the focus stays where it was.
  const first = await (await page.waitForFunction(inOrder, 0)).jsonValue();
  await page.getByTestId('session-row').nth(14).getByRole('link').focus();
  const link = await page.evaluate(() => globalThis.document.activeElement.href);
  await page.evaluate(() => {
    globalThis.document.querySelector('[data-testid=session-rows]').scrollTop -= 5 * 64;
  });
  await page.waitForFunction(inOrder, first);
  assert.equal(await page.evaluate(() => globalThis.document.activeElement.href), link);
  // A row that leaves the view is reused for another session. The focus must not move with it.
  await page.getByTestId('session-row').first().getByRole('link').focus();
  await page.evaluate(() => {
    globalThis.document.querySelector('[data-testid=session-rows]').scrollTop = 0;
  });
  await page.waitForFunction(() => globalThis.document.activeElement?.getAttribute('data-testid') === 'session-rows');
  assert.ok(list.height > 9_900 * 30, `scrolled over ${list.height} px`);
  assert.deepEqual(errors, []);
  await context.close();
});
