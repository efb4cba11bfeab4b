/** Lazy pages. A page whose code has been fetched is shown at once. */
import { expectMarkdown, isRecordInView, preloadable } from '@tarsy/ui';
import { MODULES, pageOf } from './pageModules';

export const inbox = preloadable(MODULES.inbox);
export const sessions = preloadable(MODULES.sessions);
export const session = preloadable(MODULES.session);
export const conversation = preloadable(MODULES.conversation);
export const approvals = preloadable(MODULES.approvals);
export const ask = preloadable(MODULES.ask);
export const fleet = preloadable(MODULES.fleet);
export const usage = preloadable(MODULES.usage);
export const quality = preloadable(MODULES.quality);
export const config = preloadable(MODULES.config);
export const submit = preloadable(MODULES.submit);
export const keys = preloadable(MODULES.keys);
export const setup = preloadable(MODULES.setup);

const PAGES = { inbox, sessions, approvals, ask, fleet, usage, quality, config, submit, keys, setup } as const;

/** Resolves when the page of a path can be shown. Never fails: missing code is fetched when the page is shown. */
export async function pageReady(path: string): Promise<void> {
  const page = pageOf(path);
  if (page === 'session')
    await Promise.all([session.expect(), expectMarkdown(), isRecordInView() && conversation.expect()]);
  else await PAGES[page].expect();
}
