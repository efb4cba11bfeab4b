// Permissions of each role on the Fleet page, with access control on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { setting } from './lib/setting.mjs';

const own = setting({ TARSY_AUTH: 'on' });

/** Creates an ended session with a failed notification, and a dead job. */
async function happened() {
  await own.fleet.query(`with ended as (
      insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, fingerprint, status, completed_at_us, chain_id, chain_definition, final_analysis)
      values (gen_random_uuid(), gen_random_uuid(), 'IsQuick', '{}', 'critical', 1, 'api', 'roles', 'completed', now_us(), 'is-quick', '{}', 'all is well') returning session_id)
    insert into webhook_deliveries (delivery_id, session_id, target, event, state, attempts, response_status, error)
    select gen_random_uuid(), session_id, 'chat', 'session.completed', 'failed', 8, 500, 'answered 500' from ended`);
  await own.fleet
    .query(`insert into dead_jobs (id, queue, kind, subject, payload, priority, attempts, max_attempts, crashes, snoozes, epoch, created_at, reason, error)
    values (gen_random_uuid(), 'stage:elsewhere', 'stage', gen_random_uuid(), '{"stage": "collect"}', 0, 5, 5, 0, 0, 6, now(), 'exhausted', 'the disk was full')`);
}

/** Opens the Fleet page with a key of this role. */
async function as(role) {
  const opened = await newPage(own.browser);
  await opened.page.goto(own.fleet.dashboard('/fleet#audit'));
  await opened.page.getByLabel('Access key', { exact: true }).fill(own.fleet.key(role));
  await opened.page.getByRole('button', { name: 'Sign in' }).click();
  await opened.page.getByRole('heading', { name: 'Fleet' }).waitFor();
  return opened;
}

test('a viewer reads the notifications, a job’s payload and the log, and is told why nothing can be done', async () => {
  await happened();
  const { page, context, errors } = await as('viewer');
  await page.getByTestId('audit-entry').filter({ hasText: 'key.create' }).first().waitFor();
  await page.getByRole('tab', { name: 'Dead jobs (1)' }).click();
  await page.getByTestId('dead-job').getByRole('button', { name: 'Details' }).click();
  await page.getByRole('dialog').getByText('"stage": "collect"').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('checkbox', { name: /^Select job/ }).check();
  const reason = page.getByText('Requires the operator role. Your role is viewer.');
  const denied = async (name) => {
    assert.equal(await reason.count(), 0, 'it is said when somebody asks');
    const button = page.getByRole('button', { name, exact: true });
    await button.hover();
    const told = page.getByRole('tooltip').getByText('Requires the operator role. Your role is viewer.');
    await told.waitFor();
    assert.equal(await button.getAttribute('aria-disabled'), 'true');
    await button.click({ force: true });
    assert.equal(await page.getByRole('dialog').count(), 0, `${name} asks for nothing`);
    await page.mouse.move(0, 0);
    await told.waitFor({ state: 'detached' });
  };
  for (const name of ['Requeue 1', 'Discard 1']) await denied(name);
  await page.getByRole('tab', { name: 'Notifications (1)' }).click();
  await page.getByTestId('delivery-group').getByText('HTTP 500').waitFor();
  for (const name of ['Redeliver', 'Redeliver 1']) await denied(name);
  await page.getByRole('tab', { name: 'Rejected alerts' }).click();
  await page
    .getByRole('region', { name: 'Rejected alerts' })
    .getByText('Requires the operator role. Your role is viewer.')
    .waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('who may not read any of it is told so in each section', async () => {
  const { page, context, errors } = await as('ingest');
  for (const name of ['Notifications', 'Dead jobs', 'Audit log']) {
    await page.getByRole('tab', { name: new RegExp(`^${name}`) }).click();
    await page.getByRole('region', { name }).getByText('Permission denied').waitFor();
  }
  assert.deepEqual(errors, []);
  await context.close();
});
