/** Notification deliveries, failed ones first. */
import type { Configuration, Deliveries, Delivery, DeliveryFilter, DeliveryState } from '@tarsy/ui';
import type { HealthStatus } from './upstreams';

/** States in display order. */
export const STATES: readonly DeliveryState[] = ['failed', 'pending', 'delivered'];

/** Position in the deliveries of a state. */
export interface Place {
  state: DeliveryState;
  before: string | null;
}
export interface DeliveryPage {
  deliveries: Delivery[];
  next: Place | null;
  counts: Deliveries['counts'] | null;
}

const PAGE = 50;

/** Reads one page from a position: state by state until the page is full, or only the state `only`. */
export async function readPage(
  read: (filter: DeliveryFilter) => Promise<Deliveries>,
  from: Place,
  target: string | null,
  only: DeliveryState | null,
): Promise<DeliveryPage> {
  const found: Delivery[] = [];
  let place: Place | null = from;
  let counts: Deliveries['counts'] | null = null;
  while (place !== null && found.length < PAGE) {
    const { state, before }: Place = place;
    const page = await read({ state, before, target, limit: PAGE - found.length });
    const later: DeliveryState | undefined = only === null ? STATES[STATES.indexOf(state) + 1] : undefined;
    found.push(...page.deliveries);
    counts = page.counts;
    place =
      page.next != null ? { state, before: page.next } : later === undefined ? null : { state: later, before: null };
  }
  return { deliveries: found, next: place, counts };
}

/** Removes duplicates. A delivery that changed while pages were read is on two of them; the later one is kept. */
export function deduplicated(pages: readonly DeliveryPage[]): Delivery[] {
  const found = new Map<string, Delivery>();
  for (const one of pages.flatMap((page) => page.deliveries)) {
    // `set` alone would leave it at the earlier place, among deliveries of its former state.
    found.delete(one.delivery_id);
    found.set(one.delivery_id, one);
  }
  return [...found.values()];
}

/** Whether a delivery was not attempted yet. */
export const isQueued = ({ state, attempts }: Delivery): boolean => state === 'pending' && attempts === 0;

const STATUS: Record<DeliveryState, HealthStatus> = {
  failed: { tone: 'bad', label: 'failed', why: 'Not retried automatically.' },
  pending: { tone: 'warn', label: 'retrying', why: 'Retried automatically for about 36 hours.' },
  delivered: { tone: 'good', label: 'delivered', why: 'Accepted by the target.' },
};

/** Status of a delivery. */
export const deliveryStatus = (one: Delivery): HealthStatus =>
  isQueued(one) ? { tone: 'run', label: 'queued', why: 'Sent when a worker is free.' } : STATUS[one.state];

/** Label of a state in the filter. */
export const stateLabel = (state: DeliveryState): string => (state === 'pending' ? 'pending' : STATUS[state].label);

/** Time of the last event of a delivery. */
export const lastUs = (one: Delivery): number => one.delivered_at_us ?? one.last_attempt_at_us ?? one.created_at_us;

/** Form in which a refusal is stored. An accepted delivery has only its response status. */
export const ANSWERED = /^answered (\d+)/;

/** Last response of a target; marked as previous while a redelivery is queued. */
export function lastResponse(one: Delivery): string {
  const text =
    one.error?.replace(ANSWERED, 'HTTP $1') ??
    (one.response_status == null ? '' : `HTTP ${String(one.response_status)}`);
  return isQueued(one) && text !== '' ? `previously: ${text}` : text;
}

/** Newest delivery per target. */
export function byTarget(all: readonly Delivery[]): Delivery[] {
  const newest = new Map<string, Delivery>();
  for (const one of all) if (!newest.has(one.target)) newest.set(one.target, one);
  return [...newest.values()].sort((a, b) => a.target.localeCompare(b.target));
}

/** A configured notification target; `lacks`: why it is disabled. */
export interface Target {
  name: string;
  format: string;
  events: string[];
  lacks: string | null;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Notification targets of the configuration; null: unknown. */
export function targets(configuration: Configuration | undefined): Target[] | null {
  const all = configuration?.notifications;
  if (!Array.isArray(all)) return null;
  return all.map((value: unknown) => {
    const one = value as Record<string, unknown>;
    const lacks =
      one.url == null ? 'URL not set' : one.format === 'standard' && one.secret == null ? 'secret not set' : null;
    return {
      name: text(one.name),
      format: text(one.format),
      events: Array.isArray(one.events) ? one.events.map(text) : [],
      lacks,
    };
  });
}
