/** The first that runs: small, so that what a link points to is asked for while the app itself is still being read. */
import { askSessionEarly } from '@tarsy/ui';
import { sessionOf } from './app/address';

const id = sessionOf(location.pathname);
if (id !== null) {
  askSessionEarly(id);
  import('./session/SessionPage').catch(() => undefined);
}
void import('./start');
