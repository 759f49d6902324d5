import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { anyText } from '../testing/any-text.test-support.ts';
import type { Frame } from '../frames/format.ts';
import { jsonFormat } from './json-format.ts';
import { JsonListSplitter } from './json-list-splitter.ts';
import { chunksOf, withEscapes, withWhiteSpace } from './json-chunks.test-support.ts';

interface Outcome {
  objects: unknown[];
  splitter: JsonListSplitter;
}

function split(chunks: readonly Uint8Array[]): Outcome {
  const splitter = new JsonListSplitter(jsonFormat);
  const objects = chunks.flatMap((chunk) => splitter.push(chunk).map(objectOf));
  splitter.end();
  return { objects, splitter };
}

function objectOf(frame: Frame): unknown {
  expect(frame.type).toBe('ADDED');
  if (frame.positions !== undefined) {
    const positions = jsonFormat.positions();
    jsonFormat.scan(frame.buffer, frame.from, frame.to, positions);
    expect(frame.positions).toEqual(positions);
  }
  return jsonFormat.decode(frame.buffer, frame.from, frame.to);
}

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const item = fc
  .record({
    metadata: fc.dictionary(anyText(8), fc.jsonValue()),
    spec: fc.jsonValue(),
  })
  .map((object) => JSON.parse(JSON.stringify(object)) as object);

const list = fc
  .tuple(
    fc.array(item, { maxLength: 8 }),
    fc.record({ resourceVersion: anyText() }),
    fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }),
    fc.boolean(),
  )
  .map(([items, metadata, others, metadataFirst]) => {
    const members = metadataFirst ? { metadata, items } : { items, metadata };
    return { ...others, kind: 'PodList', apiVersion: 'v1', ...members };
  });

const layouts: Readonly<Record<string, (source: object) => string>> = {
  'pretty-printed': (source) => JSON.stringify(source, null, 2),
  'with CRLF and tabs': (source) => JSON.stringify(source, null, '\t').replaceAll('\n', '\r\n'),
  'with a byte order mark': (source) => `\uFEFF${JSON.stringify(source)}`,
  'with white space around it': (source) => ` \r\n\t${JSON.stringify(source)}\n\n`,
  'with names in escapes': (source) => withEscapes(JSON.stringify(source)),
};

describe('JsonListSplitter', () => {
  test('yields the items that a parser finds, for any list in any chunks', () => {
    fc.assert(
      fc.property(list, fc.infiniteStream(fc.nat()), (source, numbers) => {
        const bytes = Buffer.from(withWhiteSpace(JSON.stringify(source), numbers));
        const { objects, splitter } = split(chunksOf(bytes, numbers));
        const parsed = JSON.parse(bytes.toString()) as typeof source;
        expect(objects).toEqual(parsed.items);
        expect(splitter.metadata).toEqual(parsed.metadata);
        expect([splitter.kind, splitter.apiVersion]).toEqual(['PodList', 'v1']);
      }),
      { numRuns: Math.ceil(100 * multiple) },
    );
  });

  test.each(Object.keys(layouts))('yields the items that a parser finds: %s', (name) => {
    const layout = layouts[name] as (typeof layouts)[string];
    fc.assert(
      fc.property(list, fc.infiniteStream(fc.nat()), (source, numbers) => {
        const bytes = Buffer.from(layout(source));
        const { objects, splitter } = split(chunksOf(bytes, numbers));
        expect(objects).toEqual(source.items);
        expect(splitter.metadata).toEqual(source.metadata);
      }),
      { numRuns: Math.ceil(20 * multiple) },
    );
  });

  test('items of a chunk share no byte', () => {
    fc.assert(
      fc.property(list, fc.infiniteStream(fc.nat()), (source, numbers) => {
        const splitter = new JsonListSplitter(jsonFormat);
        for (const chunk of chunksOf(Buffer.from(JSON.stringify(source)), numbers)) {
          const ranges = splitter
            .push(chunk)
            .map(({ buffer: { buffer, byteOffset }, from, to }) => {
              return { buffer, from: byteOffset + from, to: byteOffset + to };
            });
          for (const [n, { buffer, from, to }] of ranges.entries()) {
            const others = ranges.filter((other, m) => m !== n && other.buffer === buffer);
            expect(others.filter((other) => other.from < to && from < other.to)).toEqual([]);
          }
        }
      }),
      { numRuns: Math.ceil(20 * multiple) },
    );
  });

  test('accepts chunks of a single byte', () => {
    const source = {
      metadata: { resourceVersion: '12', remainingItemCount: 345 },
      items: [{ metadata: { name: 'é€😀"\\' }, n: -1.5e-7 }, { b: [true, false, null] }],
    };
    const bytes = Buffer.from(JSON.stringify(source, null, 2));
    const { objects, splitter } = split([...bytes].map((byte) => Buffer.of(byte)));
    expect(objects).toEqual(source.items);
    expect(splitter.metadata).toEqual(source.metadata);
  });

  test('yields an item within one chunk as a range of that chunk', () => {
    const chunk = Buffer.from('{"items":[{"metadata":{"name":"a"}}');
    const [frame] = new JsonListSplitter(jsonFormat).push(chunk);
    expect(frame?.buffer.buffer).toBe(chunk.buffer);
    expect([frame?.from, frame?.to]).toEqual([10, 35]);
  });

  test('keeps the frames of a call valid while it stores the rest of the chunk', () => {
    const splitter = new JsonListSplitter(jsonFormat);
    splitter.push(Buffer.from('{"items":[{"a":"11'));
    const frames = splitter.push(Buffer.from('11"},{"b":"22'));
    expect(frames.map((f) => jsonFormat.decode(f.buffer, f.from, f.to))).toEqual([{ a: '1111' }]);
  });

  test('reads null as an empty list of items', () => {
    const { objects, splitter } = split([
      Buffer.from('{"items":nu'),
      Buffer.from('ll,"metadata":{"resourceVersion":"7"}}\n'),
    ]);
    expect(objects).toEqual([]);
    expect(splitter.metadata).toEqual({ resourceVersion: '7' });
  });

  test('RF27 reads the kind of a Table and yields no items', () => {
    const table = { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: {}, rows: [{ a: [1] }] };
    const { objects, splitter } = split([Buffer.from(JSON.stringify(table))]);
    expect(objects).toEqual([]);
    expect(splitter.kind).toBe('Table');
  });

  test('RF42 throws for a list that ends early', () => {
    const whole = Buffer.from('{"metadata":{"resourceVersion":"1"},"items":[{"a":1}]}');
    fc.assert(
      fc.property(fc.nat({ max: whole.length - 1 }), (length) => {
        expect(() => split([whole.subarray(0, length)])).toThrow(
          expect.objectContaining({ code: 'TRUNCATED_RESPONSE' }),
        );
      }),
    );
  });

  test.each(['[]', '{"items":{}}', '{"items":[1]}', '{"items" 1}', '{"items":[]}{', '{1:2}'])(
    'refuses bytes that are not a list: %s',
    (source) => {
      expect(() => split([Buffer.from(source)])).toThrow(
        expect.objectContaining({ code: 'MALFORMED_LIST' }),
      );
    },
  );

  test('RF43 joins an item larger than any chunk', () => {
    const source = { items: [{ data: 'x\\"é'.repeat(400_000) }, { small: 1 }] };
    const bytes = Buffer.from(JSON.stringify(source));
    const chunks: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += 65_536) chunks.push(bytes.subarray(at, at + 65_536));
    expect(split(chunks).objects).toEqual(source.items);
  });
});
