/** Modules of the pages. This file does not import React, so the entry can fetch a page before the app is loaded. */
import { isRecordInView, markdownModule } from '@tarsy/ui';
import { sessionOf } from './address';

export const MODULES = {
  inbox: async () => import('../inbox/InboxPage'),
  sessions: async () => import('../sessions/SessionsPage'),
  session: async () => import('../session/SessionPage'),
  conversation: async () => import('../session/Conversation'),
  approvals: async () => import('../approvals/ApprovalsPage'),
  ask: async () => import('../ask/AskPage'),
  fleet: async () => import('../fleet/FleetPage'),
  usage: async () => import('../usage/UsagePage'),
  quality: async () => import('../quality/QualityPage'),
  config: async () => import('../config/ConfigPage'),
  submit: async () => import('../submit/SubmitPage'),
  keys: async () => import('../accessKeys/KeysPage'),
  setup: async () => import('../setup/SetupPage'),
} as const;

/** Pages with a path that equals their name. */
const NAMED = [
  'approvals',
  'ask',
  'fleet',
  'usage',
  'quality',
  'config',
  'submit',
  'keys',
  'setup',
  'sessions',
] as const;

/** Name of the page of a path. */
export function pageOf(path: string): 'session' | 'inbox' | (typeof NAMED)[number] {
  if (sessionOf(path) !== null) return 'session';
  return NAMED.find((name) => path.endsWith(`/${name}`) || (name === 'ask' && path.includes('/ask/'))) ?? 'inbox';
}

/** Fetches the code of a path's page. Never fails: it is fetched again when the page is shown. */
export async function fetchPage(path: string): Promise<void> {
  const page = pageOf(path);
  const parts =
    page === 'session'
      ? [MODULES.session, markdownModule, ...(isRecordInView() ? [MODULES.conversation] : [])]
      : [MODULES[page]];
  await Promise.allSettled(parts.map(async (load) => load()));
}
