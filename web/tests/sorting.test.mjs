// Sorting of the list, and the number of sessions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { press } from './lib/keyboard.mjs';
import { looked } from './lib/looks.mjs';
import { live, setting } from './lib/setting.mjs';

const own = setting();

/**
 * Creates ended sessions. The n-th started n minutes ago. Older ones took longer and cost more. Every fifth one has no
 * known price.
 */
const came = (many) =>
  own.fleet.query(`
  -- They count as tallied: nobody sums them up anew.
  update session_tallies_cursor set completed_at_us = now_us();
  with made as (
    insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, fingerprint, status, outcome,
        started_at_us, completed_at_us, final_analysis, chain_id, chain_definition)
    select gen_random_uuid(), gen_random_uuid(), 'Sorted-' || n, '{"namespace": "shop"}', (array['critical', 'warning', 'info', 'P1'])[1 + n % 4], now_us(), 'api', 'sorted' || n, 'completed', 'completed',
        now_us() - n * 60000000::bigint, now_us() - n * 60000000::bigint + n * 1000, 'It was DNS', 'seeded', '{"chain_id": "seeded", "stages": [{"name": "collect", "agent": "Quick"}]}'
    from generate_series(1, ${many}) as n returning session_id, completed_at_us, started_at_us)
  insert into session_tallies (session_id, completed_at_us, completed_stages, failed_stages, llm_calls, mcp_calls, cost_usd)
  select session_id, completed_at_us, 1, 0, 1, 1, case when (completed_at_us - started_at_us) / 1000 % 5 > 0 then (completed_at_us - started_at_us)::float8 / 100000 end from made`);

const names = (page) => page.getByTestId('session-row').locator('.name').allTextContents();
const header = (page, name) => page.getByRole('columnheader', { name: new RegExp(`^${name}`) });
const until = (page, name) =>
  page.locator('[data-testid=session-row][aria-rowindex="2"]').getByText(name, { exact: true }).waitFor();

test('columns sort, the address keeps it, and every session comes once', async () => {
  await came(230);
  const { page, context, errors } = await newPage(own.browser, { height: 700 });
  await page.goto(own.fleet.dashboard('/sessions'));
  await live(page);
  await until(page, 'Sorted-1');
  await header(page, 'Cost').getByRole('button').click();
  await page.waitForURL(/sort=cost$/);
  await until(page, 'Sorted-229');
  assert.equal(await header(page, 'Cost').getAttribute('aria-sort'), 'descending');
  await header(page, 'Cost').getByRole('button').click();
  await page.waitForURL(/sort=cost&order=asc$/);
  await until(page, 'Sorted-1');
  await page.reload();
  await until(page, 'Sorted-1');
  assert.deepEqual((await names(page)).slice(0, 4), ['Sorted-1', 'Sorted-2', 'Sorted-3', 'Sorted-4']);
  // Page by page to the end: sessions without a price come last, and none appears twice.
  const seen = new Set();
  await page.waitForFunction(
    () => {
      const scroller = globalThis.document.querySelector('[data-testid=session-rows]');
      scroller.scrollTop = scroller.scrollHeight;
      return scroller.querySelector('[data-testid=session-row][aria-rowindex="231"]');
    },
    null,
    { polling: 'raf' },
  );
  for (const name of await names(page)) {
    assert.ok(!seen.has(name));
    seen.add(name);
  }
  assert.ok(
    [...seen].slice(-5).every((name) => Number(name.split('-')[1]) % 5 === 0),
    'without a price',
  );
  // A third press restores the default order, newest first.
  await header(page, 'Cost').getByRole('button').click();
  await page.waitForURL(/\/sessions$/);
  await until(page, 'Sorted-1');
  await header(page, 'Duration').getByRole('button').click();
  await until(page, 'Sorted-230');
  await header(page, 'Severity').getByRole('button').click();
  await page.waitForURL(/sort=severity$/);
  // P1 and critical have the same severity, so the newest of both come first.
  await until(page, 'Sorted-3');
  assert.deepEqual((await names(page)).slice(0, 3), ['Sorted-3', 'Sorted-4', 'Sorted-7']);
  // A new session is inserted in order.
  const id = await own.fleet.submit('sorted in', 'IsQuick', 'critical');
  await page.locator(`[data-testid=session-row][data-id="${id}"]`).getByText('completed').waitFor();
  assert.equal(await page.locator(`[data-testid=session-row][data-id="${id}"]`).getAttribute('aria-rowindex'), '2');
  assert.deepEqual(errors, []);
  await context.close();
});

test('by keyboard, and by a column that is hidden otherwise', async () => {
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/sessions'));
  await page.getByTestId('session-row').first().waitFor();
  await press(page, page.getByRole('button', { name: 'Columns' }));
  await page.getByRole('menuitemradio', { name: 'Sort by ended' }).press('Enter');
  await page.waitForURL(/sort=ended$/);
  await page.keyboard.press('Escape');
  await header(page, 'Ended').waitFor();
  await press(page, header(page, 'Duration').getByRole('button'));
  await page.waitForURL(/sort=duration$/);
  await header(page, 'Ended').waitFor({ state: 'detached' });
  assert.deepEqual(errors, []);
  await context.close();
});

test('header, facet and bulk actions say the same number, exact beyond ten thousand', async () => {
  await own.fleet
    .query(`insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, fingerprint, status, outcome,
      started_at_us, completed_at_us, final_analysis, chain_id, chain_definition)
    select gen_random_uuid(), gen_random_uuid(), 'Many', '{}', 'low', now_us(), 'api', 'many' || n, 'completed', 'completed', now_us() - n * 60000000::bigint - 90000000, now_us() - n * 60000000::bigint, 'It was DNS', 'seeded', '{"stages": []}'
    from generate_series(1, 12345) as n`);
  await own.fleet.query('vacuum analyze alert_sessions');
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/sessions?alert_type=Many'));
  await page.getByTestId('total').getByText('12,345 sessions', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Many 12,345' }).waitFor();
  await page
    .getByRole('checkbox', { name: /^Select session/ })
    .first()
    .check();
  await page.getByRole('button', { name: 'Select all 12,345 matching' }).click();
  await page.getByText('All 12,345 matching sessions').waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('a sorted list looks well', async () => {
  const row = '[data-testid=session-row]';
  const menu = async (page) => {
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemradio').first().waitFor();
  };
  await looked(own.browser, {
    'sessions-by-cost': [own.fleet.dashboard('/sessions?sort=cost'), row],
    'sessions-by-end': [own.fleet.dashboard('/sessions?sort=ended&order=asc&status=completed'), row],
    'menu-sort': [own.fleet.dashboard('/sessions?sort=severity'), row, 1440, 900, menu],
    'menu-sort-phone': [own.fleet.dashboard('/sessions?sort=severity'), row, 390, 844, menu],
  });
});
