import type { FilterOptions } from '@tarsy/ui';
import { describe, expect, it } from 'vitest';
import { completed, freeWords, suggestions, withoutUnfinished, wordAt } from '../src/sessions/completion';

const options = {
  severities: ['critical', 'warning'],
  namespaces: ['shop', 'shop-eu'],
  alert_types: ['Disk Full', 'Oom'],
  clusters: [],
  environments: [],
  sources: [],
  assignees: ['ada'],
  agents: [],
  chain_ids: [],
  rating_options: [],
  status_options: ['failed'],
  outcome_options: [],
  agent_types: [],
  time_ranges: [],
} as unknown as FilterOptions;

describe('the word at the caret', () => {
  it('is told from its neighbours', () => {
    expect(wordAt('disk clu', 8)).toEqual({ from: 5, to: 8, word: 'clu' });
    expect(wordAt('sev disk', 3)).toEqual({ from: 0, to: 3, word: 'sev' });
    expect(wordAt('disk ', 5).word).toBe('');
  });
  it('may hold spaces in quotes', () => {
    expect(wordAt('oom alert:"Disk F', 17).word).toBe('alert:"Disk F');
  });
});

it('words of a search are what is no filter', () => {
  expect(['cluster:eu oom  kill', 'alert:"Disk Full" x:y Severity:>=high', 'namespace:shop'].map(freeWords)).toEqual([
    'oom kill',
    'x:y',
    '',
  ]);
});

describe('a filter without its value', () => {
  it('is not searched for', () => {
    expect(['severity:', 'disk  Severity:>=', 'disk alert:"'].map(withoutUnfinished)).toEqual(['', 'disk', 'disk']);
  });
  it('is text where no filter has that name, or more follows', () => {
    for (const text of ['http:', 'severity:high', 'severity: disk', 'xseverity:'])
      expect(withoutUnfinished(text)).toBe(text);
  });
});

describe('completions', () => {
  it('are names, then values', () => {
    expect(suggestions('na', options)).toEqual(['namespace:']);
    expect(suggestions('namespace:', options)).toEqual(['namespace:shop', 'namespace:shop-eu']);
    expect(suggestions('namespace:eu', options)).toEqual(['namespace:shop-eu']);
    expect(suggestions('severity:>', options)).toEqual(['severity:>=high', 'severity:>=warning']);
    expect(suggestions('alert:"di', options)).toEqual(['alert:"Disk Full"']);
  });
  it('are none for a word that is whole or no filter', () => {
    expect([
      suggestions('', options),
      suggestions('assignee:ada', options),
      suggestions('http://host', options),
      suggestions('namespace:x', options),
    ]).toEqual([[], [], [], []]);
    expect(suggestions('namespace:', undefined)).toEqual([]);
  });
  it('take the place of the word', () => {
    expect(completed('disk na rest', { from: 5, to: 7 }, 'namespace:')).toEqual({
      text: 'disk namespace:rest',
      caret: 15,
    });
    expect(completed('disk namespace:s', { from: 5, to: 16 }, 'namespace:shop')).toEqual({
      text: 'disk namespace:shop ',
      caret: 20,
    });
  });
});
