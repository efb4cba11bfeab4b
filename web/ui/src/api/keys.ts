/** API keys; for admins. */
import { getJson, send } from './client';
import type { AccessKey, AccessKeys, NewAccessKey, NewAccessKeyRequest } from './types';

const KEYS = '/api/v1/admin/keys';

/** All keys, newest first, revoked ones too. */
export const accessKeys = async (signal?: AbortSignal): Promise<AccessKey[]> =>
  (await getJson<AccessKeys>(KEYS, { signal })).keys;

/** Creates a key. Only this response contains the key itself. */
export async function createAccessKey(wanted: NewAccessKeyRequest): Promise<NewAccessKey> {
  const made = await send<NewAccessKey>('POST', KEYS, wanted);
  if (made === null) throw new Error('the API did not return the key');
  return made;
}

export const revokeAccessKey = async (id: string, reason: string) =>
  send<AccessKey>('POST', `${KEYS}/${encodeURIComponent(id)}/revoke`, { reason });
