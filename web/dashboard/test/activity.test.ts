import { describe, expect, it } from 'vitest';
import { describeActivity } from '../src/session/activity';

const entry = (kind: string, details: Record<string, unknown> = {}, text = 'not stated') => ({
  at_us: 1,
  actor: 'ada',
  kind,
  text,
  details,
});

describe('an entry of the activity', () => {
  it('is what people wrote', () => {
    expect(describeActivity(entry('note', {}, 'the node')).text).toBe('the node');
    expect(describeActivity(entry('action', {}, 'drained it'))).toMatchObject({
      label: 'action taken',
      text: 'drained it',
    });
  });
  it('says what was done, and why where somebody said', () => {
    const labels = [
      entry('session.acknowledge', { acknowledged: true }),
      entry('session.acknowledge', { acknowledged: false }),
      entry('session.assign', { assignee: 'grace' }),
      entry('session.assign', { assignee: null }),
      entry('session.rate', { rating: 'wrong' }),
      entry('session.rate', { rating: null }),
      entry('session.rate', { faults: ['wrong_cause', 'invented'] }),
      entry('session.review', { reviewed: true }),
      entry('stage.replay'),
      entry('new.thing'),
    ];
    expect(labels.map((one) => describeActivity(one).label)).toEqual([
      'acknowledged',
      'took the acknowledgement back',
      'assigned to grace',
      'unassigned',
      'rated the answer wrong',
      'took the rating back',
      'named what was wrong: wrong cause, invented facts',
      'reviewed',
      'replayed a stage',
      'new.thing',
    ]);
    expect(describeActivity(entry('session.cancel', {}, 'the cluster is rebuilt')).text).toBe('the cluster is rebuilt');
    expect(describeActivity(entry('session.acknowledge')).text).toBe('');
  });
});
