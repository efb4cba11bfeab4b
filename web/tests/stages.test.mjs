// The stage bar in the list: the state of each stage, in the order of the chain.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { until } from './lib/fleet.mjs';
import { live, setting } from './lib/setting.mjs';

const own = setting();

const waiting = (id) =>
  until(`session ${id} waits`, async () => (await own.fleet.session(id)).waits.find((wait) => wait.status === 'open'));
const decide = (wait, decision) =>
  fetch(`${own.fleet.api}/api/v1/approvals/${wait.wait_id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ decision }),
  });

test('the stage that failed is drawn as failed, the one that waits as waiting, and one that was skipped as skipped', async () => {
  const [fails, gated, denied, branches] = await Promise.all([
    own.fleet.submit('fails', 'StageFails'),
    own.fleet.submit('gated', 'Gated'),
    own.fleet.submit('denied', 'Gated'),
    own.fleet.submit('branches', 'Branches'),
  ]);
  await decide(await waiting(denied), 'deny');
  await Promise.all([own.fleet.ended(fails), own.fleet.ended(denied), own.fleet.ended(branches), waiting(gated)]);
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/sessions'));
  await live(page);
  const bar = (id) =>
    page.locator(`[data-testid=session-row][data-id="${id}"]`).getByRole('img', { name: /stages done/ });
  const drawn = async (id) =>
    bar(id)
      .locator('span')
      .evaluateAll((segments) => segments.map((segment) => segment.title));
  await bar(fails).waitFor();
  assert.deepEqual(await drawn(fails), ['quick: completed', 'broken: failed', 'report: completed']);
  assert.equal(await bar(fails).getAttribute('aria-label'), '2 of 3 stages done, broken failed');
  assert.deepEqual(await drawn(gated), ['first: completed', 'gate: waiting', 'report: not started']);
  assert.deepEqual(await drawn(denied), ['first: completed', 'gate: completed', 'report: skipped']);
  assert.equal(await bar(denied).getAttribute('aria-label'), '3 of 3 stages done');
  // One completed branch is enough here, although the last one failed.
  assert.deepEqual(await drawn(branches), [
    'quick: completed',
    'evidence: completed',
    'nodes: completed',
    'report: completed',
  ]);
  assert.deepEqual(errors, []);
  await context.close();
});
