/** A dry run without a side effect: what this alert would most likely set off, by what is known already. */
import { listSessions, recordPart, sessionDetail } from '../api/sessions';
import type { SessionLine } from '../api/types';

export interface Forecast {
  /** None: no session of this type was seen yet, so its chain is not known here. */
  chainId: string | null;
  stages: { name: string; agent: string }[];
  /** Tools that the last such session used. */
  tools: string[];
  /** Over the last sessions of this type. */
  seen: number;
  medianMs: number | null;
  medianTokens: number | null;
  medianCostUsd: number | null;
  succeeded: number;
  /** Sessions of this type that run now: the same alert again would join one of them. */
  running: SessionLine[];
}

/** Interactions of the newest session that its tools are taken from. */
const LOOKED_AT = 200;

/** The middle of the values that are there. */
export function median(values: readonly (number | null | undefined)[]): number | null {
  const known = values.filter((value): value is number => typeof value === 'number').sort((a, b) => a - b);
  return known.length === 0 ? null : (known[Math.floor((known.length - 1) / 2)] ?? null);
}

/** Look at the last twenty sessions of this type, and into the newest that ended. */
export async function forecast(alertType: string): Promise<Forecast> {
  const { sessions } = await listSessions({ alert_type: alertType, page_size: 20 });
  const ended = sessions.filter((session) => session.completed_at_us != null);
  const last = ended.find((session) => session.status === 'completed') ?? ended[0] ?? sessions[0];
  const [detail, record] = last === undefined ? [null, null] : await Promise.all([sessionDetail(last.session_id), recordPart(last.session_id, null, LOOKED_AT)]);
  const tools = new Set<string>();
  record?.interactions.forEach((interaction) => {
    if (interaction.type === 'mcp' && interaction.details.tool_name != null) tools.add(`${interaction.details.server_name}.${interaction.details.tool_name}`);
  });
  return {
    chainId: last?.chain_id ?? null,
    stages: detail?.chain_definition.stages ?? [],
    tools: [...tools].sort(),
    seen: ended.length,
    medianMs: median(ended.map((session) => session.duration_ms)),
    medianTokens: median(ended.map((session) => (session.input_tokens == null ? null : session.input_tokens + (session.output_tokens ?? 0)))),
    medianCostUsd: median(ended.map((session) => session.cost_usd)),
    succeeded: ended.filter((session) => session.status === 'completed').length,
    running: sessions.filter((session) => session.completed_at_us == null),
  };
}
