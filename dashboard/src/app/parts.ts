/** Code that comes page by page. What an address needs can be fetched before the app itself has been read. */
import { expectMarkdown, lazily } from '@tarsy/ui';
import { sessionOf } from './address';

export const sessions = lazily(async () => import('../sessions/SessionsPage'));
export const session = lazily(async () => import('../session/SessionPage'));
export const conversation = lazily(async () => import('../session/Conversation'));
export const fleet = lazily(async () => import('../fleet/FleetPage'));
export const config = lazily(async () => import('../config/ConfigPage'));
export const submit = lazily(async () => import('../submit/SubmitPage'));

const PAGES = { fleet, config, submit } as const;

/** Fetch what the page of this address is made of. Never fails: what could not be had is asked for again when it is shown. */
export async function expectPage(path: string): Promise<void> {
  const page = Object.entries(PAGES).find(([name]) => path.endsWith(`/${name}`))?.[1];
  if (sessionOf(path) !== null) await Promise.all([session.expect(), conversation.expect(), expectMarkdown()]);
  else await (page ?? sessions).expect();
}
