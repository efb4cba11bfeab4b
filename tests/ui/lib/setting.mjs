// A fleet and a browser for the tests of one file.
import { after, before } from 'node:test';
import { launch } from './browser.mjs';
import { Fleet } from './fleet.mjs';

/** Filled before the first test, ended after the last; `more` variables for the fleet, and its options. */
export function setting(more = {}, options = {}) {
  const own = {};
  before(async () => {
    own.fleet = new Fleet(more, options);
    own.browser = await launch();
    await own.fleet.start();
  });
  after(async () => { await own.browser?.close(); await own.fleet?.stop(); });
  return own;
}

/** The chip tells that events arrive. */
export const live = (page) => page.locator('[data-testid=live-chip]', { hasText: /^live/ }).waitFor();
