// How long a person waits. Run alone: other work on the machine would be measured too.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { newPage } from '../lib/browser.mjs';
import { setting } from '../lib/setting.mjs';

const own = setting();
const seed = (name) => own.fleet.query(readFileSync(new URL(`../seed/${name}.sql`, import.meta.url), 'utf8'));
const middle = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

test('a session of 2,000 interactions is there at once, all of it', async (told) => {
  const { rows } = await seed('long-session');
  const path = `/sessions/${rows[0].session_id}`;
  const { page, context, errors } = await newPage(own.browser);
  const took = [];
  const whole = [];
  const calls = [];
  for (let run = 0; run < 5; run += 1) {
    // As from a link in a chat: a new document, the scripts from the browser's cache.
    await page.goto('about:blank');
    const begin = performance.now();
    await page.goto(own.fleet.dashboard(path), { waitUntil: 'commit' });
    await page.getByTestId('answer').getByText('Root cause').waitFor();
    await page.locator('[data-kind=answer]').first().waitFor();
    took.push(Math.round(performance.now() - begin));
    await page.waitForFunction(() => globalThis.document.querySelector('[data-testid=unread]') === null);
    whole.push(Math.round(performance.now() - begin));
    calls.push(await page.evaluate(() => globalThis.performance.getEntriesByType('resource').filter((one) => one.name.includes('/history/sessions/'))
      .map((one) => ({ from: Math.round(one.requestStart), to: Math.round(one.responseEnd), sent: one.transferSize, size: one.decodedBodySize }))));
  }
  const sum = (name) => calls.at(-1).reduce((all, one) => all + one[name], 0);
  told.diagnostic(`2,000 interactions: opened in ${took.join(', ')} ms, the whole record there after ${whole.join(', ')} ms; ${(sum('size') / 1e6).toFixed(1)} MB sent as ${(sum('sent') / 1e6).toFixed(2)} MB; requests ${calls.at(-1).map((one) => `${one.from}-${one.to}`).join(', ')} ms`);
  const [first, second] = calls.at(-1).map((one) => one.size).sort((a, b) => a - b);
  assert.ok(first + second < 500_000, `${first} and ${second} bytes stand before the first screen`);
  assert.ok(sum('sent') < sum('size') / 4, 'answers are compressed');
  // The last of all, by its link: it comes with the last part.
  const record = await own.fleet.query(`select interaction_id as id from mcp_interactions where session_id = '${rows[0].session_id}' order by timestamp_us desc limit 1`);
  await page.goto(own.fleet.dashboard(`${path}?event=${record.rows[0].id}`));
  await page.locator(`[id="event-${record.rows[0].id}"]`).getByText('line 499 of the log').first().waitFor();
  await page.goto(own.fleet.dashboard(`${path}?find=pod-499`));
  await page.getByTestId('hits').filter({ hasText: /^1 of 4$/ }).waitFor();
  await page.goto(own.fleet.dashboard(`${path}?tab=waterfall`));
  await page.getByTestId('waterfall').getByRole('button').first().waitFor();
  assert.ok(await page.getByTestId('waterfall').getByRole('button').count() < 200, 'only what is in view exists');
  assert.deepEqual(errors, []);
  await context.close();
});

test('a history of 10,000 rows scrolls to its end', async (told) => {
  await seed('history');
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/sessions?range=all'));
  await page.getByTestId('session-row').first().waitFor();
  // All of it first; each page of rows is fetched on the way.
  await page.waitForFunction((rows) => {
    const scroller = globalThis.document.querySelector('[data-testid=session-rows]');
    scroller.scrollTop = scroller.scrollHeight;
    return scroller.getAttribute('aria-rowcount') === String(rows + 1);
  }, 10_000, { polling: 'raf', timeout: 80_000 });
  // Then as one scrolls who looks for something: 120 pixels a frame, from top to bottom in leaps.
  const frames = await page.evaluate(async () => {
    const scroller = globalThis.document.querySelector('[data-testid=session-rows]');
    const frame = () => new Promise((resolve) => { globalThis.requestAnimationFrame(resolve); });
    const gaps = [];
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
    return { gaps, height: scroller.scrollHeight };
  });
  const sorted = frames.gaps.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.floor(sorted.length * share)].toFixed(1);
  const dropped = frames.gaps.filter((gap) => gap > 25).length;
  told.diagnostic(`10,000 rows: ${sorted.length} frames, median ${middle(frames.gaps).toFixed(1)} ms, 99 % within ${at(0.99)} ms, ${dropped} late`);
  assert.ok(await page.getByTestId('session-row').count() < 120, 'only rows in view exist');
  assert.ok(frames.height > 9_900 * 30, `scrolled over ${frames.height} px`);
  assert.deepEqual(errors, []);
  await context.close();
});
