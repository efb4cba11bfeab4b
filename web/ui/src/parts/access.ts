import { useQuery } from '@tanstack/react-query';
import { me } from '../api/admin';
import type { Me, Role } from '../api/types';

/** Roles included in each role; `ingest` is for machines. */
const HOLDS: Record<Role, readonly Role[]> = {
  ingest: ['ingest'],
  viewer: ['viewer'],
  operator: ['viewer', 'ingest', 'operator'],
  admin: ['viewer', 'ingest', 'operator', 'admin'],
};

/** Why a user lacks a role; null: allowed or unknown. */
export function deniedReason(who: Me | null | undefined, needed: Role): string | null {
  if (who == null || HOLDS[who.role].includes(needed)) return null;
  return `Requires the ${needed} role. Your role is ${who.role}.`;
}

/** Current user, shared by query key. */
export const useMe = () =>
  useQuery({
    queryKey: ['me'],
    queryFn: async ({ signal }) => me(signal),
    staleTime: 300_000,
    refetchOnWindowFocus: false,
  });

/** Why the current user lacks a role; null: allowed. */
export function useDeniedReason(needed: Role): string | null {
  return deniedReason(useMe().data, needed);
}
