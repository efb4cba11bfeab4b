// Why a session waits: told in the list and on its page, with who could act; what is wrong with the fleet is told on every page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { until } from './lib/fleet.mjs';
import { setting } from './lib/setting.mjs';

// A claim outlives its worker's silence for long: else the stage is taken over before the worker counts as not answering.
const own = setting({ TARSY_LEASE_TTL: '120s' });

const rowOf = (page, id) => page.locator(`[data-testid=session-row][data-id="${id}"]`);
const warnings = (page) => page.getByRole('region', { name: 'Warnings' });

async function opened(path) {
  const told = await newPage(own.browser);
  await told.page.goto(own.fleet.dashboard(path));
  return told;
}

test('a stage that failed tells its cause, once', async () => {
  const id = await own.fleet.submit('refused', 'StageFails');
  await own.fleet.ended(id);
  const { page, context, errors } = await opened('/submit');
  await page.goto(own.fleet.dashboard(`/sessions/${id}`));
  const cause = page.getByText(/the key of this provider was revoked/);
  await cause.first().waitFor();
  assert.equal(await page.getByTestId('answer').getByText(/the key of this provider was revoked/).count() <= 1, true, 'told once in the answer');
  assert.deepEqual(errors, []);
  await context.close();
});

test('a provider that refuses everybody is told on every page', async () => {
  // The call that failed last is the newest of all.
  const id = await own.fleet.submit('refuses', 'StageFails');
  await own.fleet.ended(id);
  await own.fleet.query("delete from llm_interactions where success");
  const { page, context, errors } = await opened('/submit');
  await warnings(page).getByText(/LLM provider scripted has failed every call since .+\(auth\)/).waitFor({ timeout: 60_000 });
  await page.getByRole('link', { name: 'Sessions', exact: true }).click();
  await warnings(page).getByText(/LLM provider scripted has failed every call/).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('a worker that is frozen is not answering: in the list, on the page, in the banner and on Fleet, and is out of the counts', async () => {
  const id = await own.fleet.submit('frozen', 'TakesLong');
  await until('its stage runs', async () => (await own.fleet.session(id)).stages[0]?.status === 'active');
  own.fleet.stageWorker.kill('SIGSTOP');
  try {
    const { page, context, errors } = await opened('/sessions');
    await warnings(page).getByText(/1 stage worker not answering for 15 seconds or more/).waitFor({ timeout: 60_000 });
    await warnings(page).getByText('No stage worker is running. Stages are queued.').waitFor();
    await rowOf(page, id).getByText('not answering', { exact: true }).waitFor({ timeout: 60_000 });
    await rowOf(page, id).click();
    const wait = page.getByTestId('wait');
    await wait.getByText(/Worker .+ is not answering/).waitFor();
    await wait.getByText(/Another worker takes over when the lease expires/).waitFor();
    await page.getByRole('link', { name: 'Fleet', exact: true }).click();
    await page.getByText('not answering', { exact: true }).first().waitFor();
    assert.deepEqual(errors, []);
    await context.close();
  } finally { own.fleet.stageWorker.kill('SIGCONT'); }
});

test('a queue that is paused and a pool that nobody works are the causes that are told, since when and who could act', async () => {
  const pool = await own.fleet.submit('no pool', 'NeedsAPool');
  await until('its pool is known to be empty', async () => (await own.fleet.session(pool)).waiting?.reason === 'no_worker');
  const { page, context, errors } = await opened('/sessions');
  await rowOf(page, pool).getByText('no worker', { exact: true }).waitFor();
  await rowOf(page, pool).getByText(/No worker of pool gpu can run this stage/).waitFor();
  await rowOf(page, pool).click();
  const wait = page.getByTestId('wait');
  await wait.getByText(/No worker of pool gpu can run this stage/).waitFor();
  await wait.getByText(/^Since .+ Whoever runs the fleet can start a worker of pool gpu/).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('what nobody has begun is queued, not in progress; without a chain worker it says so', async () => {
  await own.fleet.end(own.fleet.chainWorker);
  const id = await own.fleet.submit('not begun', 'IsQuick');
  const { page, context, errors } = await opened('/sessions');
  await warnings(page).getByText('No chain worker is running. Accepted alerts are queued.').waitFor({ timeout: 60_000 });
  const row = rowOf(page, id);
  await row.getByText('no worker', { exact: true }).waitFor();
  assert.equal(await row.getByText('in progress').count(), 0);
  await row.click();
  await page.getByTestId('wait').getByText(/No chain worker is running/).waitFor();
  own.fleet.chainWorker = own.fleet.run('chain-worker');
  await own.fleet.ended(id);
  await page.getByTestId('answer').getByText('It is a test.').waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test('a replay keeps the old answer in sight until the new one is there', async () => {
  const id = await own.fleet.submit('kept', 'StageFails');
  await own.fleet.ended(id);
  const { page, context, errors } = await opened(`/sessions/${id}`);
  await page.getByTestId('answer').getByText('It is a test.').waitFor();
  await own.fleet.query("insert into queue_state (queue, paused_at) values ('stage:default', now()) on conflict (queue) do update set paused_at = now()");
  const stage = (await own.fleet.session(id)).stages.find(({ stage_name }) => stage_name === 'broken');
  const replayed = await fetch(`${own.fleet.api}/api/v1/admin/sessions/${id}/stages/${stage.stage_index}/replay`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ reason: 'a test', llm_provider: 'repaired' }),
  });
  assert.ok(replayed.ok, await replayed.text());
  await page.getByTestId('wait').getByText(/Queue stage:default is paused/).waitFor();
  await page.getByTestId('earlier-answer').getByText('It is a test.').waitFor();
  await own.fleet.query("update queue_state set paused_at = null where queue = 'stage:default'");
  await own.fleet.ended(id);
  await page.getByTestId('earlier-answer').waitFor({ state: 'detached' });
  await page.getByTestId('answer').getByText('It is a test.').waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});
