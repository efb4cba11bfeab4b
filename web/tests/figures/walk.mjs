// Performs the tasks of an on-call engineer, and prints the clicks, keys and seconds of each. Run `npm run build`
// first. This is not a test.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { launch, newPage } from '../lib/browser.mjs';
import { Fleet, until } from '../lib/fleet.mjs';

const fleet = new Fleet();
const browser = await launch();
const table = [];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Performs one task. Counts its clicks and keys, and its seconds from the first page load. */
async function task(name, options, walk) {
  const { page, context } = await newPage(browser, { history: 'grouped', ...options });
  const did = { clicks: 0, keys: 0 };
  const press = async (locator) => {
    did.clicks += 1;
    await locator.click();
  };
  const key = async (word) => {
    did.keys += 1;
    await page.keyboard.press(word);
  };
  const began = Date.now();
  let said = '';
  try {
    said = (await walk({ page, context, press, key, go: (path) => page.goto(fleet.dashboard(path)) })) ?? '';
  } catch (error) {
    said = `FAILED: ${String(error).split('\n')[0]}`;
  }
  table.push([name, did.clicks, did.keys, ((Date.now() - began) / 1000).toFixed(1), said]);
  await context.close();
}

const PHONE = { width: 390, height: 844 };
const overflow = (page) => page.evaluate(() => globalThis.document.documentElement.scrollWidth - globalThis.innerWidth);

/** Creates alerts of one outage last night in two clusters, and others. */
async function lastNight() {
  await fleet.query(`insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source, fingerprint, status, outcome, started_at_us, completed_at_us, chain_id, chain_definition, final_analysis, verdict)
    select gen_random_uuid(), gen_random_uuid(), 'HTTPErrors', jsonb_build_object('cluster', cluster, 'namespace', namespace, 'pod', 'cart-' || n), 'critical', 1, 'api', 'walk' || n || cluster || namespace, 'completed', 'completed',
           (extract(epoch from date_trunc('day', now() at time zone 'utc')) * 1000000)::bigint + (150 + n) * 60000000::bigint, (extract(epoch from date_trunc('day', now() at time zone 'utc')) * 1000000)::bigint + (160 + n) * 60000000::bigint,
           'is-quick', '{}', 'cart-config v413 names a wrong host.', 'supported'
    from generate_series(1, 7) n, (values ('prod-eu-1', 'shop'), ('prod-eu-2', 'shop'), ('prod-us-1', 'bank')) v (cluster, namespace)`);
}

