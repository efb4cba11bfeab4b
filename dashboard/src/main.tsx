/** The first that runs: small, so that what a link points to is asked for while the app itself is still being read. */
import { prefetchSession } from '@tarsy/ui';
import { sessionOf } from './app/address';
import { preloadPage } from './app/lazyPages';

/** Longest that the app waits for the code of its page, milliseconds; beyond that it shows what is there. */
const PATIENCE_MS = 300;

const id = sessionOf(location.pathname);
if (id !== null) prefetchSession(id);
const page = preloadPage(location.pathname);
void import('./start').then(async ({ start }) => {
  await Promise.race([page, new Promise((over) => { setTimeout(over, PATIENCE_MS); })]);
  start();
});
