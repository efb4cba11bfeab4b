// Notifications of ended sessions on the Fleet page and the session page, and redelivery. For permissions, see
// fleet-roles.test.mjs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { until } from './lib/fleet.mjs';
import { because, choose, openedFor, press } from './lib/keyboard.mjs';
import { looked } from './lib/looks.mjs';
import { receiver } from './lib/receiver.mjs';
import { setting } from './lib/setting.mjs';

const GONE = 410;
const chat = await receiver(GONE);
const own = setting({ TARSY_UI_CHAT: chat.url });
const opened = openedFor(own);

/** Creates an ended session whose notification the target rejects. */
async function refused(mark) {
  chat.status = GONE;
  const id = await own.fleet.submit(mark, 'IsQuick');
  await own.fleet.ended(id);
  await until(
    'it was tried',
    async () =>
      (await own.fleet.query(`select 1 from webhook_deliveries where session_id = '${id}' and state = 'failed'`)).rows
        .length === 1,
  );
  return id;
}
const lineOf = (page, id) => page.getByTestId('delivery').filter({ has: page.locator(`a[href$="/sessions/${id}"]`) });

test('before any session ends the section says that there is nothing to tell, and whom it would be told', async () => {
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/fleet#notifications'));
  const section = page.getByRole('region', { name: 'Notifications' });
  await section.getByText('Targets are notified when a session ends or waits.').waitFor();
  await section
    .getByRole('list', { name: 'Configured targets' })
    .getByText('chat (slack) on completed, failed, waiting')
    .waitFor();
  assert.equal(await section.getByText('disabled').count(), 0);
  assert.deepEqual(errors, []);
  await context.close();
});