try {
  await fleet.start();
  await task('1 first visit', {}, async ({ page, press, go }) => {
    await go('/');
    await page.getByTestId('setup-note').waitFor();
    await press(page.getByTestId('setup-note').getByRole('link', { name: 'Set up' }));
    await page.getByTestId('setup-webhook').waitFor();
    return 'what is missing, with the address of the webhook';
  });
  await lastNight();
  const [done, gated] = await Promise.all([
    fleet.submit('walk', 'Invents', 'warning'),
    fleet.submit('walk', 'Gated', 'warning'),
  ]);
  await fleet.ended(done);
  await until(
    'last night is grouped',
    async () => (await fleet.query('select 1 from incident_members')).rows.length > 13,
  );
  await task('2 last night, shop, EU', {}, async ({ page, press, go }) => {
    await go('/sessions');
    await press(page.getByRole('combobox', { name: 'Started within' }));
    await press(page.getByRole('option', { name: 'Last night' }));
    for (const value of ['prod-eu-1', 'prod-eu-2', 'shop'])
      await press(page.getByRole('complementary', { name: 'Filters' }).getByRole('button', { name: value }));
    const rows = page.getByTestId('session-row');
    await until('fourteen rows', async () => (await rows.count()) === 14);
    return '14 of 21 alerts';
  });
  await task('2b the same as incidents', {}, async ({ page, go }) => {
    await go('/sessions');
    await page.getByText('7 alerts').first().waitFor();
    return `${String(await page.getByTestId('session-row').filter({ hasText: 'HTTPErrors' }).count())} rows of 21 alerts`;
  });
  await task('3 read a finished session', {}, async ({ page, press, go }) => {
    await go('/sessions');
    await press(page.getByRole('link', { name: 'Invents' }).first());
    await page.getByTestId('answer').waitFor();
  });
  await task('4 running session', {}, async ({ page, press, go }) => {
    const id = await fleet.submit('walk', 'WritesSlowly', 'warning');
    await go('/inbox');
    await press(page.locator(`[data-id="${id}"]`).getByRole('link'));
    await page.getByTestId('answer').waitFor();
    await page
      .getByTestId('answer')
      .getByText(/\w{3,} \w{3,}/)
      .first()
      .waitFor();
  });
  await until('the gate waits', async () => (await fleet.session(gated)).waits.length > 0);
  await task('5 approve', {}, async ({ page, press, go }) => {
    await go('/approvals');
    await page.getByTestId('wait-target').first().waitFor();
    await press(page.getByTestId('approve').first());
    await page.getByLabel('Reason').fill('it was announced');
    await press(page.getByTestId('reason-confirm'));
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    return 'with target, evidence and what follows; a reason is typed';
  });
  await task('6 follow-up question', {}, async ({ page, key, go }) => {
    await go(`/sessions/${done}`);
    await page.getByTestId('question').waitFor();
    await key('q');
    await page.keyboard.type('Who holds the namespace?');
    await key('Enter');
    await page.getByTestId('turn-answer').getByText('is held by a finalizer').waitFor();
  });
  const again = await fleet.submit('again', 'IsQuick', 'info');
  await fleet.ended(again);
  await task('7 replay a completed session with another model, compare', {}, async ({ page, press, go }) => {
    await go(`/sessions/${again}`);
    await press(page.getByTestId('replay'));
    await press(page.getByLabel('Provider'));
    await press(page.getByRole('option', { name: 'repaired' }));
    await page.getByLabel('Reason').fill('another model');
    await press(page.getByTestId('reason-confirm'));
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const compare = page.getByTestId('stage-card').first().getByRole('button', { name: 'Compare' });
    await compare.waitFor({ timeout: 60_000 });
    await press(compare);
    await page.getByTestId('compare').waitFor();
  });
  await task('8 stage workers down', {}, async ({ page, go }) => {
    await go('/fleet');
    await page.locator('[data-testid=live-chip]').waitFor();
    fleet.stageWorker.kill('SIGSTOP');
    await page
      .getByRole('region', { name: 'Warnings' })
      .getByText(/not answering/)
      .waitFor({ timeout: 90_000 });
    fleet.stageWorker.kill('SIGCONT');
    return 'until the banner';
  });
  await task('9 usage by week, dearest', {}, async ({ page, press, go }) => {
    await go('/usage');
    await page.getByTestId('usage-group').first().waitFor();
    for (const [label, word] of [
      ['By', 'chain'],
      ['Step', 'week'],
    ]) {
      await press(page.getByLabel(label, { exact: true }));
      await press(page.getByRole('option', { name: word, exact: true }));
    }
    await page.getByTestId('usage-chart').waitFor();
  });
  const waiting = await fleet.submit('phone', 'Gated', 'warning');
  await until('the gate waits', async () => (await fleet.session(waiting)).waits.length > 0);
  await task('10 phone: find, read, decide', PHONE, async ({ page, press, go }) => {
    await go('/sessions');
    await page.getByTestId('session-row').first().waitFor();
    const wide = [await overflow(page)];
    await press(page.getByRole('link', { name: 'Invents' }).first());
    await page.getByTestId('answer').waitFor();
    wide.push(await overflow(page));
    await go('/approvals');
    await press(page.getByTestId('approve').first());
    await page.getByLabel('Reason').fill('it was announced');
    await press(page.getByTestId('reason-confirm'));
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    wide.push(await overflow(page));
    return `pixels beyond the width: ${wide.join(', ')}`;
  });
  await task(
    '11 dark theme, keyboard to the verdict, axe, 200 %',
    { width: 720, height: 450 },
    async ({ page, key, go }) => {
      await go('/sessions');
      await page.getByTestId('session-row').filter({ hasText: 'Invents' }).first().waitFor();
      // From the system's theme to the light one, then to the dark one.
      for (const scheme of ['light', 'dark']) {
        await key('t');
        await page.locator(`html[data-scheme=${scheme}]`).waitFor({ state: 'attached' });
      }
      await page.getByRole('link', { name: 'Invents' }).first().focus();
      await key('Enter');
      await page.getByTestId('answer').waitFor();
      const beyond = await overflow(page);
      await page.evaluate(AXE);
      const { violations } = await page.evaluate(() =>
        globalThis.axe.run(globalThis.document, { resultTypes: ['violations'] }),
      );
      return `pixels beyond the width: ${String(beyond)}; issues: ${violations.map(({ id }) => id).join(', ') || 'none'}`;
    },
  );
  await task('12 1,500 alerts while the list is open', {}, async ({ page, go }) => {
    await go('/sessions');
    await page.getByTestId('session-row').first().waitFor();
    await page.evaluate(() => {
      globalThis.longest = 0;
      new globalThis.PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
      }).observe({ type: 'longtask' });
    });
    const began = Date.now();
    for (let at = 0; at < 1500; at += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, n) => fleet.submit(`storm ${String(at + n)}`, 'TakesLong', 'info')),
      );
    const took = ((Date.now() - began) / 1000).toFixed(1);
    await page
      .getByRole('region', { name: 'Status' })
      .getByRole('button', { name: /^queued 1,4\d\d$/ })
      .waitFor({ timeout: 60_000 });
    const rows = await page.getByTestId('session-row').filter({ hasText: 'TakesLong' }).allInnerTexts();
    const queued = rows.filter((text) => text.includes('queued')).length;
    const longest = await page.evaluate(() => globalThis.longest);
    return `accepted in ${took} s; ${String(queued)} of ${String(rows.length)} rows in view queued; longest task ${longest.toFixed(0)} ms`;
  });
  await task('13 submit', {}, async ({ page, press, go }) => {
    await go('/submit');
    await page.locator('.cm-content').waitFor();
    await press(page.getByRole('button', { name: 'Dry run' }));
    await page.getByTestId('dry-run').waitFor();
    await press(page.getByTestId('submit'));
    await page.waitForURL(/\/sessions\/[0-9a-f-]{36}$/);
    return 'dry run, then the session';
  });
  await task('13 configuration', {}, async ({ page, go }) => {
    await go('/config');
    await page.getByRole('tab').first().waitFor();
    return `first tab: ${await page.getByRole('tab').first().innerText()}`;
  });
  await task('13 a link to an event, from another tab', {}, async ({ page, context, go }) => {
    const { id } = (await fleet.session(done)).stages[0].chronological_interactions[0];
    await go(`/sessions/${done}?event=${id}`);
    await page.locator(`#event-${id}`).waitFor();
    const second = await context.newPage();
    await second.goto(fleet.dashboard(`/sessions/${done}`));
    await second.getByTestId('acknowledge').click();
    await page.getByTestId('care').getByText('acknowledged').first().waitFor();
    return 'acknowledged in one tab, seen in the other';
  });
  await task('13 offline', {}, async ({ page, context, go }) => {
    await go('/sessions');
    const chip = page.locator('[data-testid=live-chip]');
    await chip.filter({ hasText: /^live/ }).waitFor();
    const began = Date.now();
    await context.setOffline(true);
    await chip.filter({ hasNotText: /^live/ }).waitFor({ timeout: 60_000 });
    return `the chip says it after ${((Date.now() - began) / 1000).toFixed(1)} s`;
  });
} finally {
  await browser.close();
  await fleet.stop();
}
console.log('task | clicks | keys | seconds | note');
for (const row of table) console.log(row.join(' | '));
