// The Usage page: usage of models and tools, and the names of models without a price.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { newPage } from './lib/browser.mjs';
import { configured } from './lib/configured.mjs';
import { looked } from './lib/looks.mjs';
import { setting } from './lib/setting.mjs';

/** A fleet with a chain whose model has a price, in addition to those whose model has none. */
function withPrice() {
  const file = configured(fileURLToPath(new URL('../../', import.meta.url)));
  const config = parse(readFileSync(file, 'utf8'));
  config.llm_providers.repaired.price = { input_per_million: 1000, output_per_million: 1000 };
  config.agent_chains['is-priced'] = {
    alert_types: ['IsPriced'],
    llm_provider: 'repaired',
    stages: [{ name: 'quick', agent: 'Quick' }],
  };
  writeFileSync(file, stringify(config));
  return file;
}

const own = setting({ AGENT_CONFIG_FILE: withPrice() });
const groups = (page) => page.getByTestId('usage-group').locator('th').allInnerTexts();
const choose = async (page, label, word) => {
  await page.getByLabel(label, { exact: true }).click();
  await page.getByRole('option', { name: word, exact: true }).click();
};

test('sums are shown by model and chain, what has no price by name, and a chain leads to its sessions', async () => {
  for (const kind of ['IsPriced', 'IsQuick']) await own.fleet.ended(await own.fleet.submit(`usage-${kind}`, kind));
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/sessions'));
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Usage' }).click();
  await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
  await page.getByTestId('usage-group').nth(1).waitFor();
  const models = await groups(page);
  assert.deepEqual([...models].sort(), ['scripted:repaired.yaml', 'scripted:script.yaml']);
  // One call with 900 input and 60 output tokens, at $1000 per million.
  await page.getByTestId('usage-total').getByText('≥ $0.96').waitFor();
  assert.match(
    await page.getByTestId('not-priced').innerText(),
    /scripted\/scripted:script.yaml: 960 tokens in 1 call/,
  );
  const priced = page.getByTestId('usage-group').filter({ hasText: 'scripted:repaired.yaml' });
  assert.match(await priced.innerText(), /\$0\.96\s[^]*own/);
  const chart = page.getByTestId('usage-chart');
  assert.match(await chart.getAttribute('aria-label'), /^cost by day, .*highest ≥ \$0\.96/);
  // Each group has a part of the bar, and the bar has its value. There was no usage in the previous week.
  await chart.getByText('≥ $0.96', { exact: true }).waitFor();
  assert.deepEqual(await page.getByTestId('usage-legend').getByRole('listitem').allTextContents(), [
    'scripted:repaired.yaml',
  ]);
  await page.getByTestId('usage-total').getByText('new', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'tokens' }).click();
  // The URL changes before the chart is redrawn.
  await page.getByRole('img', { name: /^tokens by day, .*highest 1,920 tokens/ }).waitFor();
  assert.deepEqual(
    await chart.locator('rect[data-group]').evaluateAll((all) => all.map((part) => part.dataset.group).sort()),
    ['scripted:repaired.yaml', 'scripted:script.yaml'],
  );

  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  const saved = await saving;
  assert.equal(saved.suggestedFilename(), 'usage-by-model.csv');
  const lines = readFileSync(await saved.path(), 'utf8')
    .trim()
    .split('\r\n');
  assert.equal(lines.filter((line) => line.endsWith('"group"')).length, 2);

  await choose(page, 'By', 'chain');
  await page.waitForURL(/by=chain/);
  await page.getByRole('link', { name: 'is-priced' }).click();
  await page.waitForURL(/\/sessions\?chain=is-priced/);
  await page.getByTestId('session-row').first().waitFor();
  assert.equal(await page.getByTestId('session-row').count(), 1);
  assert.deepEqual(errors, []);
  await context.close();
});

test('the page looks right and axe finds nothing, also on a phone', async () => {
  const usage = own.fleet.dashboard('/usage?step=hour&range=24h');
  await looked(own.browser, {
    usage: [usage, '[data-testid=usage-group]'],
    'usage-phone': [usage, '[data-testid=usage-group]', 390, 844],
    'usage-empty': [own.fleet.dashboard('/usage?by=tool'), 'text=No calls in this time'],
  });
  const { page, context } = await newPage(own.browser, { width: 390, height: 844 });
  await page.goto(usage);
  await page.getByTestId('usage-group').first().waitFor();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `the page is ${wide} px wide`);
  await context.close();
});
