// Changes near an alert, on the time axis of its session.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage } from './lib/browser.mjs';
import { looked } from './lib/looks.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();

/** Records changes, each with its offset in minutes, title and link. */
async function record(aroundUs, changes) {
  for (const [number, [minutes, title, link]] of changes.entries())
    await own.fleet.query(
      `insert into changes (change_id, happened_at_us, source, external_id, kind, title, service, namespace, cluster, link)
       select (lpad(to_hex(now_us() / 1000), 12, '0') || lpad('${String(number)}', 20, '0'))::uuid,
              ${String(Math.round(aroundUs + minutes * 60_000_000))}, 'github', '${title}', 'deployment', '${title}', 'payments',
              'team-payments-staging', 'demo', ${link === undefined ? 'null' : `'${link}'`}`,
    );
}

test('changes are marks on the axis and lines with age and link, quiet, for everybody', async () => {
  const { fleet } = own;
  const id = await fleet.submit('changes');
  await fleet.ended(id);
  const { page, context, errors } = await newPage(own.browser);
  const waterfall = fleet.dashboard(`/sessions/${id}?tab=waterfall`);
  const changes = page.getByTestId('changes');
  await Promise.all([page.waitForResponse(/\/changes$/), page.goto(waterfall)]);
  await page.getByTestId('waterfall').waitFor();
  assert.equal(await changes.count(), 0, 'nothing changed');

  const { stages, alert_timestamp_us: alertUs } = await fleet.session(id);
  const beganUs = Math.min(...stages.map((stage) => stage.started_at_us));
  const page7 = 'https://git.example.com/payments/commit/4f2c9ab';
  await record(alertUs ?? beganUs, [
    [-12, 'Deployed v2.4.1 to staging', page7],
    [-190, 'Raised the quota', 'javascript:alert(1)'],
    [-400, 'Rotated the certificate'],
  ]);
  await record(beganUs, [[0.0001, 'Rolled back']]);
  await page.goto(waterfall);
  const summary = changes.getByText('4 changes near the alert');
  await summary.waitFor();
  const line = changes.getByRole('listitem');
  assert.equal(await line.first().isVisible(), false, 'many are folded up');
  const marks = (at) => changes.locator(`[data-testid=change-mark][data-at=${at}]`);
  assert.deepEqual([await marks('before').count(), await marks('on').count()], [3, 1]);
  await summary.click();
  const deployed = line.filter({ hasText: 'Deployed v2.4.1 to staging' });
  await deployed.getByText(/^1[123] min before the alert$/).waitFor();
  const link = deployed.getByRole('link');
  assert.deepEqual(
    [await link.getAttribute('href'), await link.getAttribute('rel')],
    [page7, 'noopener noreferrer nofollow'],
  );
  assert.match(await line.filter({ hasText: 'Raised the quota' }).innerText(), /3\sh\s\d\d\smin before the alert/);
  assert.equal(await changes.getByRole('link').count(), 1, 'what is no page is not followed');
  assert.deepEqual(errors, []);
  await context.close();

  const opened = async (seen) => seen.getByTestId('changes').locator('summary').click();
  await looked(own.browser, {
    changes: [waterfall, '[data-testid=changes]', 1440, 900, opened],
    'changes-phone': [waterfall, '[data-testid=changes]', 390, 900, opened],
  });
});
