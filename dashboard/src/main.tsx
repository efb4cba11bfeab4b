/** The first that runs: small, so that what a link points to is asked for while the app itself is still being read. */
import { askSessionEarly } from '@tarsy/ui';
import { sessionOf } from './app/address';
import { expectPage } from './app/parts';

const id = sessionOf(location.pathname);
if (id !== null) askSessionEarly(id);
// Begun with the page at hand: the first that is shown is the page itself.
void Promise.all([import('./start'), expectPage(location.pathname)]).then(([{ start }]) => { start(); });
