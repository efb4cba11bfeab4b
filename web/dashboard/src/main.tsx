/** Entry point. Starts fetching the page's code and data while the app is still loading. */
import { prefetchSession, prefetchSessions } from '@tarsy/ui';
import { sessionOf } from './app/address';
import { fetchPage, pageOf } from './app/pageModules';
import { LISTS } from './inbox/queries';
import { isGrouping } from './sessions/grouping';

const id = sessionOf(location.pathname);
if (id !== null) prefetchSession(id);
// With filters in the address, only the page itself knows what to request.
else if (pageOf(location.pathname) === 'sessions' && location.search === '')
  prefetchSessions(isGrouping() ? { lead: 'true' } : {});
else if (pageOf(location.pathname) === 'inbox') Object.values(LISTS).forEach(prefetchSessions);
void fetchPage(location.pathname);
void import('./start').then(async ({ start }) => start());
