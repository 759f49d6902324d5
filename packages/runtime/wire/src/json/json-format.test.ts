import { describe, expect, jest, test } from '@jest/globals';
import * as fc from 'fast-check';
import { anyText } from '../testing/any-text.test-support.ts';
import type { HeadPositions } from '../frames/format.ts';
import { jsonFormat } from './json-format.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

interface Loose {
  apiVersion?: unknown;
  kind?: unknown;
  metadata?: Record<string, unknown>;
}

/** Strings that resemble JSON structure, and names with a meaning in JavaScript. */
const text = fc.oneof(
  anyText(12),
  fc.constantFrom('"metadata":{', '\\', '\\"', '}', ']', '{"managedFields":[', 'é€😀', '\u0000\n'),
);
/**
 * Names of one escaped character are left out, because V8 13.6 (Node 24.21) may return a wrong one: after
 * `{"name":1,"\\":2}` it parses `{"name":1,"\u000f":2}` to the names `name` and `\`.
 */
const safeName = text.filter(
  (characters) => characters.length !== 1 || print(characters).length === 3,
);
const name = fc.oneof(
  safeName,
  fc.constantFrom('__proto__', 'metadata', 'managedFields', 'toString'),
);
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
})).value;

const metadata = fc
  .array(
    fc.tuple(fc.oneof(safeName, fc.constantFrom('name', 'managedFields', '__proto__')), value),
    {
      maxLength: 6,
    },
  )
  .map((members) => members.map(([member, content]) => `${print(member)}:${print(content)}`))
  .map((members) => `{${members.join(',')}}`);

/** The text of an object with its members in any order, including repeated names. */
const object = fc
  .record({
    metadata,
    names: fc.subarray(['"kind":"Pod"', '"apiVersion":"v1"']),
    rest: fc.array(fc.tuple(safeName, value), { maxLength: 4 }),
    order: fc.infiniteStream(fc.nat()),
  })
  .map(({ metadata: meta, names, rest, order }) => {
    const members = [
      `"metadata":${meta}`,
      ...names,
      ...rest
        .filter(([member]) => !['metadata', 'kind', 'apiVersion'].includes(member))
        .map(([member, content]) => `${print(member)}:${print(content)}`),
    ];
    return `{${shuffled(members, order).join(',')}}`;
  });

function print(member: unknown): string {
  return JSON.stringify(member);
}

function shuffled(members: string[], order: Iterator<number>): string[] {
  const left = [...members];
  const out: string[] = [];
  while (left.length > 0) {
    const at = (order.next().value as number) % left.length;
    out.push(...left.splice(at, 1));
  }
  return out;
}

/** Places the object between other bytes, as in a chunk. */
function placed(source: string): { buffer: Buffer; from: number; to: number } {
  const bytes = Buffer.from(source);
  const buffer = Buffer.concat([Buffer.from('"}]'), bytes, Buffer.from(',{"x":1}')]);
  return { buffer, from: 3, to: 3 + bytes.length };
}

function scanned(buffer: Buffer, from: number, to: number): HeadPositions {
  const positions = jsonFormat.positions();
  jsonFormat.scan(buffer, from, to, positions);
  return positions;
}

function head(source: string): Loose {
  const { buffer, from, to } = placed(source);
  return jsonFormat.head(buffer, from, to, scanned(buffer, from, to)) as Loose;
}

function identityOf(source: string): object {
  const { buffer, from, to } = placed(source);
  return jsonFormat.identity(buffer, from, to, scanned(buffer, from, to));
}

function spell(member: string, how: string): string {
  const first = member.charCodeAt(0).toString(16).padStart(4, '0');
  return how === 'plain' ? JSON.stringify(member) : String.raw`"\u${first}${member.slice(1)}"`;
}

/** Omits members that are not strings, because they do not identify an object. */
function onlyStrings(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).map(([key, what]) => [
      key,
      typeof what === 'string' ? what : undefined,
    ]),
  );
}

