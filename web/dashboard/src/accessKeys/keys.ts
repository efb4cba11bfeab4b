/** State, roles and lifetimes of access keys, for their page. */
import type { AccessKey, Role } from '@tarsy/ui';

export type KeyState = 'active' | 'expired' | 'revoked';

/** Returns the state of a key at a time. */
export function keyState(key: Pick<AccessKey, 'revoked_at_us' | 'expires_at_us'>, nowUs: number): KeyState {
  if (key.revoked_at_us != null) return 'revoked';
  return key.expires_at_us != null && key.expires_at_us <= nowUs ? 'expired' : 'active';
}

/** Roles from the least to the most powerful, with their permissions. */
export const ROLES: readonly (readonly [Role, string])[] = [
  ['ingest', 'sends alerts; for monitoring systems'],
  ['viewer', 'reads everything'],
  ['operator', 'also replays, cancels, pauses, approves'],
  ['admin', 'also manages keys and prunes history'],
];

/** Lifetimes to choose from, in days; null: the key does not expire. */
export const LIFETIMES: readonly (readonly [string, number | null])[] = [
  ['30 days', 30],
  ['90 days', 90],
  ['1 year', 365],
  ['Never', null],
];

/** Expiry of a key that is created now, in Unix microseconds. */
export const expiryOf = (days: number | null, nowUs: number): number | null =>
  days === null ? null : nowUs + days * 86_400_000_000;
