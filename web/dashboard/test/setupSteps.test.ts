import type { Configuration, Health, Upstreams } from '@tarsy/ui';
import { describe, expect, it } from 'vitest';
import { setupSteps, webhookSources } from '../src/setup/steps';

const health = (available: boolean, workers: Record<string, number>): Health => ({
  status: 'healthy',
  services: { llm: { provider_available: available }, queue: { workers } },
});
const WORKERS = { 'chain-worker': 1, 'stage-worker': 2 };
const upstreams = (server: string | null): Upstreams => ({
  since_us: 0,
  pools: [],
  providers: [
    {
      name: 'claude',
      configured: {
        type: 'anthropic',
        model: 'm',
        api_key_env: 'A_KEY',
        available: false,
        fallbacks: [],
        is_default: true,
      },
    },
  ],
  mcp_servers:
    server === null
      ? []
      : [{ name: server, configured: { agents: [], enabled: true, server_type: 'x', transport: 'stdio' } }],
});
const config = (webhooks: Record<string, unknown>): Configuration => ({ llm_providers: [], webhooks });

describe('the steps of the setup', () => {
  it('name the key that is missing, the workers to start, and what is optional', () => {
    const steps = setupSteps({
      health: health(false, { 'chain-worker': 1 }),
      upstreams: upstreams(null),
      config: config({}),
      me: { auth: 'off', name: 'anyone', role: 'admin' },
      hasAnswer: false,
    });
    expect(
      steps.map(({ id, isDone, isNeeded }) => `${id}${isDone ? ' done' : ''}${isNeeded ? ' needed' : ''}`),
    ).toEqual(['provider needed', 'workers needed', 'tools', 'webhook', 'keys', 'alert']);
    expect(steps[0]?.text).toMatch(/Set one of A_KEY/);
    expect(steps[1]?.text).toMatch(/^Start a stage-worker\./);
  });
  it('are done once the fleet has all of it', () => {
    const steps = setupSteps({
      health: health(true, WORKERS),
      upstreams: upstreams('kubernetes'),
      config: config({ alertmanager: {} }),
      me: { auth: 'key', name: 'ada', role: 'operator' },
      hasAnswer: true,
    });
    expect(steps.filter(({ isDone }) => !isDone)).toEqual([]);
  });
  it('leave out what this role may not read, and count no built-in server', () => {
    expect(setupSteps({ health: health(true, WORKERS) }).map(({ id }) => id)).toEqual(['provider', 'workers']);
    const [, , tools] = setupSteps({ health: health(true, WORKERS), upstreams: upstreams('sub-agents') });
    expect(tools).toMatchObject({ id: 'tools', isDone: false });
    expect(webhookSources(config({ grafana: {}, pagerduty: {} }))).toEqual(['grafana', 'pagerduty']);
    expect(webhookSources(undefined)).toEqual([]);
  });
});