function cut(source: string): string {
  const { buffer, from, to } = placed(source);
  const positions = scanned(buffer, from, to);
  const bound = jsonFormat.cutLength(from, to, positions);
  const target = Buffer.alloc(bound + 4, '#');
  const length = jsonFormat.cut(buffer, from, to, positions, target, 2);
  expect(length).toBeLessThanOrEqual(bound);
  expect(target.toString('latin1', 0, 2)).toBe('##');
  expect(target.toString('latin1', bound + 2)).toBe('##');
  return target.toString('utf8', 2, 2 + length);
}

function withoutManagedFields(source: string): Loose {
  const parsed = JSON.parse(source) as Loose;
  delete parsed.metadata?.['managedFields'];
  return parsed;
}

describe('jsonFormat', () => {
  test('reads the head of any object like a parser, without managedFields', () => {
    fc.assert(
      fc.property(object, (source) => {
        const expected = withoutManagedFields(source);
        expect(head(source)).toEqual({
          ...(expected.kind === undefined ? {} : { kind: expected.kind }),
          ...(expected.apiVersion === undefined ? {} : { apiVersion: expected.apiVersion }),
          metadata: expected.metadata,
        });
      }),
      { numRuns: Math.ceil(2000 * multiple) },
    );
  });

  test('reads the metadata of any object like a parser, without managedFields and without positions', () => {
    fc.assert(
      fc.property(object, (source) => {
        const { buffer, from, to } = placed(source);
        const expected = withoutManagedFields(source).metadata;
        expect(jsonFormat.metadata(buffer, from, to)).toEqual(expected);
      }),
      { numRuns: Math.ceil(2000 * multiple) },
    );
  });

  test('reads the first of repeated metadata, and a scan reports them', () => {
    const source = '{"metadata":{"name":"a"},"kind":"A","metadata":{"name":"b"},"apiVersion":"v1"}';
    const { buffer, from, to } = placed(source);
    expect(jsonFormat.metadata(buffer, from, to)).toEqual({ name: 'a' });
    const positions = scanned(buffer, from, to);
    expect(positions.metadataRepeated).toBe(true);
    const single = Buffer.from('{"kind":"A","apiVersion":"v1","metadata":{"name":"b"}}');
    jsonFormat.scan(single, 0, single.length, positions);
    expect(positions.metadataRepeated).toBe(false);
  });

  test('reads the identity of any object like a parser', () => {
    const member = fc.tuple(
      fc.constantFrom('name', 'namespace', 'uid', 'resourceVersion', 'labels', 'managedFields'),
      fc.oneof(text, fc.stringMatching(/^[a-z0-9-]{1,20}$/), value),
      fc.constantFrom('plain', 'plain', 'plain', 'escaped'),
    );
    fc.assert(
      fc.property(fc.array(member, { maxLength: 8 }), fc.boolean(), (members, hasKind) => {
        const inside = members.map(([key, what, how]) => `${spell(key, how)}: ${print(what)}`);
        const source = `{${hasKind ? '"kind":"Pod",' : ''}"metadata":{${inside.join(' , ')}}}`;
        const { kind, metadata: meta = {} } = JSON.parse(source) as Loose;
        const { name: named, namespace, uid, resourceVersion } = meta;
        const expected = { kind, name: named, namespace, uid, resourceVersion };
        expect(identityOf(source)).toEqual(onlyStrings(expected));
      }),
      { numRuns: Math.ceil(2000 * multiple) },
    );
    expect(identityOf('{"metadata":{"n\\u0061me":"x"}}')).toMatchObject({ name: 'x' });
  });

  test('reads the identity of a cluster-scoped object without parsing', () => {
    const inside = '{"name":"x","uid":"u","resourceVersion":"7","labels":{"a":"b"}}';
    const source = `{"kind":"Node","apiVersion":"v1","metadata":${inside}}`;
    const parse = jest.spyOn(JSON, 'parse');
    try {
      expect(identityOf(source)).toEqual({
        kind: 'Node',
        namespace: undefined,
        name: 'x',
        uid: 'u',
        resourceVersion: '7',
      });
      expect(parse).not.toHaveBeenCalled();
    } finally {
      parse.mockRestore();
    }
  });

  test('cuts only managedFields from an object', () => {
    fc.assert(
      fc.property(object, (source) => {
        expect(JSON.parse(cut(source))).toEqual(withoutManagedFields(source));
      }),
      { numRuns: Math.ceil(2000 * multiple) },
    );
  });

  test('decodes an object like a parser', () => {
    fc.assert(
      fc.property(object, (source) => {
        const { buffer, from, to } = placed(source);
        expect(jsonFormat.decode(buffer, from, to)).toEqual(JSON.parse(source));
      }),
    );
  });

  test('ignores strings that resemble metadata', () => {
    const source =
      '{"kind":"ConfigMap","data":{"metadata":{"name":"no"},"s":"\\"metadata\\":{\\"name\\":\\"no\\"}"},' +
      '"metadata":{"annotations":{"managedFields":"kept","metadata":"kept"},"name":"yes"},"apiVersion":"v1"}';
    expect(head(source)).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { annotations: { managedFields: 'kept', metadata: 'kept' }, name: 'yes' },
    });
    expect(cut(source)).toBe(source);
  });

  test('cuts managedFields at any position, with one comma', () => {
    const fields = '"managedFields":[{"manager":"a,b}"}]';
    expect(cut(`{"metadata":{${fields}}}`)).toBe('{"metadata":{}}');
    expect(cut(`{"metadata":{ ${fields} , "name":"x"}}`)).toBe('{"metadata":{  "name":"x"}}');
    expect(cut(`{"metadata":{"name":"x",${fields}}}`)).toBe('{"metadata":{"name":"x"}}');
    expect(cut(`{"metadata":{"name":"x",${fields},"uid":"u"}}`)).toBe(
      '{"metadata":{"name":"x","uid":"u"}}',
    );
  });

  test('uses the last of repeated names, and cuts every managedFields', () => {
    const twice = '{"metadata":{"managedFields":1,"name":"a","managedFields":2,"name":"b"}}';
    expect(head(twice)).toEqual({ metadata: { name: 'b' } });
    expect(cut(twice)).toBe('{"metadata":{"name":"a","name":"b"}}');
    expect(head('{"metadata":{"name":"a"},"kind":"A","kind":"B","metadata":{"name":"b"}}')).toEqual(
      { kind: 'B', metadata: { name: 'b' } },
    );
  });

  test('accepts names with escapes', () => {
    const source = '{"met\\u0061data":{"managed\\u0046ields":[],"name":"x"}}';
    expect(head(source)).toEqual({ metadata: { name: 'x' } });
    expect(cut(source)).toBe('{"met\\u0061data":{"name":"x"}}');
  });

  test('treats __proto__ like any other member', () => {
    const read = head('{"metadata":{"__proto__":{"polluted":true},"name":"x"}}').metadata ?? {};
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect(Object.keys(read)).toEqual(['__proto__', 'name']);
  });

  test.each([
    ['cut off in the body', '{"spec":{"a":1'],
    ['cut off in the metadata', '{"metadata":{"name":"x"'],
    ['cut off in a string', '{"metadata":{"name":"x'],
    ['cut off in an escape', '{"metadata":{"name":"x\\'],
    ['without metadata', '{"spec":{}}'],
    ['metadata that is not an object', '{"metadata":[]}'],
    ['no object', '[1]'],
    ['a member without a name', '{1:2}'],
    ['a member without a value', '{"metadata"}'],
    ['metadata that does not parse', '{"metadata":{"name":x}}'],
    ['nesting without end', `{"metadata":{"a":${'['.repeat(20_000)}}}`],
  ])('refuses invalid bytes: %s', (_, source) => {
    const buffer = Buffer.from(source);
    const read = (): unknown =>
      jsonFormat.head(buffer, 0, buffer.length, scanned(buffer, 0, buffer.length));
    const invalid = expect.objectContaining({ code: 'MALFORMED_OBJECT' });
    expect(read).toThrow(invalid);
    expect(() => jsonFormat.metadata(buffer, 0, buffer.length)).toThrow(invalid);
  });

  test('refuses an invalid object without its bytes in the error', () => {
    const buffer = Buffer.from('{"data":{"password":hunter2}}');
    let caught: unknown;
    try {
      jsonFormat.decode(buffer, 0, buffer.length);
    } catch (error) {
      caught = error;
    }
    expect(caught).toMatchObject({ code: 'MALFORMED_OBJECT' });
    expect(caught).not.toHaveProperty('cause');
    expect(String(caught)).not.toContain('hunter2');
  });
});
