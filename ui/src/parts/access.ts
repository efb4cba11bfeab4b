import { useQuery } from '@tanstack/react-query';
import { me } from '../api/admin';
import type { Me, Role } from '../api/types';

/** Each role with those it holds; `ingest` is for machines. */
const HOLDS: Record<Role, readonly Role[]> = {
  ingest: ['ingest'], viewer: ['viewer'], operator: ['viewer', 'ingest', 'operator'], admin: ['viewer', 'ingest', 'operator', 'admin'],
};

/** Why somebody may not do what a role is needed for; null: they may, or the API has not said. */
export function deniedReason(who: Me | null | undefined, needed: Role): string | null {
  if (who == null || HOLDS[who.role].includes(needed)) return null;
  return `Requires the ${needed} role. Your role is ${who.role}.`;
}

/** Who the API takes us for, asked for once and shared by its key. */
export const useMe = () => useQuery({ queryKey: ['me'], queryFn: async ({ signal }) => me(signal), staleTime: 300_000, refetchOnWindowFocus: false });

/** Why the one who looks may not act; null: they may. */
export function useDeniedReason(needed: Role): string | null {
  return deniedReason(useMe().data, needed);
}
