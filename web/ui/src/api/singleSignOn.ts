/** Sign-in at an identity provider. The API talks to the provider, and redirects the browser there and back. */
import { getJson } from './client';
import { PREFIX } from './prefix';
import type { SignInOptions } from './types';

/** Query parameter that a failed sign-in adds to the page it returns to; its value is the reason. */
const FAILED = 'sign_in_failed';

/** Ways to sign in besides keys. The request needs no credentials. */
export const signInOptions = async (signal: AbortSignal): Promise<SignInOptions> =>
  getJson('/api/v1/sign-in-options', { signal });

/** Address that starts a sign-in. The sign-in returns to this page. */
export function signInAddress(): string {
  const here = `${location.pathname.slice(PREFIX.length)}${location.search}${location.hash}`;
  return `${PREFIX}/api/v1/sign-in/oidc?return_to=${encodeURIComponent(here)}`;
}

/** Removes the reason of a failed sign-in from the address and returns it. Runs before any page reads the address. */
function takeFailure(): string | null {
  const params = new URLSearchParams(location.search);
  const failure = params.get(FAILED);
  if (failure === null) return null;
  params.delete(FAILED);
  const query = params.size === 0 ? '' : `?${params.toString()}`;
  history.replaceState(history.state, '', `${location.pathname}${query}${location.hash}`);
  return failure;
}

/** Reason of the failed sign-in that led to this page; null: no sign-in failed. */
export const SIGN_IN_FAILURE = takeFailure();

const OWN_LOG = "The log of tarsy's API names the reason.";
const REASONS: Readonly<Record<string, string>> = {
  stale: 'The sign-in took too long, or it began in another browser or at another address. Sign in again.',
  denied: 'The identity provider denied the sign-in. If you did not cancel it, ask its administrators for access.',
  refused: `The identity provider reported an error. Sign in again. If that does not help, ask an administrator. ${OWN_LOG}`,
  client:
    'The identity provider does not accept the client ID or the secret of tarsy. An administrator must correct TARSY_OIDC_CLIENT_ID or TARSY_OIDC_CLIENT_SECRET.',
  code: 'The sign-in was used already, or it took too long. Sign in again.',
  unavailable: 'The identity provider can\u2019t be reached. Try again later, or use an access key.',
  invalid: `The identity provider's answer is not valid. Ask an administrator. ${OWN_LOG}`,
  clock:
    'The clocks of tarsy and of the identity provider differ by more than a minute. An administrator must correct them.',
  no_role:
    'The identity provider knows you, but none of your groups has a role here. An administrator can add you to one, or give one a role (TARSY_OIDC_ROLES).',
};

/** Explains the reason of a failed sign-in to the user: what happened and what to do. */
export const failureText = (failure: string): string =>
  REASONS[failure] ?? `The sign-in failed. Ask an administrator. ${OWN_LOG}`;
