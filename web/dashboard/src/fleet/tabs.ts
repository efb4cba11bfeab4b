/** Tabs of the Fleet page. Each has an address of its own. */
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

/** Tab of an address: its hash; filters of the audit log alone name that. */
export function readFleetTab(hash: string, params: URLSearchParams): FleetTab {
  const named = FLEET_TABS.find(([name]) => hash === `#${name}`)?.[0];
  return named ?? (hasFilters(readAuditFilters(params)) ? 'audit' : 'overview');
}

/** Address of a tab, relative to the page. */
export const fleetTabTo = (tab: FleetTab): { hash: string; search: string } => ({
  hash: tab === 'overview' ? '' : tab,
  search: '',
});
