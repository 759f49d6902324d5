import { describe, expect, test } from '@jest/globals';
import { parseYaml } from './parse-yaml.ts';

async function valueOf(text: string): Promise<unknown> {
  const { value } = await parseYaml(`v: ${text}`);
  return (value as { v: unknown }).v;
}

describe('parseYaml', () => {
  // Recorded from kube-apiserver 1.36 by the chapter `yaml` of the fidelity conversation.
  test.each([
    ['190:20:30', '190:20:30'],
    ['-1:30', '-1:30'],
    ['190:20:30.15', '190:20:30.15'],
    ['0o14', 12],
    ['0O14', 12],
    ['014', 12],
    ['-014', -12],
    ['0b11', 3],
    ['0x1F', 31],
    ['1_000', 1000],
    ['1e3', 1000],
    ['08', 8],
    ['yes', true],
    ['Off', false],
    ['~', null],
    ['2001-01-01', '2001-01-01'],
    ['!!timestamp 2001-01-01', '2001-01-01'],
    ['!!binary YQ==', 'a'],
    ['!!str 1', '1'],
  ])('reads %s as Go does', async (text, expected) => {
    expect(await valueOf(text)).toEqual(expected);
  });

  const invalidEscape = 'yaml: found invalid Unicode character escape code';

  test.each([
    [String.raw`"\ud83d"`, invalidEscape],
    [String.raw`"\ud83d\ude00"`, invalidEscape],
    [String.raw`"\U0000d83d"`, invalidEscape],
    [String.raw`{"a\\": "\uDFFF"}`, invalidEscape],
    [String.raw`"\\ud83d"`, String.raw`\ud83d`],
    [String.raw`'\ud83d'`, String.raw`\ud83d`],
    [String.raw`\ud83d`, String.raw`\ud83d`],
  ])('reads surrogates in %s as Go does', async (text, expected) => {
    if (expected === invalidEscape) await expect(valueOf(text)).rejects.toThrow(invalidEscape);
    else expect(await valueOf(text)).toBe(expected);
  });

  test('rejects a surrogate in a JSON text that is sent as YAML', async () => {
    await expect(parseYaml(String.raw`{"a":"\ud83d\ude00"}`)).rejects.toThrow(invalidEscape);
  });

  test.each([
    ['.inf', 'json: unsupported value: +Inf'],
    ['-.inf', 'json: unsupported value: -Inf'],
    ['.NaN', 'json: unsupported value: NaN'],
  ])('rejects %s, which JSON lacks', async (text, message) => {
    await expect(valueOf(text)).rejects.toThrow(message);
  });

  test('reports repeated keys by the line of their value, inner ones first', async () => {
    const text = 'a: 1\nb:\n  c: 1\n  c: [x]\nb:\n  d: 2\na: 3\nlist:\n- {e: 1, e: 2}\n';
    expect(await parseYaml(text)).toEqual({
      value: { a: 3, b: { d: 2 }, list: [{ e: 2 }] },
      repeated: [
        'line 4: key "c" already set in map',
        'line 6: key "b" already set in map',
        'line 7: key "a" already set in map',
        'line 9: key "e" already set in map',
      ],
    });
  });

  test('reports repeated keys of a text in JSON', async () => {
    expect(await parseYaml('{"a":1,"a":2}')).toEqual({
      value: { a: 2 },
      repeated: ['line 1: key "a" already set in map'],
    });
  });
});
