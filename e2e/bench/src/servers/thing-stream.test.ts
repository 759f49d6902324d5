import { describe, expect, test } from '@jest/globals';
import { FIRST_EVENT_VERSION } from './pod-stream.ts';
import { changedThings, initialThings, renderThing } from './thing-stream.ts';

interface Thing {
  metadata: { name: string; uid: string; resourceVersion: string; managedFields: unknown };
}

interface ThingEvent {
  readonly type: string;
  readonly object: Thing;
}

function parsed(lines: Iterable<string>): readonly ThingEvent[] {
  return [...lines].map((line) => JSON.parse(line) as ThingEvent);
}

describe('the custom resources of the bench', () => {
  test('have the size that the page states, each with its own name and uid', () => {
    const text = renderThing(123_456, 7);
    const { metadata } = JSON.parse(text) as Thing;
    expect(Math.round(text.length / 100) / 10).toBe(2.2);
    expect(Math.round(JSON.stringify(metadata.managedFields).length / 100) / 10).toBe(0.6);
    const all = Array.from(
      { length: 20_000 },
      (_, n) => (JSON.parse(renderThing(n, 1)) as Thing).metadata,
    );
    expect(new Set(all.map(({ name }) => name)).size).toBe(20_000);
    expect(new Set(all.map(({ uid }) => uid)).size).toBe(20_000);
  });

  test('make a WatchList that ends with its bookmark', () => {
    const events = parsed(initialThings(3));
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'ADDED', 'ADDED', 'BOOKMARK']);
    expect(events.at(-1)?.object.metadata).toMatchObject({
      annotations: { 'k8s.io/initial-events-end': 'true' },
    });
  });

  test('change with increasing versions, each object once before any a second time', () => {
    const changed = parsed(changedThings(1000, 1000)).map(({ object }) => object.metadata);
    expect(new Set(changed.map(({ name }) => name)).size).toBe(1000);
    expect(changed.map(({ resourceVersion }) => Number(resourceVersion))).toEqual(
      Array.from({ length: 1000 }, (_, n) => FIRST_EVENT_VERSION + n),
    );
  });
});
