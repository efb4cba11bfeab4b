import { describe, expect, it } from 'vitest';
import { criticalPath } from '../src/session/critical';
import { bars } from '../src/session/waterfall';
import { readZoom, scaled, within, writeZoom } from '../src/session/zoom';
import { llm, mcp, stage } from './fixture';

describe('critical path', () => {
  // A model call, then two tools side by side, the second quicker; then another stage after a wait.
  const stages = [
    stage({
      started_at_us: 0,
      completed_at_us: 4_000_000,
      chronological_interactions: [
        llm('think', 0, {}, 1000),
        mcp('slow', 1_500_000, {}, 2000),
        mcp('quick', 1_500_000, {}, 500),
      ],
    }),
    stage({
      execution_id: 'e2',
      stage_index: 1,
      started_at_us: 6_000_000,
      completed_at_us: 8_000_000,
      chronological_interactions: [llm('report', 6_000_000, {}, 2000)],
    }),
  ];
  const path = criticalPath(bars(stages, 0));
  it('leaves out what nobody waited for', () => {
    expect([...path.ids].sort()).toEqual(['report', 'slow', 'think']);
  });
  it('tells where the time went, all of it once', () => {
    expect(path).toMatchObject({ modelUs: 3_000_000, toolUs: 2_000_000, agentUs: 1_000_000, waitingUs: 2_000_000 });
  });
  it('counts calls that overlap once', () => {
    const over = criticalPath(
      bars(
        [
          stage({
            started_at_us: 0,
            completed_at_us: 10_000_000,
            chronological_interactions: [mcp('a', 0, {}, 5000), mcp('b', 3_000_000, {}, 7000)],
          }),
        ],
        0,
      ),
    );
    expect(over).toMatchObject({ toolUs: 10_000_000, agentUs: 0 });
  });
});

describe('zoom', () => {
  it('comes back from an address as it went there, and all of it is none', () => {
    expect(readZoom(writeZoom({ fromMs: 1200.4, toMs: 3399.2 }, 10_000), 10_000)).toEqual({ fromMs: 1200, toMs: 3400 });
    expect(writeZoom({ fromMs: -5, toMs: 10_000 }, 10_000)).toBeNull();
  });
  it('takes nothing that is no span', () => {
    for (const word of [null, '', 'x', '5-5', '9-3', '20000-30000']) expect(readZoom(word, 10_000)).toBeNull();
  });
  it('moves rather than shrinks at an end', () => {
    expect(scaled({ fromMs: 0, toMs: 2000 }, 2, 10_000)).toEqual({ fromMs: 0, toMs: 4000 });
    expect(scaled({ fromMs: 4000, toMs: 6000 }, 0.5, 10_000)).toEqual({ fromMs: 4500, toMs: 5500 });
    expect(scaled({ fromMs: 1000, toMs: 9000 }, 2, 10_000)).toEqual({ fromMs: 0, toMs: 10_000 });
  });
  it('shows the bars that reach into it', () => {
    const all = bars(
      [stage({ chronological_interactions: [llm('l', 1_000_000, {}, 100), mcp('m', 2_500_000, {}, 100)] })],
      0,
    );
    expect(within(all, 2_000_000, 2_900_000).map((bar) => bar.id)).toEqual(['e1', 'm']);
  });
});
