/** Waterfall layout: stage > model call > tool calls. */
import type { Interaction, StageDetail } from '../api/types';
import { executionName } from './stages';

export interface Bar {
  id: string;
  kind: 'stage' | 'llm' | 'mcp';
  label: string;
  /** Microseconds. */
  startUs: number;
  endUs: number;
  running: boolean;
  tone: 'good' | 'bad' | 'run' | 'rest';
  /** The stage execution it belongs to. */
  execution: string;
  /** 0: a stage, 1: a call of it, 2: a tool call that a model's answer asked for. */
  depth: 0 | 1 | 2;
}

/** Removed idle time: position and length. */
export interface Gap {
  atUs: number;
  lostUs: number;
}

export interface Layout {
  bars: Bar[];
  fromUs: number;
  toUs: number;
  gaps: Gap[];
  /** Maps a time to its place on the axis, from which gaps are cut out. */
  place: (us: number) => number;
}

function toneOf(interaction: Interaction): Bar['tone'] {
  if (interaction.success === true) return 'good';
  if (interaction.success === false) return 'bad';
  return 'rest';
}

const stageTone = {
  completed: 'good',
  failed: 'bad',
  active: 'run',
  pending: 'rest',
  waiting: 'rest',
  cancelled: 'rest',
  skipped: 'rest',
} as const;

/**
 * Returns all bars in display order. Open calls end at `nowUs` while their stage is active. `all` has all stages of the
 * session, to number the attempts.
 */
export function bars(stages: readonly StageDetail[], nowUs: number, all: readonly StageDetail[] = stages): Bar[] {
  return stages.flatMap((stage): Bar[] => {
    const start = stage.started_at_us ?? stage.created_at_us;
    const active = stage.status === 'active' || stage.status === 'pending' || stage.status === 'waiting';
    const end = stage.completed_at_us ?? (active ? Math.max(nowUs, start) : start);
    const own: Bar = {
      id: stage.execution_id,
      kind: 'stage',
      execution: stage.execution_id,
      depth: 0,
      label: executionName(stage, all),
      startUs: start,
      endUs: end,
      running: active,
      tone: stageTone[stage.status],
    };
    // The agent lists tools by itself. It calls tools because the last answer of the model asked for it.
    const firstModel = stage.chronological_interactions.findIndex((interaction) => interaction.type === 'llm');
    const asked = (interaction: Interaction, at: number): boolean =>
      interaction.type === 'mcp' &&
      interaction.details.communication_type !== 'tool_list' &&
      firstModel !== -1 &&
      at > firstModel;
    const calls = stage.chronological_interactions.map((interaction, at): Bar => {
      const running = active && interaction.duration_ms == null && interaction.success == null;
      const endUs =
        interaction.duration_ms == null
          ? running
            ? Math.max(nowUs, interaction.timestamp_us)
            : interaction.timestamp_us
          : interaction.timestamp_us + interaction.duration_ms * 1000;
      return {
        id: interaction.id,
        kind: interaction.type,
        execution: stage.execution_id,
        depth: asked(interaction, at) ? 2 : 1,
        running,
        label: interaction.step_description,
        startUs: interaction.timestamp_us,
        endUs,
        tone: running ? 'run' : toneOf(interaction),
      };
    });
    return [own, ...calls];
  });
}

/** Minimum length of idle time to hide. */
const IDLE_US = 2_000_000;

function idle(all: readonly Bar[]): Gap[] {
  // A stage covers its calls: between the calls of one stage the agent works, so that time is not idle.
  const spans = all
    .filter((bar) => bar.depth === 0)
    .map((bar): [number, number] => [bar.startUs, bar.endUs])
    .sort((a, b) => a[0] - b[0]);
  const gaps: Gap[] = [];
  let reached = spans[0]?.[1] ?? 0;
  for (const [start, end] of spans.slice(1)) {
    if (start - reached > IDLE_US) gaps.push({ atUs: reached, lostUs: start - reached });
    reached = Math.max(reached, end);
  }
  return gaps;
}

/** Lays out bars on one axis; `hideIdle` cuts long waits and reports them as gaps. */
export function layout(
  stages: readonly StageDetail[],
  nowUs: number,
  hideIdle: boolean,
  session: readonly StageDetail[] = stages,
): Layout {
  const all = bars(stages, nowUs, session);
  if (all.length === 0) return { bars: [], fromUs: 0, toUs: 1, gaps: [], place: (us) => us };
  const gaps = hideIdle ? idle(all) : [];
  const shift = (us: number): number =>
    us - gaps.reduce((sum, gap) => sum + (us > gap.atUs ? Math.min(gap.lostUs, us - gap.atUs) : 0), 0);
  const moved = all.map((bar) => ({ ...bar, startUs: shift(bar.startUs), endUs: shift(bar.endUs) }));
  const fromUs = moved.reduce((least, bar) => Math.min(least, bar.startUs), Infinity);
  const toUs = moved.reduce((most, bar) => Math.max(most, bar.endUs), fromUs + 1);
  return { bars: moved, fromUs, toUs, gaps: gaps.map((gap) => ({ ...gap, atUs: shift(gap.atUs) })), place: shift };
}

/** Returns about `wanted` ticks at round values of an axis, in milliseconds from its start. */
export function ticks(spanUs: number, wanted: number): number[] {
  const spanMs = Math.max(1, spanUs / 1000);
  const raw = spanMs / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const size = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= raw) ?? raw;
  const out: number[] = [];
  for (let at = 0; at <= spanMs; at += size) out.push(at);
  return out;
}
