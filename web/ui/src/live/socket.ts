/** WebSocket of the page: subscriptions, reconnect, catch-up. */
import { tabToken } from '../api/access';
import { request } from '../api/client';
import { PREFIX } from '../api/prefix';
import { ApiError } from '../api/problem';
import { FrameBatch } from './frameBatch';
import { grown, noAnswers, type GrowingAnswers } from './growingAnswers';
import { JOINED, PING, PONG, parseMessage, subscribe, unsubscribe, type Incoming, type LiveEvent } from './protocol';
import { backoff, initial, isNew, PING_MS, reduce, STALE_MS, type LiveAction, type LiveState } from './state';

/** Called with the new events of a frame, oldest first. */
type OnEvents = (events: readonly LiveEvent[]) => void;
/** Called when events may be missing. */
type OnGap = () => void;

/** User id of this tab's socket. */
const TAB_ID = `tab-${Math.random().toString(36).slice(2, 10)}`;

/**
 * Returns a query string with a ticket if this tab has a token, because a browser's WebSocket cannot send a token as a
 * header. A session cookie needs no ticket: the browser sends it by itself.
 */
async function ticket(): Promise<string> {
  if (tabToken() === null) return '';
  try {
    const response = await request('/api/v1/ws-tickets', { method: 'POST' });
    const body = (await response.json()) as { ticket?: string };
    return body.ticket === undefined ? '' : `?ticket=${encodeURIComponent(body.ticket)}`;
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'absent') return '';
    throw error;
  }
}

export class LiveSocket {
  state: LiveState = initial;
  private socket: WebSocket | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private pinger: ReturnType<typeof setInterval> | undefined;
  /** Time of the first ping after the last message, milliseconds. */
  private pingedAt: number | null = null;
  private readonly channels = new Map<string, number>();
  /**
   * Model answers in progress, by channel. They are kept because their beginning arrives when the channel is joined,
   * maybe before the component that shows them is rendered.
   */
  private readonly growing = new Map<string, GrowingAnswers>();
  private readonly watchers = new Set<() => void>();
  private readonly handlers = new Set<OnEvents>();
  private readonly gapHandlers = new Set<OnGap>();
  private isStarted = false;
  /** Received messages. They are handled once per frame, so a storm of messages does not cause one update each. */
  private readonly inbox = new FrameBatch<string>((messages) => {
    this.handleMessages(messages);
  });

  /** Connects; safe to call again. */
  start(): void {
    if (this.isStarted) return;
    this.isStarted = true;
    void this.open();
  }

  stop(): void {
    this.isStarted = false;
    clearTimeout(this.timer);
    clearInterval(this.pinger);
    this.socket?.close();
    this.socket = null;
    this.inbox.clear();
  }

  onState = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  onEvents(handler: OnEvents): () => void {
    this.handlers.add(handler);
    return () => this.handlers.delete(handler);
  }

  onGap(handler: OnGap): () => void {
    this.gapHandlers.add(handler);
    return () => this.gapHandlers.delete(handler);
  }

  /** Subscribes to a channel until the returned function is called. Reference-counted. */
  listen(channel: string): () => void {
    const users = this.channels.get(channel) ?? 0;
    this.channels.set(channel, users + 1);
    if (users === 0) this.send(subscribe(channel, this.state.lastIds[channel]));
    return () => {
      const left = (this.channels.get(channel) ?? 1) - 1;
      if (left > 0) {
        this.channels.set(channel, left);
        return;
      }
      this.channels.delete(channel);
      this.growing.delete(channel);
      this.send(unsubscribe(channel));
    };
  }

  /** Returns the model answers in progress on a channel, as received since it was joined. */
  answersOf(channel: string): GrowingAnswers {
    return this.growing.get(channel) ?? noAnswers;
  }

  /** Reconnects now. */
  retry(): void {
    clearTimeout(this.timer);
    if (this.socket?.readyState !== WebSocket.OPEN) void this.open();
  }

  /** Checks now whether the connection still works, e.g. when a hidden page is shown again. */
  check(): void {
    if (this.state.phase === 'live') this.ping();
  }

  /** Closes the connection at once, e.g. when the browser goes offline: the socket itself would only fall silent. */
  lose(): void {
    const { socket } = this;
    if (socket === null) return;
    socket.onclose = null;
    socket.close();
    this.handleClose();
  }

