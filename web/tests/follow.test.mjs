// Following a running session: new rows below the visible part, and scrolling to them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { until } from './lib/fleet.mjs';
import { openedFor, press } from './lib/keyboard.mjs';
import { live, setting } from './lib/setting.mjs';

const own = setting();
const opened = openedFor(own);

/** Starts a session whose model takes longer than the test, so that it adds no rows itself. */
async function running(mark) {
  const id = await own.fleet.submit(mark, 'TakesLong');
  await until('its model is asked', async () => (await own.fleet.session(id)).llm_interaction_count > 0);
  return id;
}

/** Records tool calls with results and notifies listeners, like a stage worker. */
async function said(id, from, to, lines = 6) {
  await own.fleet
    .query(`with stage as (select execution_id, session_id from stage_executions where session_id = '${id}'), called as (
      insert into mcp_interactions (interaction_id, session_id, stage_execution_id, sequence, iteration, duration_ms, server_name, communication_type, tool_name, tool_arguments,
        tool_result, effect, success, step_description, claim_epoch)
      select gen_random_uuid(), session_id, execution_id, 100 + n, 1, 20, 'demo-cluster', 'tool_call', 'pods_log', jsonb_build_object('name', 'pod-' || n),
        to_jsonb('log of pod-' || n || E'\\n' || repeat(E'a line\\n', ${lines})), 'read_only', true, 'Call pods_log', 1 from stage, generate_series(${from}, ${to}) as n returning session_id)
    insert into events (session_id, kind, payload) select session_id, 'mcp_interaction', '{}' from called limit 1`);
}

const logOf = (page, n) => page.getByText(`log of pod-${n}`, { exact: false });
/** Waits until the end of a row is in view, above the floating bar at the bottom. */
const inView = (page, n) =>
  page.waitForFunction((text) => {
    const row = [...globalThis.document.querySelectorAll('article[data-kind=tool]')].find((one) =>
      one.textContent.includes(`log of pod-${text}\n`),
    );
    const box = row?.getBoundingClientRect();
    return box !== undefined && box.top > 0 && box.bottom <= globalThis.innerHeight - 30;
  }, String(n));

test('what comes below is told, a press leads there, and one is led on until one goes up', async () => {
  const id = await running('followed');
  await said(id, 1, 12);
  const { page, context, errors } = await newPage(own.browser, { height: 700 });
  await page.goto(own.fleet.dashboard(`/sessions/${id}`));
  await live(page);
  await logOf(page, 1).first().waitFor();
  const newest = page.getByTestId('newest');
  assert.equal(await newest.textContent(), '', 'what was there is not new');
  await said(id, 13, 15);
  await newest.getByRole('button', { name: '3 new' }).click();
  await inView(page, 15);
  await newest.getByText('Following', { exact: true }).waitFor();
  for (let n = 16; n <= 40; n += 6) {
    await said(id, n, n + 5);
    await inView(page, n + 5);
  }
  // After scrolling up with the wheel, new rows do not move the page.
  await page.mouse.move(700, 350);
  await page.mouse.wheel(0, -400);
  await newest.getByText('Following', { exact: true }).waitFor({ state: 'detached' });
  await page.waitForFunction(
    () =>
      new Promise((resolve) => {
        const { scrollY } = globalThis;
        globalThis.requestAnimationFrame(() => {
          globalThis.requestAnimationFrame(() => {
            resolve(globalThis.scrollY === scrollY);
          });
        });
      }),
  );
  const at = await page.evaluate(() => globalThis.scrollY);
  await said(id, 46, 47);
  await newest.getByRole('button', { name: '2 new' }).waitFor();
  assert.equal(await page.evaluate(() => globalThis.scrollY), at);
  assert.deepEqual(errors, []);
  await context.close();
});

test('by keyboard: G leads to the newest, what is unfolded is stayed with, and the button gives the focus back near it', async () => {
  const id = await running('followed by keys');
  await said(id, 1, 12);
  const { page, close } = await opened(`/sessions/${id}`, '[data-kind=tool]');
  await live(page);
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('jump to the latest event and follow').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('G');
  await inView(page, 12);
  await said(id, 13, 14);
  await inView(page, 14);
  // A person who expands a row at the end wants to read it, so the page does not scroll away from it.
  await said(id, 15, 15, 100);
  await inView(page, 15);
  const foot = page.getByTestId('newest').getByText('Following', { exact: true });
  await foot.waitFor();
  const scrolled = () => page.evaluate(() => globalThis.scrollY);
  await page.getByRole('button', { name: /^Show all/ }).focus();
  const before = await scrolled();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Show less' }).waitFor();
  await foot.waitFor({ state: 'detached' });
  assert.equal(await scrolled(), before);
  // Follow again, then stop with a key. This takes effect at once, even if the page has not moved yet.
  await page.keyboard.press('G');
  await foot.waitFor();
  await page.evaluate(() => {
    const key = new globalThis.KeyboardEvent('keydown', { key: 'Home', bubbles: true });
    globalThis.document.body.dispatchEvent(key);
  });
  await foot.waitFor({ state: 'detached' });
  await page.keyboard.press('Home');
  await page.waitForFunction(() => globalThis.scrollY === 0);
  await foot.waitFor({ state: 'detached' });
  await said(id, 16, 19);
  await press(page, page.getByTestId('newest').getByRole('button', { name: '4 new' }));
  await inView(page, 19);
  assert.equal(await page.evaluate(() => globalThis.document.activeElement?.getAttribute('data-testid')), 'newest');
  await close();
});

test('a link to an event is stayed with while more comes, and left when one asks for the newest', async () => {
  const id = await running('linked');
  await said(id, 1, 20);
  const event = (
    await own.fleet.query(
      `select interaction_id as id from mcp_interactions where session_id = '${id}' order by sequence limit 1 offset 4`,
    )
  ).rows[0].id;
  const { page, context, errors } = await newPage(own.browser, { height: 700 });
  await page.goto(own.fleet.dashboard(`/sessions/${id}?event=${event}`));
  await live(page);
  await inView(page, 5);
  await said(id, 21, 23);
  await page.getByTestId('newest').getByRole('button', { name: '3 new' }).waitFor();
  await inView(page, 5);
  assert.equal(await page.getByTestId('newest').getByText('Following').count(), 0);
  await page.keyboard.press('G');
  await inView(page, 23);
  await said(id, 24, 30);
  await inView(page, 30);
  // A link to another place stops following.
  await page
    .getByTestId('stage-card')
    .getByRole('button', { name: 'View', exact: true })
    .evaluate((button) => {
      button.click();
    });
  await page.waitForURL(/event=/);
  await page.getByTestId('newest').getByText('Following').waitFor({ state: 'detached' });
  assert.deepEqual(errors, []);
  await context.close();
});
