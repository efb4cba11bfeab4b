// Submitting a session's alert again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { openedFor, press, reach } from './lib/keyboard.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();
/** A fleet that requires keys. */
const guarded = setting({ TARSY_AUTH: 'on' });
const opened = openedFor(own);

async function submit(data, alertType = 'IsQuick', { fleet } = own, headers = {}) {
  const response = await fetch(`${fleet.api}/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ alert_type: alertType, runbook: 'local:namespace-terminating', severity: 'warning', data }),
  });
  return (await response.json()).session_id;
}

/** Returns the stored alert without its time. */
async function kept(id) {
  const { alert_type: type, severity, runbook_url: runbook, alert_data: data } = await own.fleet.session(id);
  return { type, severity, runbook, data: { ...data, timestamp: null } };
}

test('by keyboard a session’s alert is submitted again, once what is masked in it was filled in', async () => {
  const id = await submit({ cluster: 'demo', token: '[MASKED_TOKEN]', mark: 'once more' });
  await own.fleet.ended(id);
  const { page, close } = await opened(`/sessions/${id}`, '[data-testid=answer]');
  await press(page, page.getByTestId('submit-again'));
  await page.waitForURL((url) => url.pathname.endsWith('/submit') && url.searchParams.get('session') === id);
  const from = page.getByTestId('taken-from');
  await from.getByRole('link', { name: `session ${id.slice(-6)}` }).waitFor();
  assert.equal(await from.getByText('still running').count(), 0);
  const masked = page.getByTestId('masked');
  await masked.getByText('data.token', { exact: true }).waitFor();
  const editor = page.locator('.cm-content');
  await editor.waitFor();
  const text = (await editor.locator('.cm-line').allTextContents()).join('\n');
  assert.deepEqual(JSON.parse(text), {
    alert_type: 'IsQuick',
    runbook: 'local:namespace-terminating',
    severity: 'warning',
    data: { mark: 'once more', token: '[MASKED_TOKEN]', cluster: 'demo' },
  });
  await reach(page, editor);
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text.replace('[MASKED_TOKEN]', 'of-a-test'));
  await masked.waitFor({ state: 'detached' });
  await page.keyboard.press('Control+Enter');
  await page.waitForURL(/\/sessions\/[0-9a-f-]{36}$/);
  const second = page.url().slice(-36);
  assert.notEqual(second, id);
  const before = await kept(id);
  assert.deepEqual(await kept(second), { ...before, data: { ...before.data, token: 'of-a-test' } });
  await close();
});

test('of a session that still runs the form says that it would only be counted, and so it is', async () => {
  const id = await submit({ mark: 'runs' }, 'TakesLong');
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard(`/submit?session=${id}`));
  await page
    .getByTestId('taken-from')
    .getByText(/still running\. Until it ends, an identical alert is counted as its duplicate/)
    .waitFor();
  await page.getByRole('button', { name: 'Dry run' }).click();
  await page
    .getByTestId('duplicate')
    .getByRole('link', { name: `session ${id.slice(-6)}` })
    .waitFor();
  await page.getByTestId('submit').click();
  await page.getByText('Duplicate of session').waitFor();
  assert.equal((await own.fleet.session(id)).duplicate_count, 1);
  assert.deepEqual(errors, []);
  await context.close();
});

test('what the form begins with stands in the address', async () => {
  const id = await submit({ mark: 'address' });
  const { page, context, errors } = await newPage(own.browser);
  const begin = page.getByRole('combobox', { name: 'Template' });
  const choose = async (name) => {
    await begin.click();
    await page.getByRole('option', { name }).click();
  };
  await page.goto(own.fleet.dashboard(`/submit?session=${id}`));
  await page.getByTestId('taken-from').waitFor();
  await choose(/^Grafana/);
  await page.waitForURL(/preset=grafana/);
  await page.getByTestId('taken-from').waitFor({ state: 'detached' });
  await page.reload();
  await page.getByText('/webhooks/grafana', { exact: true }).waitFor();
  await choose(/^Alert of session/);
  await page.waitForURL((url) => url.search === `?session=${id}`);
  await page.getByTestId('taken-from').waitFor();
  await page.goto(own.fleet.dashboard('/submit?preset=datadog'));
  await page.getByText('/webhooks/datadog', { exact: true }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('a session that is not there is told, and leads to the form without it', async () => {
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/submit?session=00000000-0000-7000-8000-000000000000'));
  await page.getByRole('alert').getByText('Not found').waitFor();
  assert.equal(await page.getByTestId('submit').count(), 0);
  await page.getByRole('link', { name: 'Start with an empty form' }).click();
  await page.getByTestId('editor').waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('who may not submit is told so, and an operator may', async () => {
  const { fleet } = guarded;
  const operator = fleet.key('operator');
  const id = await submit({ mark: 'guarded' }, 'IsQuick', guarded, { authorization: `Bearer ${operator}` });
  for (const [key, may] of [
    [fleet.key('viewer'), false],
    [operator, true],
  ]) {
    const { page, context, errors } = await newPage(guarded.browser);
    await page.goto(fleet.dashboard(`/sessions/${id}`));
    await page.getByLabel('Access key', { exact: true }).fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    if (may) await page.getByRole('link', { name: 'Submit again' }).waitFor();
    else {
      await page.locator('[data-testid=submit-again][aria-disabled=true]').hover();
      await page.getByText('Requires the ingest role. Your role is viewer.').waitFor();
    }
    assert.deepEqual(errors, []);
    await context.close();
  }
});