  /** Records that a request got no response. */
  noteFailure(): void {
    this.dispatch({ type: 'failed', at: Date.now() });
    this.check();
  }

  private send(text: string): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(text);
  }

  private dispatch(action: LiveAction): void {
    this.state = reduce(this.state, action);
    this.notify();
  }

  private notify(): void {
    this.watchers.forEach((watcher) => {
      watcher();
    });
  }

  private async open(): Promise<void> {
    let suffix = '';
    try {
      suffix = await ticket();
    } catch {
      this.handleClose();
      return;
    }
    if (!this.isStarted) return;
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const socket = new WebSocket(`${scheme}://${location.host}${PREFIX}/ws/dashboard/${TAB_ID}${suffix}`);
    this.socket = socket;
    socket.onopen = () => {
      this.handleOpen();
    };
    socket.onmessage = (message) => {
      if (this.socket === socket) this.inbox.push(String(message.data));
    };
    socket.onclose = () => {
      if (this.socket === socket) this.handleClose();
    };
  }

  private handleOpen(): void {
    const again = this.state.heardAt !== null;
    this.dispatch({ type: 'opened', at: Date.now() });
    this.channels.forEach((_, channel) => {
      this.send(subscribe(channel, this.state.lastIds[channel]));
    });
    // The rows are the truth, so refetch them after every reconnect.
    if (again)
      this.gapHandlers.forEach((handler) => {
        handler();
      });
    clearInterval(this.pinger);
    this.pingedAt = null;
    this.pinger = setInterval(() => {
      this.ping();
    }, PING_MS);
  }

  private ping(): void {
    const now = Date.now();
    const { heardAt } = this.state;
    // Pings of a hidden page are minutes apart, so silence is measured from the first unanswered ping.
    if (this.pingedAt === null || (heardAt ?? 0) > this.pingedAt) this.pingedAt = now;
    if (now - this.pingedAt > STALE_MS) this.lose();
    else this.send(PING);
  }

  private handleMessages(messages: readonly string[]): void {
    const before = this.state;
    const events: LiveEvent[] = [];
    let missed = false;
    for (const raw of messages) {
      const message = parseMessage(raw);
      if (message?.kind === 'missed') missed = true;
      if (message !== null) this.handleMessage(message, events);
    }
    if (this.state !== before) this.notify();
    for (const channel of this.channels.keys()) {
      const before = this.answersOf(channel);
      const now = grown(
        before,
        events.filter((event) => event.channel === channel),
      );
      if (now !== before) this.growing.set(channel, now);
    }
    if (events.length > 0)
      this.handlers.forEach((handler) => {
        handler(events);
      });
    if (missed)
      this.gapHandlers.forEach((handler) => {
        handler();
      });
  }

  /** Applies one message to the state. Adds its event to `events` if it is new. */
  private handleMessage(message: Incoming, events: LiveEvent[]): void {
    const at = Date.now();
    switch (message.kind) {
      case 'event': {
        const { event } = message;
        if (!isNew(this.state, event.channel, event.id)) return;
        this.state = reduce(this.state, { type: 'heard', at, channel: event.channel, id: event.id });
        events.push(event);
        return;
      }
      case 'caught_up':
        this.state = reduce(this.state, {
          type: 'caught_up',
          at,
          channel: message.channel,
          id: message.lastId,
          events: message.events,
        });
        return;
      case 'subscribed': {
        const first = this.state.lastIds[message.channel] === undefined;
        // The channel's last id when it was joined, so that a disconnect before the first event loses nothing either.
        this.state = reduce(this.state, { type: 'heard', at, channel: message.channel, id: message.lastId });
        // Rows that were read before the subscription may be older than that.
        if (first) events.push({ type: JOINED, channel: message.channel });
        return;
      }
      case 'ping':
        this.send(PONG);
        this.state = reduce(this.state, { type: 'heard', at });
        return;
      case 'missed':
      case 'welcome':
      case 'pong':
      case 'error':
        this.state = reduce(this.state, { type: 'heard', at });
    }
  }

  private handleClose(): void {
    // Handles messages that arrived before the disconnect, because the channels resume after them.
    this.inbox.flush();
    this.socket = null;
    clearInterval(this.pinger);
    if (!this.isStarted) return;
    this.dispatch({ type: 'closed' });
    // A socket that never connected is retried rarely.
    const wait = this.state.phase === 'polling' ? 30_000 : backoff(this.state.attempts, Math.random());
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      void this.open();
    }, wait);
  }
}
