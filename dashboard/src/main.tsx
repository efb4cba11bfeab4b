/** Entry point. Starts fetching the linked page while the app is still loading. */
import { prefetchSession } from '@tarsy/ui';
import { sessionOf } from './app/address';
import { preloadPage } from './app/lazyPages';

/** Longest wait for the page's code before the app renders, milliseconds. */
const PATIENCE_MS = 300;

const id = sessionOf(location.pathname);
if (id !== null) prefetchSession(id);
const page = preloadPage(location.pathname);
void import('./start').then(async ({ start }) => {
  await Promise.race([page, new Promise((over) => { setTimeout(over, PATIENCE_MS); })]);
  start();
});
