// The label of a session: in the list, as a filter, and in the header of the session page; also sessions without a
// label.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { newPage } from './lib/browser.mjs';
import { configured } from './lib/configured.mjs';
import { looked } from './lib/looks.mjs';
import { setting } from './lib/setting.mjs';

/** A fleet with two chains that have labels. One agent gives `action`, the other an unknown label. */
function withLabels() {
  const file = configured(fileURLToPath(new URL('../../', import.meta.url)));
  const config = parse(readFileSync(file, 'utf8'));
  const { script } = config.llm_providers.scripted;
  const { rules } = parse(readFileSync(script, 'utf8'));
  const asked = (stage, text) => ({ when: { stage, contains: 'Reply with one JSON object' }, reply: { text } });
  writeFileSync(
    script,
    stringify({ rules: [asked('labels', '{"label": "action"}'), asked('mumbles', 'urgent'), ...rules] }),
  );
  for (const stage of ['labels', 'mumbles'])
    config.agent_chains[stage] = {
      alert_types: [stage === 'labels' ? 'Labels' : 'Mumbles'],
      labels: ['noise', 'watch', 'action'],
      stages: [{ name: stage, agent: 'Quick' }],
    };
  writeFileSync(file, stringify(config));
  return file;
}

const own = setting({ AGENT_CONFIG_FILE: withLabels() });

test('a label is a chip in the list and on the page, a filter finds it, and a missing one says why', async () => {
  const [labelled, without] = [await own.fleet.submit('label', 'Labels'), await own.fleet.submit('label', 'Mumbles')];
  for (const id of [labelled, without]) await own.fleet.ended(id);
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/sessions'));
  await page.getByTestId('session-row').nth(1).waitFor();
  assert.equal(await page.getByTitle('Label that the agent gave').count(), 1);
  await page.getByRole('region', { name: 'Label' }).getByRole('button', { name: 'action' }).click();
  await page.waitForURL(/label=action/);
  await page.waitForFunction(() => document.querySelectorAll('[data-testid=session-row]').length === 1);
  await page.getByTestId('session-row').getByText('action', { exact: true }).waitFor();

  await page.goto(own.fleet.dashboard(`/sessions/${labelled}`));
  const chip = page.getByTestId('label');
  await chip.waitFor();
  assert.equal(await chip.innerText(), 'action');
  await page.goto(own.fleet.dashboard(`/sessions/${without}`));
  await chip.getByText('no label').waitFor();
  assert.match(await chip.getAttribute('title'), /label/);
  assert.deepEqual(errors, []);
  await context.close();
  await looked(own.browser, {
    label: [own.fleet.dashboard(`/sessions/${labelled}`), '[data-testid=label]'],
    'label-missing-phone': [own.fleet.dashboard(`/sessions/${without}`), '[data-testid=label]', 390, 844],
  });
});
