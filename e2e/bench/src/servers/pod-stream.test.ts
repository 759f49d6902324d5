import { describe, expect, test } from '@jest/globals';
import { podName, podNamespace, podUid } from './pod.ts';
import { chunksOf, initialEvents, podList, SENT, stamp, stampable, updates } from './pod-stream.ts';
import { renderPod } from './pod.ts';

interface Pod {
  kind?: string;
  metadata: {
    resourceVersion: string;
    managedFields?: unknown;
    annotations: Record<string, string>;
  };
}

function parsed(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString();
}

describe('the pods of the bench', () => {
  test('have the size that the page states, each with its own name and uid', () => {
    const pod = renderPod(12_345, 7);
    const { managedFields } = (JSON.parse(pod) as Pod).metadata;
    expect(Math.round(pod.length / 100) / 10).toBe(5.2);
    expect(Math.round(JSON.stringify(managedFields).length / 100) / 10).toBe(1.4);
    const indices = Array.from({ length: 20_000 }, (_, index) => index);
    expect(new Set(indices.map((i) => `${podNamespace(i)}/${podName(i)}`)).size).toBe(20_000);
    expect(new Set(indices.map(podUid)).size).toBe(20_000);
  });

  test('make a list that parses', () => {
    const chunks = chunksOf(podList(200, 9, (index) => renderPod(index, index)));
    expect(chunks.length).toBeGreaterThan(1);
    const list = JSON.parse(parsed(chunks)) as { metadata: unknown; items: Pod[] };
    expect(list.metadata).toEqual({ resourceVersion: '9' });
    expect(list.items).toHaveLength(200);
  });

  test('make valid events with newer versions than the list', () => {
    const lines = parsed(chunksOf(updates(5, 2)))
      .trim()
      .split('\n');
    const versions = lines.map((line) => (JSON.parse(line) as { object: Pod }).object);
    expect(versions.map((pod) => pod.kind)).toEqual(Array(5).fill('Pod'));
    expect(versions.map((pod) => Number(pod.metadata.resourceVersion) - 10_000_000)).toEqual([
      0, 1, 2, 3, 4,
    ]);
  });

  test('make a WatchList that ends with its bookmark', () => {
    const lines = [...initialEvents(3)].map(
      (line) => JSON.parse(line) as { type: string; object: Pod },
    );
    expect(lines.map((line) => line.type)).toEqual(['ADDED', 'ADDED', 'ADDED', 'BOOKMARK']);
    expect(lines.at(-1)?.object.metadata.annotations).toEqual({
      'k8s.io/initial-events-end': 'true',
    });
  });

  test('carry the time at which they are sent', () => {
    const [length = '', text = ''] = String(stamp(stampable(1, 2))).split('\r\n');
    expect(Number.parseInt(length, 16)).toBe(Buffer.byteLength(text));
    const line = JSON.parse(text) as { object: Pod };
    expect(Number(line.object.metadata.annotations[SENT])).toBeGreaterThan(0);
  });
});
