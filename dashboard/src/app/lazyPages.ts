/** Lazy pages. The code of a URL's page can be fetched before the app has started. */
import { expectMarkdown, preloadable } from '@tarsy/ui';
import { sessionOf } from './address';

export const sessions = preloadable(async () => import('../sessions/SessionsPage'));
export const session = preloadable(async () => import('../session/SessionPage'));
export const conversation = preloadable(async () => import('../session/Conversation'));
export const approvals = preloadable(async () => import('../approvals/ApprovalsPage'));
export const ask = preloadable(async () => import('../ask/AskPage'));
export const fleet = preloadable(async () => import('../fleet/FleetPage'));
export const usage = preloadable(async () => import('../usage/UsagePage'));
export const config = preloadable(async () => import('../config/ConfigPage'));
export const submit = preloadable(async () => import('../submit/SubmitPage'));
export const keys = preloadable(async () => import('../accessKeys/KeysPage'));

const PAGES = { approvals, ask, fleet, usage, config, submit, keys } as const;

/** Preloads the code of a URL's page. Never fails: it is fetched again when the page is shown. */
export async function preloadPage(path: string): Promise<void> {
  const page = Object.entries(PAGES).find(([name]) => path.endsWith(`/${name}`) || (name === 'ask' && path.includes('/ask/')))?.[1];
  if (sessionOf(path) !== null) await Promise.all([session.expect(), conversation.expect(), expectMarkdown()]);
  else await (page ?? sessions).expect();
}
