import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  jsonFormat,
  loadProtobufFormats,
  type Format,
  type Frame,
  type Splitter,
} from './index.ts';
import { chunksOf } from './json/json-chunks.test-support.ts';
import { keeps } from './kept-bytes.test-support.ts';
import { goFixture } from './protobuf/go-fixture.test-support.ts';

const secret = { kind: 'Secret', metadata: { name: 'a', uid: 'u', resourceVersion: '7' } };
const event = `{"type":"ADDED","object":${JSON.stringify(secret)}}\n`;

/** Splits the chunks, and decodes each frame before the next chunk overwrites it. */
function objectsOf(splitter: Splitter, chunks: readonly Buffer[]): unknown[] {
  const objects = chunks.flatMap((chunk) => splitter.push(chunk).map((frame) => decoded(frame)));
  splitter.end();
  return objects;
}

function decoded({ format, buffer, from, to }: Frame): unknown {
  return format?.decode(buffer, from, to);
}

async function podFormat(): Promise<Format> {
  const found = (await loadProtobufFormats()).find('v1', 'Pod');
  if (found === undefined) throw new Error('no format of pods');
  return found;
}

/** The bullets of `index.ts`, in the same words. */
describe('@keelson/wire', () => {
  test('A response is split into the same frames, however its bytes are divided into chunks.', async () => {
    const pods = await podFormat();
    const json = Buffer.from(event.repeat(4));
    const { protobuf } = goFixture('watch');
    const expected = objectsOf(pods.watchSplitter(), [protobuf]);
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), (numbers) => {
        const split = objectsOf(jsonFormat.watchSplitter(), chunksOf(json, numbers));
        expect(split).toEqual([secret, secret, secret, secret]);
        expect(objectsOf(pods.watchSplitter(), chunksOf(protobuf, numbers))).toEqual(expected);
      }),
    );
  });

  test('Bytes that are not a complete response are refused, with an error that shows none of them.', async () => {
    const pods = await podFormat();
    const response = Buffer.from('{"type":"ADDED","object":{"data":"hunter2"');
    for (const splitter of [
      jsonFormat.watchSplitter(),
      jsonFormat.listSplitter(),
      pods.watchSplitter(),
      pods.listSplitter(),
    ]) {
      const read = (): unknown => objectsOf(splitter, [response]);
      expect(read).toThrow(expect.objectContaining({ facts: expect.anything() }));
      expect(read).not.toThrow('hunter2');
    }
  });

  test('The identity and the metadata of an object are read without parsing its body, in any layout of JSON.', () => {
    const body = '"spec": [this is not JSON]';
    const layouts = [
      `{"kind":"Secret","metadata":{"name":"a","uid":"u","resourceVersion":"7"},${body}}`,
      `{ ${body},\n"metadata" : {"resourceVersion":"7", "uid":"u", "n\\u0061me":"a"}, "kind":"Secret" }`,
    ];
    for (const bytes of layouts.map((text) => Buffer.from(text))) {
      const positions = jsonFormat.positions();
      jsonFormat.scan(bytes, 0, bytes.length, positions);
      expect(jsonFormat.identity(bytes, 0, bytes.length, positions)).toMatchObject({
        kind: 'Secret',
        name: 'a',
        uid: 'u',
        resourceVersion: '7',
      });
      expect(jsonFormat.head(bytes, 0, bytes.length, positions)).toEqual(secret);
      expect(() => jsonFormat.decode(bytes, 0, bytes.length)).toThrow('malformed');
    }
  });

  test('The protobuf of a built-in kind is decoded to the JSON of kube-apiserver, with members in the same order.', async () => {
    const { protobuf, json } = goFixture('Pod');
    const pod = (await podFormat()).decode(protobuf, 0, protobuf.length);
    expect(JSON.stringify(pod)).toBe(JSON.stringify(json[0]));
  });

  test('No format or splitter keeps a chunk after the call that was given it.', async () => {
    const splitter = jsonFormat.watchSplitter();
    const read = (chunk: Buffer): void => {
      for (const { format, buffer, from, to } of splitter.push(chunk)) {
        format?.scan(buffer, from, to, format.positions());
      }
    };
    expect(await keeps(Buffer.from(event.repeat(3)), read)).toBe(false);
    expect(await keeps(Buffer.from(event), read)).toBe(false);
  });
});
