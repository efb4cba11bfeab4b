// The banner with the fleet's problems, which every page shows. Pages poll it every 15 s, so these tests take longer.
// They have a separate file, so that other files run meanwhile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { opener, setting, warnings } from './lib/setting.mjs';

const own = setting();
const opened = opener(own);

test('a provider that refuses everybody is in the banner until it answers', async () => {
  await own.fleet.ended(await own.fleet.submit('everybody', 'EveryStageFails'));
  const { page, context, errors } = await opened('/sessions');
  const banner = warnings(page).getByText(/^LLM provider scripted has failed every call since .+ \(auth\)/);
  await banner.waitFor({ timeout: 60_000 });
  await own.fleet.ended(await own.fleet.submit('it answers', 'IsQuick'));
  await banner.waitFor({ state: 'detached', timeout: 60_000 });
  assert.deepEqual(errors, []);
  await context.close();
});

test('a frozen worker is said not to answer, in the banner and on Fleet, and is not counted among those that run', async () => {
  const frozen = own.fleet.stageWorker;
  frozen.kill('SIGSTOP');
  const { page, context, errors } = await opened('/fleet');
  const banner = warnings(page).getByText(/^1 stage worker not answering for 15 seconds or more/);
  await banner.waitFor({ timeout: 60_000 });
  const row = page.getByRole('row').filter({ hasText: `:${String(frozen.pid)}` });
  await row.getByText('not answering', { exact: true }).waitFor();
  await warnings(page)
    .getByText(/^No stage worker is running/)
    .waitFor();
  frozen.kill('SIGCONT');
  await banner.waitFor({ state: 'detached', timeout: 60_000 });
  await row.getByText('not answering', { exact: true }).waitFor({ state: 'detached' });
  assert.deepEqual(errors, []);
  await context.close();
});
