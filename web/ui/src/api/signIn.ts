/** Sign-in and sign-out of this browser. */
import { announceAccess, setTabToken } from './access';
import { request, send } from './client';
import { asApiError } from './problem';
import type { SignedOut } from './types';

/** Prefix of API keys. Any other secret may be a token. */
const KEY = /^tarsy_/;

/** Signs in with a key, or keeps a token in this tab. Throws an `ApiError` if the API does not accept it. */
export async function signIn(secret: string): Promise<void> {
  const headers = { authorization: `Bearer ${secret}` };
  if (KEY.test(secret)) {
    await request('/api/v1/sign-in', { method: 'POST', headers });
    setTabToken(null);
  } else {
    await request('/api/v1/me', { headers });
    setTabToken(secret);
  }
  announceAccess();
}

/**
 * Signs this browser out in every tab, then at the identity provider where it signed in. Succeeds also if the session
 * has already ended.
 */
export async function signOut(): Promise<void> {
  let there: string | undefined;
  try {
    const signedOut = await send<SignedOut>('POST', '/api/v1/sign-out');
    there = signedOut?.provider_sign_out_url;
  } catch (error) {
    if (asApiError(error).kind !== 'unauthorized') throw error;
  }
  setTabToken(null);
  announceAccess();
  if (there !== undefined) location.assign(there);
}
