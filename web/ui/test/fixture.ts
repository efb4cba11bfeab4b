import type { Interaction, LlmDetails, McpDetails, SessionDetail, StageDetail } from '../src/api/types';

/** A session for tests; whatever matters to one is given. */
export function session(over: Partial<SessionDetail> = {}): SessionDetail {
  return {
    session_id: 's1',
    alert_id: 'a1',
    alert_data: { namespace: 'payments' },
    alert_type: 'kubernetes',
    agent_type: 'chain:c',
    status: 'completed',
    outcome: 'completed',
    severity: 'warning',
    source: 'api',
    author: null,
    duplicate_count: 0,
    alert_timestamp_us: 0,
    resolved_at_us: null,
    started_at_us: 0,
    completed_at_us: 10_000_000,
    duration_ms: 10_000,
    error_message: null,
    final_analysis: 'done',
    chain_id: 'c',
    chain_definition: {
      stages: [
        { name: 'collect', agent: 'A' },
        { name: 'report', agent: 'B' },
      ],
    },
    current_stage_index: 1,
    current_stage_id: 'report_1',
    runbook_url: null,
    runbook_content: null,
    runbook_error: null,
    traceparent: null,
    care: { faults: [] },
    llm_interaction_count: 0,
    mcp_communication_count: 0,
    total_interactions: 0,
    configurations: {},
    conversation: [],
    stages: [],
    waits: [],
    children: [],
    gaps: [],
    ...over,
  };
}

export function stage(over: Partial<StageDetail> = {}): StageDetail {
  return {
    stage_execution_id: 'e1',
    execution_id: 'e1',
    session_id: 's1',
    stage_id: 'collect_0',
    stage_index: 0,
    stage_name: 'collect',
    agent: 'A',
    iteration_strategy: 'react',
    llm_provider: null,
    pool: 'default',
    attempt: 1,
    branch: 0,
    branch_count: 1,
    is_current: true,
    status: 'completed',
    crash_count: 0,
    created_at_us: 0,
    started_at_us: 1_000_000,
    completed_at_us: 3_000_000,
    duration_ms: 2000,
    stage_output: { result: 'found it', data_points: 2 },
    error_message: null,
    error_class: null,
    iterations: 1,
    input_tokens: 10,
    output_tokens: 2,
    cost_usd: 0.5,
    cost_completeness: 'complete',
    llm_interaction_count: 0,
    mcp_communication_count: 0,
    total_interactions: 0,
    stage_interactions_duration_ms: 0,
    chronological_interactions: [],
    ...over,
  };
}

const bare = {
  event_id: 'x',
  step_description: 'step',
  stage_execution_id: 'e1',
  sequence: 0,
  iteration: 1,
  error_message: null,
};

export const llm = (
  id: string,
  at: number,
  details: Partial<LlmDetails>,
  tookMs: number | null = 100,
): Interaction => ({
  ...bare,
  interaction_id: id,
  id,
  timestamp_us: at,
  duration_ms: tookMs,
  success: tookMs === null ? null : true,
  type: 'llm',
  details: { provider: 'p', model_name: 'm', purpose: 'iteration', ...details },
});

export const mcp = (id: string, at: number, details: Partial<McpDetails>, tookMs: number | null = 10): Interaction => ({
  ...bare,
  interaction_id: id,
  id,
  timestamp_us: at,
  duration_ms: tookMs,
  success: tookMs === null ? null : true,
  type: 'mcp',
  details: { server_name: 's', communication_type: 'tool_call', tool_name: 't', ...details },
});
