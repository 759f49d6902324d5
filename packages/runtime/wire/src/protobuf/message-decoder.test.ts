import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { KindTable } from './kind-table.ts';
import type { MessageType } from './message-type.ts';
import { decodeMessage, timeText } from './message-decoder.ts';
import { field, integer, varint } from './protobuf-bytes.test-support.ts';
import { ProtobufReader } from './protobuf-reader.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const FIRST = -62_167_219_200;
const LAST = 253_402_300_799;

/** Decodes a message whose fields a line of a table describes. */
function decode(fields: string, ...parts: readonly Buffer[]): unknown {
  const messages = fields.split(';');
  const table = new KindTable(`1.0\nv1 Thing ${(messages.length - 1).toString(36)}:${fields}\n`);
  const bytes = Buffer.concat(parts);
  const object = {};
  const type = table.find('v1', 'Thing');
  if (type === undefined) throw new Error('no type');
  decodeMessage(new ProtobufReader(bytes, 0, bytes.length), type.message, object);
  return object;
}

function jsonOf(fields: string, ...parts: readonly Buffer[]): string {
  return JSON.stringify(decode(fields, ...parts));
}

const pair = (key: string, value: string): Buffer => field(1, field(1, key), field(2, value));

describe('the decoder of messages', () => {
  test('omits empty members only where JSON omits them', () => {
    const fields = 's.s S.S b.b B.B i.i I.I y.y Y.Y t.t T.T list[s List[S map{s Map{S p*i P*I';
    const empty = '{"S":"","B":false,"I":0,"Y":null,"T":null,"List":null,"Map":null,"P":null}';
    expect(jsonOf(fields)).toBe(empty);
    const sent = [1, 2, 7, 8, 9, 10].map((number) => field(number, ''));
    const numbers = [3, 4, 5, 6].map((number) => integer(number, 0));
    expect(jsonOf(fields, ...sent, ...numbers)).toBe(empty.replace('"Y":null', '"Y":""'));
  });

  test('keeps an empty value behind a pointer', () => {
    const sent = [field(1, ''), integer(2, 0), integer(3, 0), field(4, '')];
    expect(jsonOf('s*s b*b i*i t*t', ...sent)).toBe('{"s":"","b":false,"i":0,"t":null}');
  });

  test('gives missing messages and special types their empty JSON', () => {
    expect(jsonOf('a.S b.s;m.M0 n*m0 q.Q i.N r.R u.U')).toBe(
      '{"m":{"a":""},"q":"0","i":0,"r":null,"u":null}',
    );
  });

  test.each([
    ['arrays', (depth: number) => '['.repeat(depth) + ']'.repeat(depth)],
    ['objects', (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)],
    ['arrays with texts', (depth: number) => '["[{",'.repeat(depth) + '1' + ']'.repeat(depth)],
    ['arrays after spaces', (depth: number) => ` \n${'['.repeat(depth)}${']'.repeat(depth)}`],
  ])('refuses JSON inside a message that is nested too deeply: %s', (_what, nested) => {
    expect(decode('r.R', field(1, field(1, nested(10_000))))).toHaveProperty('r');
    for (const depth of [10_001, 1_000_000]) {
      expect(() => decode('r.R', field(1, field(1, nested(depth))))).toThrow(
        expect.objectContaining({
          code: 'MALFORMED_OBJECT',
          facts: expect.objectContaining({ reason: 'nested too deeply' }) as unknown,
        }),
      );
    }
  });

  test('no built-in message contains itself, so that the table limits the depth of messages', async () => {
    const { kindTableText } = await import('./kind-table-text.ts');
    const table = new KindTable(kindTableText);
    const visit = (type: MessageType, outer: readonly MessageType[]): void => {
      expect(outer).not.toContain(type);
      if (outer.length > 40) throw new Error('more than 40 levels');
      for (const { message } of type.fields) if (message) visit(message, [...outer, type]);
    };
    for (const kind of table.kinds) {
      const [apiVersion = '', name = ''] = kind.split(' ');
      visit(table.find(apiVersion, name)?.message as MessageType, []);
    }
  });

  test('inlines a message at its place', () => {
    const fields = 'a.s b.s;before.s -M0 after.s';
    const sent = [field(3, '4'), field(2, field(2, '3'), field(1, '2')), field(1, '1')];
    expect(jsonOf(fields, ...sent)).toBe('{"before":"1","a":"2","b":"3","after":"4"}');
    expect(jsonOf('a.S;-M0')).toBe('{"a":""}');
  });

  test.each([
    [9_007_199_254_740_993n],
    [9_223_372_036_854_775_807n],
    [-9_223_372_036_854_775_808n],
    [-9_007_199_254_740_995n],
    [-1n],
    [2n ** 31n],
    [-(2n ** 31n)],
    [2n ** 32n],
    [2n ** 62n - 1n],
    [127n],
    [128n],
    [2n ** 28n],
  ])('reads the integer %s as JSON.parse reads it', (value) => {
    expect(decode('i.i', integer(1, value))).toEqual({ i: JSON.parse(String(value)) });
  });

  test('reads lists of integers in both of their forms', () => {
    const packed = Buffer.concat([varint(1), varint(-2), varint(300)]);
    expect(decode('list[i', field(1, packed), integer(1, 4))).toEqual({ list: [1, -2, 300, 4] });
  });

  test('sorts the members of a map by the bytes of their names', () => {
    const sent = ['b', '\u{10000}', '\uffff', 'a', '10', '9'].map((key) => pair(key, 'x'));
    expect(Object.keys((decode('map{s', ...sent) as { map: object }).map)).toEqual(
      // JavaScript puts the names of indexes first.
      ['9', '10', 'a', 'b', '\uffff', '\u{10000}'],
    );
  });

  test('tells apart names of one length that begin and end alike', () => {
    const names = ['a-1-z', 'a-2-z', 'a-1-z', '', 'n'.repeat(64), 'a-2-z'];
    for (const name of names) {
      expect(decode('map{s', pair(name, 'x'))).toEqual({ map: { [name]: 'x' } });
    }
  });

  test('keeps the last of two equal keys', () => {
    expect(decode('map{s', pair('a', '1'), pair('a', '2'))).toEqual({ map: { a: '2' } });
  });

  test('keeps a key named __proto__ as a member', () => {
    const { map } = decode('map{s', pair('__proto__', 'x')) as { map: object };
    expect(JSON.stringify(map)).toBe('{"__proto__":"x"}');
    expect(Object.getPrototypeOf(map)).toBe(Object.prototype);
  });

  test('gives entries of maps without a value their empty JSON', () => {
    const entry = (number: number): Buffer => field(number, field(1, 'k'));
    expect(jsonOf('a.S;s{s y{y w{w q{q m{m0', ...[1, 2, 3, 4, 5].map((n) => entry(n)))).toBe(
      '{"s":{"k":""},"y":{"k":""},"w":{"k":[]},"q":{"k":"0"},"m":{"k":{"a":""}}}',
    );
  });

  test.each([
    [
      'whole seconds',
      't.t',
      [integer(1, 1_767_323_045n), integer(2, 999_999_999)],
      '2026-01-02T03:04:05Z',
    ],
    [
      'microseconds',
      't.u',
      [integer(1, 1_767_323_045n), integer(2, 1999)],
      '2026-01-02T03:04:05.000001Z',
    ],
    [
      'a second before 1970',
      't.u',
      [integer(1, -1), integer(2, 1000)],
      '1969-12-31T23:59:59.000001Z',
    ],
    ['the first year', 't.t', [integer(1, -62_135_596_799n)], '0001-01-01T00:00:01Z'],
    ['the last year', 't.t', [integer(1, 253_402_300_799n)], '9999-12-31T23:59:59Z'],
  ])('prints a time with %s', (_, fields, parts, expected) => {
    expect(decode(fields, field(1, ...parts))).toEqual({ t: expected });
  });

  test('prints the zero time of Go as null', () => {
    expect(jsonOf('t.T', field(1, integer(1, -62_135_596_800n)))).toBe('{"t":null}');
  });

  test.each([
    ['a year of five digits', 't.t', field(1, integer(1, 253_402_300_800n))],
    ['more nanoseconds than a second has', 't.u', field(1, integer(2, 1_000_000_000))],
    ['negative nanoseconds', 't.u', field(1, integer(2, -1))],
    ['neither a number nor a string', 'n.n', field(1, integer(1, 2))],
    ['invalid JSON', 'r.r', field(1, field(1, '{"a":'))],
    ['an object of protobuf in JSON', 'r.r', field(1, field(1, 'k8s\0'))],
    ['an unknown field', 's.s', field(2, 'x')],
    ['an unknown field of a special type', 'q.q', field(1, field(2, 'x'))],
    ['an unknown field of an entry', 'm{s', field(1, field(3, 'x'))],
    ['the number of a field that is 0', 's.s', field(0, 'x')],
    ['a message that is sent in parts', 'a.s;m.m0', Buffer.concat([field(1, ''), field(1, '')])],
    ['a number instead of a string', 's.s', integer(1, 1)],
    ['a string instead of a number', 'i.i', field(1, 'x')],
    ['a group', 's.s', Buffer.from([0x0b, 0x0c])],
    ['a length beyond the end', 's.s', Buffer.from([0x0a, 0x02, 0x61])],
    ['a length beyond the outer message', 'a.s;m.m0 b.s', field(1, Buffer.from([0x0a, 0x05]))],
    ['a tag without a value', 's.s', Buffer.from([0x0a])],
    ['an endless number', 'i.i', Buffer.from([0x08, ...Array<number>(10).fill(0xff), 0x01])],
    ['an endless tag', 's.s', Buffer.from([0x8a, 0x80, 0x80, 0x80, 0x80, 0x00])],
    ['a length above 32 bits', 's.s', Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x7f])],
    ['a number in a list that is cut off', 'l[i', field(1, Buffer.from([0x80]))],
  ])('refuses %s', (_, fields, bytes) => {
    expect(() => decode(fields, bytes)).toThrow(
      expect.objectContaining({ code: 'MALFORMED_OBJECT' }),
    );
  });

  test('bounds the number of messages, because two bytes may become many members', () => {
    const bytes = Buffer.alloc(2 * 1_000_001);
    for (let at = 0; at < bytes.length; at += 2) bytes[at] = 0x0a;
    expect(() => decode('a.s;list[m0', bytes)).toThrow(
      expect.objectContaining({ facts: { reason: 'too many messages' } }),
    );
  });
});

describe('the text of a time', () => {
  test('is that of Date for every second of a year with four digits', () => {
    const days = fc
      .integer({ min: 0, max: 3_652_058 })
      .map((day) => FIRST + day * 86_400 + ((day * 7919) % 86_400));
    const seconds = fc.oneof(
      fc.integer({ min: FIRST, max: LAST }),
      days,
      fc.constantFrom(FIRST, LAST, 0, -1),
    );
    fc.assert(
      fc.property(seconds, (second) => {
        expect(timeText(second)).toBe(new Date(second * 1000).toISOString().replace('.000', ''));
      }),
      { numRuns: Math.ceil(5000 * multiple) },
    );
  });

  test('has six digits of microseconds', () => {
    expect(timeText(0, 7)).toBe('1970-01-01T00:00:00.000007Z');
    expect(timeText(-1, 999_999)).toBe('1969-12-31T23:59:59.999999Z');
  });
});
