// A fleet and a browser for the tests of one file.
import { after, before } from 'node:test';
import { launch, newPage } from './browser.mjs';
import { Fleet } from './fleet.mjs';

/**
 * Starts fleet and browser before the first test, and ends them after the last. `more`: additional variables of the
 * fleet, and its options.
 */
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

/** Returns the banner with the fleet's problems. */
export const warnings = (page) => page.getByRole('region', { name: 'Warnings' });

/** Opens pages of a setting. */
export const opener = (own) => async (path) => {
  const told = await newPage(own.browser);
  await told.page.goto(own.fleet.dashboard(path));
  return told;
};

/** Waits until the chip shows that events arrive. */
export const live = (page) => page.locator('[data-testid=live-chip]', { hasText: /^live/ }).waitFor();
