/** Sign-in and sign-out of this browser. */
import { announceAccess, setTabToken } from './access';
import { request } from './client';
import { asApiError } from './problem';

/** What API keys begin with; anything else may be a token. */
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

/** Signs this browser out, in every tab. A session that has ended already is no error. */
export async function signOut(): Promise<void> {
  try {
    await request('/api/v1/sign-out', { method: 'POST' });
  } catch (error) {
    if (asApiError(error).kind !== 'unauthorized') throw error;
  }
  setTabToken(null);
  announceAccess();
}
