// Appearance and accessibility of dialogs and other overlays.
import { test } from 'node:test';
import { dialogs } from './lib/dialogs.mjs';
import { looked } from './lib/looks.mjs';
import { replayed } from './lib/replayed.mjs';
import { setting } from './lib/setting.mjs';

const own = setting();

test('nothing that opens over a page has an accessibility issue; each is photographed', async () => {
  const { fleet } = own;
  const [failed, again] = await Promise.all([fleet.submit('opens', 'StageFails', 'critical'), replayed(fleet)]);
  await fleet.ended(failed);
  // Both colour schemes are checked before it ends.
  const running = await fleet.submit('opens', 'TakesLong', 'info');
  await fleet.submit('opens too', 'TakesLong', 'info');
  await looked(own.browser, dialogs(fleet, { failed, running, again }));
});
