// Search for sessions: typed and completed filters, comparisons, calendar days, and own sessions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { until } from './lib/fleet.mjs';
import { looked } from './lib/looks.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();
const row = '[data-testid=session-row]';

/** Creates sessions of the last three days, in two namespaces, with three severities and different costs. */
async function scattered() {
  await own.fleet.query(`with made as (
      insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, fingerprint, status, outcome, started_at_us, completed_at_us, chain_id, chain_definition, final_analysis)
      select gen_random_uuid(), gen_random_uuid(), type, jsonb_build_object('namespace', namespace, 'cluster', 'eu-1'), severity, 1, 'api', 'found ' || n, 'completed', 'completed', at_us, at_us + 5, 'is-quick', '{}', 'all is well'
      from (values (1, 'OfToday', 'shop', 'critical', now_us()), (2, 'OfToday', 'bank', 'warning', now_us()), (3, 'OfYesterday', 'shop', 'HIGH', (extract(epoch from date_trunc('day', now() at time zone 'utc')) * 1000000)::bigint - 3600000000),
                   (4, 'OfOld', 'shop', 'info', now_us() - 20 * 86400000000)) v (n, type, namespace, severity, at_us)
      returning session_id, alert_type, severity, completed_at_us),
    care as (insert into session_care (session_id, assignee) select session_id, 'ada' from made where severity = 'warning')
    insert into session_tallies (session_id, completed_at_us, completed_stages, failed_stages, llm_calls, mcp_calls, cost_usd)
    select session_id, completed_at_us, 1, 0, 1, 0, case severity when 'critical' then 2.5 else 0.1 end from made`);
  // Attributes of alerts are indexed with a delay of a second or two.
  await until(
    'namespaces are known',
    async () =>
      (await own.fleet.query("select 1 from session_traits where trait = 'namespace=bank'")).rows.length === 1,
  );
}

const shown = (page, types) =>
  page.waitForFunction((wanted) => {
    const rows = [...globalThis.document.querySelectorAll('[data-testid=session-row]')];
    return rows.length === wanted.length && wanted.every((type) => rows.some((one) => one.textContent.includes(type)));
  }, types);

test('filters are completed while one types, by name and then by value, and narrow the list', async () => {
  await scattered();
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/sessions'));
  await shown(page, ['OfToday', 'OfToday', 'OfYesterday', 'OfOld']);
  await page.keyboard.press('/');
  await page.keyboard.type('name');
  const completions = page.getByRole('listbox', { name: 'Completions' });
  await completions.getByRole('option', { name: 'namespace:' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await completions.getByRole('option', { name: 'namespace:shop' }).click();
  await shown(page, ['OfToday', 'OfYesterday', 'OfOld']);
  await page.keyboard.type('severity:>=h');
  await completions.getByRole('option', { name: 'severity:>=high' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  await shown(page, ['OfToday', 'OfYesterday']);
  assert.equal(await page.getByLabel('Search sessions').inputValue(), 'namespace:shop severity:>=high ');
  // Costs come from the workers' totals, which find no calls of these sessions. The tests of the API compare costs.
  await page.keyboard.type('cost');
  await completions.getByRole('option', { name: 'cost:' }).waitFor();
  await page.keyboard.press('Escape');
  await completions.waitFor({ state: 'detached' });
  const typed = await page.getByLabel('Search sessions').inputValue();
  await page.keyboard.press('Escape');
  const left = await page.getByLabel('Search sessions').inputValue();
  assert.deepEqual(
    [typed, left],
    Array(2).fill('namespace:shop severity:>=high cost'),
    'Escape closes what is offered, then leaves the field; it empties nothing',
  );
  assert.deepEqual(errors, []);
  await context.close();
});

test('a filter that matches nothing says what may have been meant, and the search has the rest of its row', async () => {
  const { page, context, errors } = await newPage(own.browser);
  const hints = page.getByTestId('search-hints');
  await page.goto(own.fleet.dashboard('/sessions?search=cluster%3Aeu'));
  await hints.getByText('cluster:eu matches no cluster. Did you mean').waitFor();
  await hints.getByRole('button', { name: 'cluster:eu-1' }).click();
  await shown(page, ['OfToday', 'OfToday', 'OfYesterday', 'OfOld']);
  assert.equal(new URL(page.url()).searchParams.get('search'), 'cluster:eu-1');
  assert.equal(await page.getByText('match in details').count(), 0, 'a filter is no word that a row could show');
  await page.goto(own.fleet.dashboard('/sessions?search=namespce%3Ashop'));
  await hints.getByText('No filter is called namespce.').waitFor();
  await hints.getByRole('button', { name: 'namespace:shop' }).click();
  await shown(page, ['OfToday', 'OfYesterday', 'OfOld']);
  const [field, total] = [
    await page.getByLabel('Search sessions').boundingBox(),
    await page.getByTestId('total').boundingBox(),
  ];
  assert.ok(field.width > 400, `the field has ${field.width} pixels`);
  assert.ok(total.x - field.x - field.width < 260, 'nothing but the time span follows it');
  assert.deepEqual(errors, []);
  await context.close();
});

test('days and weeks of the calendar, namespaces and people at the side', async () => {
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/sessions?range=yesterday'));
  await shown(page, ['OfYesterday']);
  await page.getByRole('combobox', { name: 'Started within' }).click();
  await page.getByRole('option', { name: 'Today' }).click();
  await shown(page, ['OfToday', 'OfToday']);
  const side = page.getByRole('complementary', { name: 'Filters' });
  await side.getByRole('region', { name: 'Namespace' }).getByRole('button', { name: 'bank' }).click();
  await shown(page, ['OfToday']);
  await page.waitForURL(/namespace=bank/);
  await side.getByRole('region', { name: 'Assignee' }).getByRole('button', { name: 'ada' }).click();
  await shown(page, ['OfToday']);
  await page.waitForURL(/assignee=ada/);
  assert.deepEqual(errors, []);
  await context.close();
});

test('the completions look right in both schemes, also on a phone', async () => {
  const typed = async (page) => {
    await page.getByLabel('Search sessions').fill('');
    await page.getByLabel('Search sessions').pressSequentially('severity:');
    await page.getByRole('listbox', { name: 'Completions' }).waitFor();
    await page.keyboard.press('ArrowDown');
  };
  await looked(own.browser, {
    'search-completion': [own.fleet.dashboard('/sessions'), row, 1440, 900, typed],
    'search-completion-phone': [own.fleet.dashboard('/sessions'), row, 390, 844, typed],
  });
});
