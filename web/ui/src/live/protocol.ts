/** WebSocket protocol. */

/** Channel of every session's progress. */
export const DASHBOARD_CHANNEL = 'dashboard_updates';
/** Channel of the service's health. */
export const SYSTEM_CHANNEL = 'system_health';
/** Channel of one session. */
export const sessionChannel = (id: string): string => `session_${id}`;

/** Type of a local event: the page joined a channel, and got no events for earlier changes. */
export const JOINED = 'joined';

/** An event. */
export interface LiveEvent {
  type: string;
  /** Increases with every event; absent on messages that are not stored. */
  id?: number;
  channel?: string;
  sessionId?: string;
  data?: Record<string, unknown>;
}

export type Incoming =
  | { kind: 'welcome' }
  | { kind: 'subscribed'; channel: string; success: boolean; message?: string; lastId?: number }
  | { kind: 'pong' }
  | { kind: 'ping' }
  /** Events were dropped; refetch. */
  | { kind: 'missed' }
  /** End of a catch-up. */
  | { kind: 'caught_up'; channel: string; events: number; lastId?: number }
  | { kind: 'error'; message: string; code?: string }
  | { kind: 'event'; event: LiveEvent };

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function idOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' && /^\d+$/.test(value)) return Number(value);
  return undefined;
}

/** Parses a message; null: not a message of this protocol. */
export function parseMessage(raw: string): Incoming | null {
  let message: Record<string, unknown>;
  try {
    const parsed: unknown = JSON.parse(raw);
    if (parsed === null || typeof parsed !== 'object') return null;
    message = parsed as Record<string, unknown>;
  } catch {
    return null;
  }
  const type = text(message.type);
  if (type === undefined) return null;
  switch (type) {
    case 'connection_established':
      return { kind: 'welcome' };
    case 'pong':
      return { kind: 'pong' };
    case 'subscription_response':
      return {
        kind: 'subscribed',
        channel: text(message.channel) ?? '',
        success: message.success !== false,
        message: text(message.message),
        lastId: idOf(message.last_event_id),
      };
    case 'ping':
      return { kind: 'ping' };
    case 'missed':
    case 'catchup_overflow':
      return { kind: 'missed' };
    case 'catchup_complete':
      return {
        kind: 'caught_up',
        channel: text(message.channel) ?? '',
        events: idOf(message.events) ?? 0,
        lastId: idOf(message.last_event_id),
      };
    case 'error':
      return { kind: 'error', message: text(message.message) ?? 'the API refused a message', code: text(message.code) };
    default: {
      const data =
        message.data !== null && typeof message.data === 'object'
          ? (message.data as Record<string, unknown>)
          : undefined;
      const event: LiveEvent = {
        type,
        id: idOf(message.id),
        channel: text(message.channel),
        sessionId: text(message.session_id) ?? text(data?.session_id),
        data,
      };
      return { kind: 'event', event };
    }
  }
}

/** Subscribe message of a channel, from its last seen event. */
export function subscribe(channel: string, lastId: number | undefined): string {
  return JSON.stringify(
    lastId === undefined ? { type: 'subscribe', channel } : { type: 'subscribe', channel, last_event_id: lastId },
  );
}

export const unsubscribe = (channel: string): string => JSON.stringify({ type: 'unsubscribe', channel });
export const PING = JSON.stringify({ type: 'ping' });
export const PONG = JSON.stringify({ type: 'pong' });
