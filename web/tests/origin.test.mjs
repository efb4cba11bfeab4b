// The origin of a session: its alerts, and the request with the first of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();

/** Sends an Alertmanager webhook about one alert; returns the session. */
async function send(fingerprint, status, severity = 'critical') {
  const alert = {
    status,
    fingerprint,
    labels: { alertname: 'IsQuick', severity },
    annotations: {},
    generatorURL: '',
    startsAt: '2026-11-20T08:00:00Z',
    endsAt: status === 'resolved' ? new Date().toISOString() : '0001-01-01T00:00:00Z',
  };
  const response = await fetch(`${own.fleet.api}/webhooks/alertmanager`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'Alertmanager/0.28' },
    body: JSON.stringify({ version: '4', groupKey: '{}', receiver: 'tarsy', status, alerts: [alert] }),
  });
  const answer = await response.json();
  assert.equal(response.status, 202, JSON.stringify(answer));
  return answer.results[0].session_id;
}

test('the alert tab lists every alert that the session answers, and shows the request as it came in', async () => {
  const id = await send('f1', 'firing');
  assert.equal(await send('f1', 'firing', 'warning'), id);
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard(`/sessions/${id}?tab=alert`));
  const member = page.getByTestId('member');
  await member
    .filter({ hasText: 'duplicate 1' })
    .filter({ hasText: 'firing' })
    .filter({ hasText: 'warning' })
    .waitFor();
  await member.filter({ hasText: 'original' }).filter({ hasText: 'critical' }).waitFor();
  assert.equal(await member.count(), 2);
  await send('f1', 'resolved');
  await page.keyboard.press('r');
  await member.filter({ hasText: 'resolved' }).waitFor();

  await page.getByRole('button', { name: 'Request' }).click();
  const request = page.getByTestId('raw-request');
  await request.getByRole('group', { name: 'request body' }).getByText('"groupKey":"{}"').waitFor();
  await request.getByText('Alertmanager/0.28').waitFor();
  await page.getByRole('button', { name: 'Raw' }).click();
  await page
    .getByRole('group', { name: 'alert as JSON' })
    .getByText('"fingerprint": "f1"')
    .waitFor({ state: 'detached' });
  assert.deepEqual(errors, []);
  await context.close();
});

test('an alert that was posted has no request beside it, and the page says so', async () => {
  const id = await own.fleet.submit('posted', 'IsQuick');
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard(`/sessions/${id}?tab=alert`));
  await page.getByTestId('member').filter({ hasText: 'unknown' }).waitFor();
  await page.getByRole('button', { name: 'Request' }).click();
  await page
    .getByTestId('no-request')
    .getByText(/POST \/alerts/)
    .waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});
