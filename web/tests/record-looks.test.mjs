// Appearance of a session's record with expanded parts, and of the form that starts from a record.
import { test } from 'node:test';
import { looked } from './lib/looks.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();

test('nothing of it has an accessibility issue, in light and dark; each is photographed', async () => {
  const { fleet } = own;
  const [done, running] = await Promise.all([
    fleet.submit('[MASKED_TOKEN]'),
    fleet.submit('[MASKED_TOKEN]', 'TakesLong'),
  ]);
  await fleet.ended(done);
  const call = (await fleet.session(done)).stages[1].chronological_interactions.find(
    (one) => one.details.tool_name === 'pods_log',
  ).id;
  const page = (path) => fleet.dashboard(path);
  const raw = async (opened) => {
    await opened.getByRole('button', { name: 'Raw', exact: true }).first().click();
    await opened.getByTestId('raw-call').first().waitFor();
  };
  const followed = async (opened) => {
    await opened.keyboard.press('G');
    await opened.getByTestId('newest').getByText('Following', { exact: true }).waitFor();
  };
  const warned = (opened) => opened.getByTestId('masked').waitFor();
  await looked(own.browser, {
    'record-raw': [page(`/sessions/${done}`), '[data-kind=answer]', 1440, 2000, raw],
    'record-phone': [page(`/sessions/${done}?event=${call}`), '[data-kind=tool]', 390],
    'record-followed': [page(`/sessions/${running}`), '[data-testid=stage-card]', 1440, 900, followed],
    'submit-again': [page(`/submit?session=${running}`), '.cm-content', 1440, 900, warned],
    'submit-again-phone': [page(`/submit?session=${done}`), '.cm-content', 390, 900, warned],
  });
});
