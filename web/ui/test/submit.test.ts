import { describe, expect, it } from 'vitest';
import { curl } from '../src/submit/curl';
import { readAlert, readObject } from '../src/submit/draft';
import { median } from '../src/submit/forecast';
import { ownAlert, VENDORS } from '../src/submit/presets';

const types = ['kubernetes'];

describe('draft', () => {
  it('takes JSON and YAML for the same', () => {
    const yaml = readAlert('alert_type: kubernetes\nrunbook: local:x\ndata:\n  a: 1\n', types);
    expect(yaml).toEqual(readAlert('{"alert_type":"kubernetes","runbook":"local:x","data":{"a":1}}', types));
    expect(yaml.mistakes).toEqual([]);
  });
  it('names the line of a syntax mistake', () => {
    expect(readObject('{\n  "a": 1,\n  "b": \n}').mistakes[0]?.line).toBe(4);
    expect(readObject('a: 1\nb: [1,\n').mistakes[0]?.line).toBeGreaterThanOrEqual(2);
    expect(readObject('{"a": 1,}').mistakes).toHaveLength(1);
    expect(readObject('  ').mistakes[0]?.message).toBe('empty document');
    expect(readObject('- a').value).toBeNull();
  });
  it('names the line of a field that the API would refuse', () => {
    const { mistakes } = readAlert(
      '{\n  "alert_type": "nope",\n  "runbook": "ftp://x",\n  "data": [],\n  "timestamp": 1.5\n}',
      types,
    );
    expect(mistakes.map((one) => one.line)).toEqual([2, 3, 4, 5]);
  });
  it('misses what is missing', () => {
    expect(readAlert('{}', types).mistakes.map((one) => one.message)).toEqual([
      '`alert_type` is required',
      '`runbook` is required',
    ]);
  });
  it('finds nothing wrong with the presets', () => {
    expect(readAlert(JSON.stringify(ownAlert('kubernetes').body), types).mistakes).toEqual([]);
    for (const preset of VENDORS) expect(readObject(JSON.stringify(preset.body)).mistakes).toEqual([]);
  });
});

describe('curl', () => {
  it('survives quotes and never shows a key', () => {
    const line = curl('http://h', '/alerts', { a: "it's" }, true);
    expect(line).toContain(`it'\\''s`);
    expect(line).toContain('$TARSY_API_KEY');
  });
});

it('the median leaves out what is not known', () => {
  expect(median([null, 3, 1, undefined, 2])).toBe(2);
  expect(median([null])).toBeNull();
});
