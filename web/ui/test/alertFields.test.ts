import { describe, expect, it } from 'vitest';
import { environmentOf, withEnvironment, withField } from '../src/submit/alertFields';

describe('a field of the form', () => {
  it('changes its member in place and keeps the others', () => {
    expect(JSON.stringify(withField({ a: 1, severity: 'info', b: 2 }, 'severity', 'high'))).toBe(
      '{"a":1,"severity":"high","b":2}',
    );
    expect(withField({ a: 1 }, 'severity', 'high')).toEqual({ a: 1, severity: 'high' });
  });
  it('removes its member when it is emptied', () => {
    expect(withField({ a: 1, severity: 'info' }, 'severity', '')).toEqual({ a: 1 });
  });
  it('keeps the environment among the data', () => {
    const alert = { alert_type: 't', data: { cluster: 'eu', environment: 'staging' } };
    expect(environmentOf(alert)).toBe('staging');
    expect(withEnvironment(alert, 'production')).toEqual({
      alert_type: 't',
      data: { cluster: 'eu', environment: 'production' },
    });
    expect(withEnvironment({ alert_type: 't' }, 'production')).toEqual({
      alert_type: 't',
      data: { environment: 'production' },
    });
    expect([environmentOf({}), environmentOf({ data: null }), environmentOf({ data: [1] })]).toEqual(['', '', '']);
  });
});
