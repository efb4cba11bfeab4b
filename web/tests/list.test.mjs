// The list of sessions while many alerts arrive, and the way back to it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { live, setting } from './lib/setting.mjs';

const own = setting();
/** Height of a row in pixels. */
const ROW = 64;

/**
 * Creates this many ended sessions, the last one now. They have no events, as in a storm in which a page receives only
 * the last event.
 */
const came = (many, type) =>
  own.fleet.query(`
  insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, fingerprint, status, outcome,
      started_at_us, completed_at_us, final_analysis, chain_id, chain_definition)
  select gen_random_uuid(), gen_random_uuid(), '${type}', '{"namespace": "shop"}', 'warning', now_us(), 'api', '${type}' || n, 'completed', 'completed',
      now_us() - n * 1000, now_us(), 'It was DNS', 'seeded', '{"chain_id": "seeded", "stages": [{"name": "collect", "agent": "Quick"}]}'
  from generate_series(1, ${many}) as n`);

const rowsOf = (page) =>
  page
    .getByTestId('session-rows')
    .getAttribute('aria-rowcount')
    .then((rows) => Number(rows) - 1);
const hasRows = (page, rows) => page.locator(`[data-testid=session-rows][aria-rowcount="${rows + 1}"]`).waitFor();
const scrollTo = (page, top) =>
  page.getByTestId('session-rows').evaluate((element, to) => {
    element.scrollTop = to;
  }, top);
const topOf = (page) => page.getByTestId('session-rows').evaluate((element) => element.scrollTop);

/** Scrolls to the end, page by page, until there are this many rows. */
const wholeList = (page, rows) =>
  page.waitForFunction(
    (count) => {
      const scroller = globalThis.document.querySelector('[data-testid=session-rows]');
      scroller.scrollTop = scroller.scrollHeight;
      return scroller.getAttribute('aria-rowcount') === String(count + 1);
    },
    rows,
    { polling: 'raf' },
  );

test('none is left out of the list when more come at once than a page of it holds', async () => {
  await came(30, 'Before');
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/sessions'));
  await live(page);
  await hasRows(page, 30);
  await came(250, 'Storm');
  await own.fleet.submit('after the storm', 'IsQuick');
  // The newest sessions appear at once. All others that arrived appear while scrolling.
  await page.getByTestId('session-row').first().getByText('IsQuick').waitFor();
  await wholeList(page, 281);
  await page.getByTestId('session-row').last().getByText('Before').waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('a list that somebody has scrolled stays, says that more came than it counts, and what changes in it changes', async () => {
  await came(120, 'Old');
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/sessions'));
  await live(page);
  await hasRows(page, 100);
  await page.keyboard.press('j');
  // A running session is far down when it is cancelled, so the newest page no longer contains it.
  const id = await own.fleet.submit('cancelled later', 'TakesLong');
  const running = page.locator(`[data-id="${id}"]`);
  await running.getByText('in progress').waitFor();
  await scrollTo(page, ROW * 4);
  await came(150, 'Later');
  await fetch(`${own.fleet.api}/api/v1/admin/sessions/${id}/cancel`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ reason: 'a test' }),
  });
  await page.getByTestId('waiting').getByText('100+ new sessions').waitFor();
  assert.equal(await topOf(page), ROW * 4);
  await scrollTo(page, ROW * 2);
  await running.getByText('cancelled', { exact: true }).waitFor();
  await page.getByTestId('waiting').click();
  await page.getByTestId('session-row').first().getByText('Later').waitFor();
  assert.equal(await topOf(page), 0);
  assert.ok((await rowsOf(page)) >= 100);
  assert.deepEqual(errors, []);
  await context.close();
});