test('a target that was not told stands first on Fleet, is told again with a reason, and hears it', async () => {
  const id = await refused('first');
  const later = await own.fleet.submit('later', 'IsQuick');
  chat.status = 204;
  await own.fleet.ended(later);
  await until(
    'the later one was told',
    async () => (await own.fleet.query("select 1 from webhook_deliveries where state = 'delivered'")).rows.length === 1,
  );

  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard(`/sessions/${id}`));
  const told = page.getByTestId('told');
  await told.getByText('failed', { exact: true }).waitFor();
  await told.getByRole('link', { name: 'view in Fleet' }).click();
  await page.waitForURL(/\/fleet#notifications$/);
  const line = lineOf(page, id);
  await line.getByText('HTTP 410').waitFor();
  assert.equal(
    await page.getByTestId('delivery').first().getByText('failed', { exact: true }).count(),
    1,
    'though it is the older one',
  );
  await page.waitForFunction(() => {
    const { top } = globalThis.document.getElementById('notifications').getBoundingClientRect();
    return top >= 0 && top < globalThis.innerHeight;
  });

  const before = chat.heard.length;
  await line.getByRole('button', { name: 'Redeliver', exact: true }).click();
  await page.getByRole('dialog', { name: 'Redeliver to chat?' }).waitFor();
  await page.getByLabel('Reason').fill('the channel is back');
  await page.getByTestId('reason-confirm').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await line.getByText('delivered', { exact: true }).waitFor();
  await line.getByText('HTTP 204').waitFor();
  assert.equal(chat.heard.length, before + 1);
  assert.match(JSON.stringify(chat.heard.at(-1)), new RegExp(`session ${id}`));
  const { rows } = await own.fleet.query("select action, reason from audit_log where action = 'delivery.redeliver'");
  assert.deepEqual(rows, [{ action: 'delivery.redeliver', reason: 'the channel is back' }]);
  const times = await page
    .getByTestId('delivery')
    .locator('td:nth-last-child(2) time')
    .evaluateAll((all) => all.map((one) => one.dateTime));
  assert.equal(times.length, 2);
  assert.ok(times[0] > times[1], `the newest first, whatever was sent last: ${times.join()}`);
  await line.getByRole('link').click();
  await told.getByText('delivered', { exact: true }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('a session that nobody is told of has no line about it', async () => {
  const id = await own.fleet.submit('cancelled', 'TakesLong');
  const { page, context, errors } = await newPage(own.browser);
  const asked = [];
  page.on('request', (request) => {
    if (request.url().includes('webhook-deliveries')) asked.push(request.url());
  });
  await page.goto(own.fleet.dashboard(`/sessions/${id}`));
  await page.getByText(/running agent/).waitFor();
  assert.deepEqual(asked, [], 'while it runs there is nothing to ask for');
  const answer = page.waitForResponse(/webhook-deliveries/);
  await page.getByTestId('cancel').click();
  await page.getByLabel('Reason').fill('a test');
  await page.getByTestId('reason-confirm').click();
  assert.deepEqual((await (await answer).json()).deliveries, []);
  await page
    .getByTestId('answer')
    .getByText(/cancelled by/)
    .waitFor();
  assert.equal(await page.getByTestId('told').count(), 0);
  assert.deepEqual(errors, []);
  await context.close();
});

test('by keyboard alone they are narrowed to one state, told again, and found to be told', async () => {
  const id = await refused('by keys');
  chat.status = 204;
  const { page, close } = await opened('/fleet#notifications', '[data-testid=delivery]');
  await choose(page, page.getByRole('combobox', { name: 'Status' }), 'failed');
  await page.waitForFunction(
    (number) => globalThis.document.querySelectorAll('[data-testid=delivery]').length === number,
    1,
  );
  const again = lineOf(page, id).getByRole('button', { name: 'Redeliver', exact: true });
  await press(page, again);
  await because(page, again, 'it is wanted');
  await page.getByText('No notifications match').waitFor();
  await press(page, page.getByRole('button', { name: 'Clear filters' }));
  await lineOf(page, id).getByText('delivered', { exact: true }).waitFor();
  await close();
});

test('those to one target are read page by page, also of one that is not configured any more', async () => {
  const id = await refused('many');
  await own.fleet.query(`insert into webhook_deliveries (delivery_id, session_id, target, event, state, attempts, error)
    select gen_random_uuid(), '${id}', 'pager', 'session.failed', case when n <= 40 then 'failed' else 'delivered' end::delivery_state, 8, 'the target is not configured' from generate_series(1, 60) n`);
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/fleet#notifications'));
  const shown = (number) =>
    page.waitForFunction(
      (wanted) =>
        [...globalThis.document.querySelectorAll('[data-testid=delivery]')].filter((line) =>
          line.textContent.startsWith('pager'),
        ).length === wanted,
      number,
    );
  await page.getByTestId('delivery').filter({ hasText: 'pager' }).first().waitFor();
  await page.getByRole('combobox', { name: 'Target' }).click();
  await page.getByRole('option', { name: 'pager' }).click();
  await shown(50);
  await page.getByRole('button', { name: 'Load more' }).click();
  await shown(60);
  assert.equal(await page.getByTestId('delivery').count(), 60, 'and none to another');
  await page.getByRole('button', { name: 'Load more' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Redeliver', exact: true }).first().click();
  await page.getByText('This target is not configured or incomplete.').waitFor();
  await own.fleet.query("delete from webhook_deliveries where target = 'pager'");
  assert.deepEqual(errors, []);
  await context.close();
});

test('those that failed alike are one line, and are redelivered for one reason', async () => {
  const ids = [await refused('alike one'), await refused('alike two')];
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/fleet#notifications'));
  const group = page.getByTestId('delivery-group').filter({ hasText: 'chat' }).filter({ hasText: 'HTTP 410' });
  const again = group.getByRole('button', { name: /^Redeliver \d+$/ });
  await again.waitFor();
  await page.getByRole('tab', { name: /^Notifications \(\d+\)$/ }).waitFor();
  // The list below shows only the group.
  await group.getByRole('button', { name: /^List failed to chat/ }).click();
  for (const id of ids) await lineOf(page, id).getByText('HTTP 410').waitFor();
  chat.status = 204;
  const before = chat.heard.length;
  await again.click();
  await page.getByRole('dialog', { name: /^Redeliver \d+ notifications to chat\?$/ }).waitFor();
  await page.getByLabel('Reason').fill('the channel was archived by mistake');
  await page.getByTestId('reason-confirm').click();
  await page
    .getByTestId('group-told')
    .getByText(/^Queued \d+ notifications to chat\.$/)
    .waitFor();
  await until(
    'both were told',
    async () =>
      (
        await own.fleet.query(
          `select 1 from webhook_deliveries where state = 'delivered' and session_id in ('${ids.join("','")}')`,
        )
      ).rows.length === 2,
  );
  assert.ok(chat.heard.length >= before + 2);
  await group.waitFor({ state: 'detached' });
  const { rows } = await own.fleet.query(
    "select count(*)::int as number from audit_log where reason = 'the channel was archived by mistake'",
  );
  assert.ok(rows[0].number >= 2, 'each is in the log');
  assert.deepEqual(errors, []);
  await context.close();
});

test('the section and its dialog have no accessibility issue', async () => {
  const id = await refused('looks');
  const ask = async (page) => {
    await page.getByTestId('delivery').first().getByRole('button', { name: 'Redeliver', exact: true }).click();
    await page.getByLabel('Reason').fill('it is back');
  };
  const askAll = async (page) => {
    await page
      .getByTestId('delivery-group')
      .first()
      .getByRole('button', { name: /^Redeliver/ })
      .click();
    await page.getByLabel('Reason').fill('it is back');
  };
  const scrolled = async (page) => page.locator('#notifications').scrollIntoViewIfNeeded();
  const row = '[data-testid=delivery]';
  await looked(own.browser, {
    notifications: [own.fleet.dashboard('/fleet#notifications'), row, 1440, 900, scrolled],
    'notifications-phone': [own.fleet.dashboard('/fleet#notifications'), row, 390, 900, scrolled],
    'dialog-redeliver-group': [
      own.fleet.dashboard('/fleet?look=1#notifications'),
      '[data-testid=delivery-group]',
      1440,
      900,
      askAll,
    ],
    'dialog-redeliver': [own.fleet.dashboard('/fleet?look=2#notifications'), row, 1440, 900, ask],
    'dialog-redeliver-phone': [own.fleet.dashboard('/fleet?look=3#notifications'), row, 390, 900, ask],
    'session-told': [own.fleet.dashboard(`/sessions/${id}`), '[data-testid=told]', 1440, 900],
  });
});
