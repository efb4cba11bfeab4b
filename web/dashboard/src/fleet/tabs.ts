/** Tabs of the Fleet page. Each has its own address. */
import { hasFilters, readAuditFilters } from './audit';

export const FLEET_TABS = [
  ['overview', 'Overview'],
  ['sources', 'Sources'],
  ['dead', 'Dead jobs'],
  ['rejected', 'Rejected alerts'],
  ['notifications', 'Notifications'],
  ['audit', 'Audit log'],
] as const;
export type FleetTab = (typeof FLEET_TABS)[number][0];

/** Returns the tab that an address names by its hash. Without a hash, filters of the audit log select the audit log. */
export function readFleetTab(hash: string, params: URLSearchParams): FleetTab {
  const named = FLEET_TABS.find(([name]) => hash === `#${name}`)?.[0];
  return named ?? (hasFilters(readAuditFilters(params)) ? 'audit' : 'overview');
}

/** Address of a tab, relative to the page. */
export const fleetTabTo = (tab: FleetTab): { hash: string; search: string } => ({
  hash: tab === 'overview' ? '' : tab,
  search: '',
});
