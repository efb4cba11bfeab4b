// A fleet and a browser for the tests of one file.
import { after, before } from 'node:test';
import { launch, newPage } from './browser.mjs';
import { Fleet } from './fleet.mjs';

/** Filled before the first test, ended after the last; `more` variables for the fleet, and its options. */
export function setting(more = {}, options = {}) {
  const own = {};
  before(async () => {
    own.fleet = new Fleet(more, options);
    own.browser = await launch();
    await own.fleet.start();
  });
  after(async () => {
    await own.browser?.close();
    await own.fleet?.stop();
  });
  return own;
}

/** What is wrong with the fleet, as each page tells it. */
export const warnings = (page) => page.getByRole('region', { name: 'Warnings' });

/** Opens pages of a setting. */
export const opener = (own) => async (path) => {
  const told = await newPage(own.browser);
  await told.page.goto(own.fleet.dashboard(path));
  return told;
};

/** The chip tells that events arrive. */
export const live = (page) => page.locator('[data-testid=live-chip]', { hasText: /^live/ }).waitFor();
