/** Checks what a fleet needs before it can investigate alerts, by the API's reports. */
import { pluralize, type Configuration, type Health, type Me, type Upstreams } from '@tarsy/ui';
import { BUILT_IN_SERVERS } from '../fleet/upstreams';

export interface Step {
  id: 'provider' | 'workers' | 'tools' | 'webhook' | 'keys' | 'alert';
  title: string;
  isDone: boolean;
  /** Whether no alert is investigated without it. */
  isNeeded: boolean;
  /** Current state, or what to do. */
  text: string;
}

export interface Known {
  health: Health;
  /** Undefined: not loaded yet, or not allowed. */
  upstreams?: Upstreams;
  config?: Configuration;
  me?: Me | null;
  /** Whether a session has completed. */
  hasAnswer?: boolean;
}

const list = (names: readonly string[]): string => names.join(', ');

function provider({ health, upstreams }: Known): Omit<Step, 'id' | 'title' | 'isNeeded'> {
  const configured = (upstreams?.providers ?? []).flatMap(({ name, configured: entry }) =>
    entry == null ? [] : [{ name, ...entry }],
  );
  if (health.services?.llm?.provider_available !== false) {
    const ready = configured.filter(({ available }) => available).map(({ name }) => name);
    return { isDone: true, text: ready.length === 0 ? 'A provider is available.' : `Available: ${list(ready)}.` };
  }
  const keys = [...new Set(configured.flatMap(({ api_key_env: key }) => (key == null ? [] : [key])))];
  return {
    isDone: false,
    text: `Alerts are rejected until a provider has its key. Set ${keys.length === 0 ? 'the key of one of `llm_providers`' : `one of ${list(keys)}`} for the API and the workers, then restart them.`,
  };
}

function workers({ health }: Known): Omit<Step, 'id' | 'title' | 'isNeeded'> {
  const running = health.services?.queue?.workers;
  const missing = (['chain-worker', 'stage-worker'] as const).filter((role) => (running?.[role] ?? 0) === 0);
  return missing.length === 0
    ? {
        isDone: true,
        text: `${pluralize(running?.['chain-worker'] ?? 0, 'chain worker')}, ${pluralize(running?.['stage-worker'] ?? 0, 'stage worker')}.`,
      }
    : {
        isDone: false,
        text: `Start ${list(missing.map((role) => `a ${role}`))}. Alerts wait in the queue until then.`,
      };
}

function tools({ upstreams }: Known): Omit<Step, 'id' | 'title' | 'isNeeded'> {
  const names = (upstreams?.mcp_servers ?? []).flatMap(({ name, configured }) =>
    configured != null && configured.enabled && !BUILT_IN_SERVERS.has(name) ? [name] : [],
  );
  return names.length > 0
    ? { isDone: true, text: `Configured: ${list(names)}.` }
    : { isDone: false, text: 'Add an MCP server to `mcp_servers`. Without one, agents can only read the alert.' };
}

/** Sources of webhooks in the configuration. */
export const webhookSources = (config: Configuration | undefined): string[] => {
  const sources = config?.webhooks;
  return sources !== null && typeof sources === 'object' ? Object.keys(sources) : [];
};

/** Returns the steps in the order in which to take them. Unknown state counts as done. */
export function setupSteps(known: Known): Step[] {
  const sources = webhookSources(known.config);
  const steps: Step[] = [
    { id: 'provider', title: 'LLM provider', isNeeded: true, ...provider(known) },
    { id: 'workers', title: 'Workers', isNeeded: true, ...workers(known) },
  ];
  if (known.upstreams !== undefined)
    steps.push({ id: 'tools', title: 'Tool servers', isNeeded: false, ...tools(known) });
  if (known.config !== undefined)
    steps.push({
      id: 'webhook',
      title: 'Webhook',
      isNeeded: false,
      isDone: sources.length > 0,
      text:
        sources.length > 0
          ? 'Paste the address into the sender.'
          : 'Add a source to `webhooks`, or let the sender post alerts to this address.',
    });
  if (known.me != null)
    steps.push({
      id: 'keys',
      title: 'Access control',
      isNeeded: false,
      isDone: known.me.auth !== 'off',
      text:
        known.me.auth === 'off'
          ? 'Anyone who reaches the API may do everything. Create a key with `tarsy keys create NAME --role admin --reason WHY` to turn access control on.'
          : `On. You are ${known.me.name}, ${known.me.role}.`,
    });
  if (known.hasAnswer !== undefined)
    steps.push({
      id: 'alert',
      title: 'Test alert',
      isNeeded: false,
      isDone: known.hasAnswer,
      text: known.hasAnswer ? 'A session has completed.' : 'Submit an alert, and read its answer.',
    });
  return steps;
}
