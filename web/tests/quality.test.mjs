// The Quality page: verdicts and ratings of answers, over time and by chain, model and configuration.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { looked } from './lib/looks.mjs';
import { setting } from './lib/setting.mjs';
import { until } from './lib/wait.mjs';

const own = setting();
const SESSIONS = 40;

/** Creates ended sessions of four chains within five days, like those of a real fleet. */
const HISTORY = `
  insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, fingerprint, status,
      outcome, started_at_us, completed_at_us, final_analysis, chain_id, chain_definition, verdict, verdict_check)
  select gen_random_uuid(), gen_random_uuid(), 'Recorded', jsonb_build_object('number', n), 'warning', 0, 'api', 'quality-' || n, 'completed', 'completed',
      now_us() - n * 10000000000 - 60000000, now_us() - n * 10000000000, 'It was DNS.', 'chain-' || n % 4, '{"stages": []}',
      (array['supported', 'supported', 'no_fault', 'partly_supported', 'unsupported', 'not_investigated', 'inconclusive'])[1 + n % 7],
      jsonb_build_object('checked', 5, 'found', 4, 'calls', case n % 7 when 5 then 0 else 2 end, 'tools_offered', true, 'unknown_names',
          case n % 7 when 4 then '["ghost"]'::jsonb else '[]' end)
  from generate_series(1, ${String(SESSIONS)}) n;
  insert into session_care (session_id, rating)
  select session_id, (array['right', 'right', 'partly_right', 'wrong'])[1 + (alert_data ->> 'number')::int % 4]::answer_rating
  from alert_sessions where alert_type = 'Recorded' and (alert_data ->> 'number')::int <= 20;
  update session_scores_cursor set completed_at_us = 0;`;

/** Figures of an evaluation, as `tarsy eval publish` sends them. */
const EVALUATION = {
  provider: 'gemini',
  model: 'gemini-3-flash',
  strategy: 'react',
  configuration: '3f0c9a1b7d2e',
  cases: 47,
  scored: 47,
  right: 41,
  right_low: 0.77,
  right_high: 0.96,
  constant_right: 10,
  facts: 92,
  facts_said: 84,
  guessed: 2,
  healthy: 10,
  false_alarms: 1,
  without_call: 0,
  tokens: 165449,
  cost_usd: 0.12,
  tags: [
    { tag: 'database', cases: 9, right: 8 },
    { tag: 'kubernetes', cases: 14, right: 13 },
  ],
};
const AGAINST = {
  name: 'prompt of October',
  regressed: ['redis-evictions'],
  improved: ['k8s-oom-kill', 'tls-certificate-expired'],
  p_of_cases: 1,
};

async function keep(name, more) {
  const answer = await fetch(`${own.fleet.api}/api/v1/admin/evaluations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, summary: { ...EVALUATION, ...more } }),
  });
  assert.equal(answer.status, 201, await answer.text());
}

/** Returns the totals of the API once all sessions are scored. */
const scored = async (number) =>
  until('all sessions are scored', async () => {
    const answer = await fetch(`${own.fleet.api}/api/v1/quality`);
    const quality = await answer.json();
    return quality.total.sessions === number && quality;
  });

test('verdicts, ratings and scores are shown by chain, model and configuration, and lead to the sessions', async () => {
  await own.fleet.ended(await own.fleet.submit('quality', 'Invents'));
  await own.fleet.query(HISTORY);
  await scored(SESSIONS + 1);
  const { page, context, errors } = await newPage(own.browser);
  await page.goto(own.fleet.dashboard('/sessions'));
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Quality' }).click();
  await page.getByRole('heading', { level: 1, name: 'Quality' }).waitFor();
  await page.getByRole('img', { name: /^Verdicts by day, .*; at most \d+ sessions$/ }).waitFor();
  assert.ok((await page.locator('[data-verdict=supported]').count()) >= 4);

  const cells = async (row) => row.locator('td').allInnerTexts();
  const verdict = (name) =>
    page.getByTestId('quality-verdict').filter({ has: page.getByRole('link', { name, exact: true }) });
  // Of the numbers 1 to 40, six have remainder 4 modulo 7. The fleet's own session is one more.
  assert.deepEqual(await cells(verdict('unsupported')), ['7', '17 %', '1', '1', '1']);
  assert.equal(await page.getByTestId('quality-group').count(), 5);
  const total = await cells(page.getByTestId('quality-total'));
  assert.equal(total[0], '41');
  assert.equal(total[3], '15 %', 'six of 41 have no call');
  assert.equal(total[8], '50 % of 20');

  const kept = page.getByRole('region', { name: 'Evaluations' });
  await kept.getByText('None is kept.').waitFor();
  await keep('prompt of October', {});
  await keep('prompt of November', { against: AGAINST, judge: { model: 'other', same: 90, answered: 102 } });
  await page.reload();
  const newest = page.getByTestId('evaluation').first();
  assert.match(
    await newest.innerText(),
    /prompt of November[^]*41 of 47 \(0\.77–0\.96\)[^]*90 of 102[^]*prompt of October: \+2 −1/,
  );
  await newest.getByText('no longer right: redis-evictions').waitFor();
  await newest.getByText('configuration 3f0c9a1b7d2e').waitFor();

  await page.getByLabel('By', { exact: true }).click();
  await page.getByRole('option', { name: 'model', exact: true }).click();
  await page.getByTestId('quality-group').filter({ hasText: '(none)' }).waitFor();
  assert.equal(await page.getByTestId('quality-group').count(), 2);
  await page.getByRole('combobox', { name: 'By model' }).click();
  await page.getByRole('option', { name: 'configuration', exact: true }).click();
  // Only the fleet's own session has a configuration. Sessions created by SQL have none.
  await page
    .getByTestId('quality-group')
    .filter({ hasText: /[A-Za-z]+ [0-9a-f]{12}/ })
    .waitFor();

  await verdict('not investigated').getByRole('link').click();
  await page.waitForURL(/\/sessions\?.*verdict=not_investigated/);
  await page.waitForFunction(() => document.querySelectorAll('[data-testid=session-row]').length === 6);
  assert.deepEqual(errors, []);
  await context.close();
});

test('the page looks right and axe finds nothing, also on a phone', async () => {
  const quality = own.fleet.dashboard('/quality');
  await looked(own.browser, {
    quality: [quality, '[data-testid=quality-group]'],
    'quality-phone': [quality, '[data-testid=quality-group]', 390, 844],
    'quality-hours': [own.fleet.dashboard('/quality?range=24h&by=model'), 'h1'],
  });
  const { page, context } = await newPage(own.browser, { width: 390, height: 844 });
  await page.goto(quality);
  await page.getByTestId('quality-group').first().waitFor();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `the page is ${String(wide)} px wide`);
  await context.close();
});
