/** Code that comes page by page. What an address needs can be fetched before the app itself has been read. */
import { expectMarkdown, preloadable } from '@tarsy/ui';
import { sessionOf } from './address';

export const sessions = preloadable(async () => import('../sessions/SessionsPage'));
export const session = preloadable(async () => import('../session/SessionPage'));
export const conversation = preloadable(async () => import('../session/Conversation'));
export const fleet = preloadable(async () => import('../fleet/FleetPage'));
export const config = preloadable(async () => import('../config/ConfigPage'));
export const submit = preloadable(async () => import('../submit/SubmitPage'));

const PAGES = { fleet, config, submit } as const;

/** Fetch what the page of this address is made of. Never fails: what could not be had is asked for again when it is shown. */
export async function preloadPage(path: string): Promise<void> {
  const page = Object.entries(PAGES).find(([name]) => path.endsWith(`/${name}`))?.[1];
  if (sessionOf(path) !== null) await Promise.all([session.expect(), conversation.expect(), expectMarkdown()]);
  else await (page ?? sessions).expect();
}
