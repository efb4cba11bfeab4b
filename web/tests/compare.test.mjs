// A replayed stage: both attempts side by side, used without a mouse.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choose, keys, openedFor, press, reach } from './lib/keyboard.mjs';
import { replayed } from './lib/replayed.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();
const opened = openedFor(own);

test('attempts are compared: what was found, called, spent, and by whom it was asked for', async () => {
  const id = await replayed(own.fleet);
  const { page, close } = await opened(`/sessions/${id}`, '[data-testid=stage-card]');
  const button = page.getByTestId('stage-card').first().getByRole('button', { name: 'Compare' });
  await press(page, button);
  const dialog = page.getByTestId('compare');
  await page.waitForURL(/compare=1/);
  const figure = (name) => dialog.locator(`[data-figure="${name}"]`);
  await figure('status').getByText('failed').waitFor();
  await figure('status').getByText('completed').waitFor();
  await figure('trigger')
    .getByText(/with provider repaired: the key was revoked/)
    .waitFor();
  assert.deepEqual(await figure('provider').locator('td').allTextContents(), ['scripted', 'repaired', 'differs']);
  const { stages } = await own.fleet.session(id);
  const [first, second] = [1, 2].map((attempt) =>
    stages.find((stage) => stage.stage_index === 0 && stage.attempt === attempt),
  );
  assert.deepEqual(
    await figure('model calls').locator('td').allTextContents(),
    [first, second].map((stage) => String(stage.llm_interaction_count)).concat(''),
  );
  assert.equal(
    await figure('output tokens').locator('td').last().textContent(),
    `+${String(second.output_tokens - first.output_tokens)}`,
  );
  await dialog.getByText('only in attempt 2; none in attempt 1').waitFor();
  const called = (kind) => dialog.locator(`[data-testid=called][data-kind=${kind}]`);
  await called('same').getByText('demo-cluster.resources_get').waitFor();
  await called('gone').getByText('demo-cluster.events_list').waitFor();
  await called('new').getByText('PaymentLedger').waitFor();
  await press(page, called('new').getByRole('button', { name: 'Result' }));
  await called('new').getByText('payments.example.com/archive-ledger').first().waitFor();

  // The next stage ran again too. Compare its two conclusions.
  await choose(page, page.getByRole('combobox', { name: 'Stage' }), '2. tell');
  await page.waitForURL(/compare=2/);
  const line = (kind) => dialog.locator(`[data-diff=${kind}]`);
  await line('gone').getByText('The root cause is not known: nothing could be looked at.').waitFor();
  await line('new').getByText('The finalizer archive-ledger is never removed: its operator is gone.').waitFor();
  assert.deepEqual(await line('gone').locator('mark').allTextContents(), ['provider']);
  assert.deepEqual(await line('new').locator('mark').allTextContents(), ['operator']);
  await press(page, page.getByRole('button', { name: 'Swap attempts' }));
  await page.waitForURL((url) => url.searchParams.get('compare') === '2:2-1');
  await line('new').getByText('The root cause is not known').waitFor();
  const link = page.url();
  await keys(page, 'Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.ok(!page.url().includes('compare'));

  // Open the comparison by its link, then by its key.
  await page.goto(link);
  await line('gone').getByText('its operator is gone').waitFor();
  await keys(page, 'Escape');
  await dialog.waitFor({ state: 'detached' });
  await keys(page, 'c');
  await called('gone').waitFor();
  await press(page, called('new').getByRole('button', { name: 'Result' }));
  await press(page, called('new').getByRole('link', { name: 'View in attempt 2' }));
  await page.locator('[data-marked=true]').getByText('PaymentLedger').first().waitFor();
  await dialog.waitFor({ state: 'detached' });
  await reach(page, button);
  await close();
});
