import type { FilterOptions } from '@tarsy/ui';
import { expect, it } from 'vitest';
import { editDistance, searchHints } from '../src/sessions/searchHints';

const options = {
  clusters: ['prod-eu-1', 'prod-eu-2', 'prod-us-1'],
  namespaces: ['shop'],
  severities: ['critical'],
  alert_types: ['Disk Full'],
} as unknown as FilterOptions;
const meant = (text: string): [string, string[]][] =>
  searchHints(text, options).map(({ problem, instead }) => [problem, instead.map(({ search }) => search)]);

it('names values that contain what was typed, or differ in a letter or two', () => {
  expect(meant('oom cluster:eu disk')).toEqual([
    ['cluster:eu matches no cluster.', ['oom cluster:prod-eu-1 disk', 'oom cluster:prod-eu-2 disk']],
  ]);
  expect(meant('namespace:shpo')).toEqual([['namespace:shpo matches no namespace.', ['namespace:shop']]]);
  expect(meant('alert:disk')).toEqual([['alert:disk matches no alert.', ['alert:"Disk Full"']]]);
  expect(meant('cluster:nothing-like-it')).toEqual([['cluster:nothing-like-it matches no cluster.', []]]);
});

it('names the filter that may have been meant', () => {
  expect(meant('namespce:shop')).toEqual([['No filter is called namespce.', ['namespace:shop']]]);
});

it('is silent on what is right, compared, or no filter', () => {
  for (const text of [
    'cluster:prod-eu-1',
    'CLUSTER:Prod-EU-1',
    'severity:>=high',
    'since:2026-11-24',
    'http://x.example/a',
    'oom kill',
    'cluster:',
  ])
    expect(meant(text), text).toEqual([]);
  expect(searchHints('cluster:eu', undefined)).toEqual([]);
});

it('counts letters to change', () => {
  expect(
    [
      ['', 'ab'],
      ['shop', 'shop'],
      ['shop', 'shpo'],
      ['kitten', 'sitting'],
    ].map(([a = '', b = '']) => editDistance(a, b)),
  ).toEqual([2, 0, 2, 3]);
});