test('the way back from a session leads to the same place, and on to its neighbours', async () => {
  await came(200, 'Neighbour');
  const { page, context, errors } = await newPage(own.browser);
  const list = own.fleet.dashboard('/sessions?alert_type=Neighbour');
  await page.goto(list);
  await page.getByTestId('session-row').first().waitFor();
  await wholeList(page, 200);
  await scrollTo(page, ROW * 120);
  const row = page.locator('[data-testid=session-row][aria-rowindex="130"]');
  const id = await row.getAttribute('data-id');
  // A click by playwright may scroll first, so record the scroll position at the time of the click.
  await page.getByTestId('session-rows').evaluate((element) =>
    element.addEventListener(
      'click',
      () => {
        globalThis.leftAt = element.scrollTop;
      },
      { capture: true },
    ),
  );
  await row.click();
  await page.waitForURL(new RegExp(id));
  await page.getByTestId('answer').waitFor();
  // Navigation within a session does not count for the way back.
  await page.getByRole('tab', { name: 'Waterfall' }).click();
  const shown = page.locator('header').getByTitle(id);
  await page.keyboard.press('J');
  await shown.waitFor({ state: 'detached' });
  await page.getByTestId('answer').waitFor();
  await page.keyboard.press('K');
  await shown.waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL(list);
  await row.waitFor();
  const leftAt = await page.evaluate(() => globalThis.leftAt);
  assert.ok(leftAt > ROW * 100);
  assert.equal(await topOf(page), leftAt);
  assert.equal(await page.locator('[data-testid=session-row][data-cursor=true]').getAttribute('data-id'), id);
  await page.keyboard.press('j');
  assert.equal(await page.locator('[data-testid=session-row][data-cursor=true]').getAttribute('aria-rowindex'), '131');
  // The back link does the same. A different list starts at the top.
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Back to the list' }).click();
  await page.waitForURL(list);
  await page.goto(own.fleet.dashboard('/sessions'));
  await page.getByTestId('session-row').first().waitFor();
  assert.equal(await topOf(page), 0);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a search that stands finds what no event told of', async () => {
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/sessions?search=Unheard'));
  await live(page);
  await page.getByText('No results').waitFor();
  await came(1, 'Unheard');
  // A page that receives events polls only every 30 s.
  await page.getByTestId('session-row').first().getByText('Unheard').waitFor({ timeout: 15_000 });
  assert.deepEqual(errors, []);
  await context.close();
});

test('an alert id finds its session', async () => {
  const id = await own.fleet.submit('by alert', 'IsQuick');
  const { alert_id: alert } = await own.fleet.ended(id);
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/fleet'));
  await live(page);
  await page.keyboard.press('Control+k');
  // The palette is loaded after the page, so on a slow machine it opens some time after the key press.
  await page.getByRole('dialog', { name: 'Command palette' }).getByRole('combobox').fill(alert);
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/sessions/${id}`));
  await page.getByTestId('answer').waitFor();
  await page.goto(own.fleet.dashboard('/sessions/01890000-0000-7000-8000-000000000000'));
  await page.getByText('Not found').waitFor();
  await page.getByRole('link', { name: 'All sessions' }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('at 1440 pixels an answer has two lines, from its column to the end of the row', async () => {
  const id = await own.fleet.submit('wide answer');
  await own.fleet.ended(id);
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/sessions'));
  const row = page.locator(`[data-testid=session-row][data-id="${id}"]`);
  const said = row.locator('.said');
  await said.getByText(/can't finish terminating/).waitFor();
  const box = await said.evaluate((element) => ({
    width: element.clientWidth,
    isWhole: element.scrollHeight <= element.clientHeight,
    ends: element.getBoundingClientRect().right,
    row: element.closest('[role=row]').getBoundingClientRect(),
  }));
  assert.ok(box.width > 800 && box.isWhole && box.ends <= box.row.right, JSON.stringify(box));
  const cells = await row
    .getByRole('cell')
    .evaluateAll((all) => all.map((cell) => cell.getBoundingClientRect().bottom));
  assert.ok(
    cells.every((bottom) => bottom <= box.row.y + 29),
    'no cell stands in the answer',
  );
  assert.equal(await page.getByRole('columnheader', { name: 'Tokens' }).count(), 0);
  // The longest headline, in letters so wide that it needs more than a line.
  await own.fleet.query(
    `update alert_sessions set final_analysis = repeat('WATCHDOG RESET ', 20) where session_id = '${id}'`,
  );
  await page.reload();
  await said.getByText(/WATCHDOG RESET/).waitFor();
  assert.equal(await said.evaluate((element) => element.clientHeight), 32, 'the second line is shown');
  assert.deepEqual(errors, []);
  await context.close();
});
