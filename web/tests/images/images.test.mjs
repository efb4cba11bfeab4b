// Takes the README's screenshots of the list and of a session: run `npm run images`, then commit docs/images.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { newPage } from '../lib/browser.mjs';
import { until } from '../lib/fleet.mjs';
import { live, setting } from '../lib/setting.mjs';

const fromHere = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Configuration of the demonstration, in a folder that is deleted with the fleet. */
function demoConfig() {
  const file = join(mkdtempSync(join(tmpdir(), 'tarsy-images-')), 'demo.yaml');
  copyFileSync(fromHere('../../../config/demo.yaml'), file);
  return file;
}

const own = setting({ AGENT_CONFIG_FILE: demoConfig() });
const IMAGES = fromHere('../../../docs/images/');
const MAX_BYTES = 200_000;

/** Alert of the demonstration from several clusters, oldest first. */
const ALERTS = [
  ['staging-ap-1', 'info'],
  ['staging-us-2', 'warning'],
  ['staging-eu-2', 'critical'],
  ['staging-us-1', 'warning'],
  ['staging-eu-3', 'info'],
  ['staging-sa-1', 'critical'],
  ['staging-eu-1', 'critical'],
];
const NAMESPACE = 'team-payments-staging';

async function submit([cluster, severity]) {
  const message = `Namespace ${NAMESPACE} has been Terminating for 47 hours`;
  const response = await fetch(`${own.fleet.api}/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      alert_type: 'NamespaceTerminatingDemo',
      runbook: 'local:namespace-terminating',
      severity,
      data: { namespace: NAMESPACE, cluster, environment: 'staging', message },
    }),
  });
  assert.equal(response.status, 202);
  return (await response.json()).session_id;
}

/** Approves the gate of a session once it waits. */
async function approved(id) {
  const wait = await until('the session asks for approval', async () =>
    (await (await fetch(`${own.fleet.api}/api/v1/approvals?session=${id}`)).json()).approvals.at(0),
  );
  const response = await fetch(`${own.fleet.api}/api/v1/approvals/${wait.wait_id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ decision: 'approve', reason: 'it loses no data' }),
  });
  assert.equal(response.status, 200);
}

async function picture(page, name) {
  const path = `${IMAGES}${name}.png`;
  await page.screenshot({ path });
  const { size } = statSync(path);
  assert.ok(size < MAX_BYTES, `${name}.png has ${size} bytes`);
}

test('the list and a session, as the README shows them', async () => {
  mkdirSync(IMAGES, { recursive: true });
  const { page, context, errors } = await newPage(own.browser, { scheme: 'light', width: 1440, height: 800 });
  const ids = [];
  for (const alert of ALERTS) ids.push(await submit(alert));
  for (const id of ids) {
    await approved(id);
    await own.fleet.ended(id);
  }
  // A session that is still running, with a duplicate alert.
  const running = await submit(['staging-eu-4', 'warning']);
  await submit(['staging-eu-4', 'warning']);
  await page.goto(own.fleet.dashboard('/sessions'));
  await live(page);
  await page.locator(`[data-id="${running}"]`).getByText('in progress').waitFor();
  await picture(page, 'list');
  await page.goto(own.fleet.dashboard(`/sessions/${ids.at(-1)}`));
  await live(page);
  await page.getByTestId('answer').getByText('Root cause').first().waitFor();
  await page.setViewportSize({ width: 1440, height: 700 });
  // The evidence for the first sentence, as if the pointer were on it.
  await page.getByTestId('answer').locator('.sentence').first().hover();
  await page.getByTestId('proof').first().waitFor();
  await picture(page, 'session');
  assert.deepEqual(errors, []);
  await context.close();
});
