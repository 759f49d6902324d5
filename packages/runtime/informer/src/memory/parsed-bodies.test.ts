import { describe, expect, test } from '@jest/globals';
import type { Persisted } from '@keelson/apimachinery';
import { ParsedBodies, type BodyOwner } from './memory.ts';

const watch = {};

function owners(count: number): BodyOwner[] {
  return Array.from({ length: count }, () => ({ of: watch }));
}

/** Reads bodies as a store does: adds those that are missing. Returns the number of hits. */
function read(bodies: ParsedBodies, wanted: readonly BodyOwner[], size = 9): number {
  let hits = 0;
  for (const owner of wanted) {
    if (bodies.get(owner) !== undefined) hits++;
    else bodies.add(owner, {} as Persisted, size);
  }
  return hits;
}

describe('parsed bodies', () => {
  test('a scan of very many objects does not evict those that are read again and again', () => {
    const bodies = new ParsedBodies(10_000);
    const hot = owners(500);
    read(bodies, hot);
    expect(read(bodies, hot)).toBe(500);
    expect(read(bodies, owners(100_000))).toBe(0);
    expect(read(bodies, hot)).toBe(500);
  });

  test('a repeated scan that fits into the limit finds every body', () => {
    const bodies = new ParsedBodies(10_000);
    const all = owners(1_000);
    read(bodies, all);
    for (let scan = 0; scan < 5; scan++) expect(read(bodies, all)).toBe(1_000);
  });

  test('new hot objects replace former ones', () => {
    const bodies = new ParsedBodies(10_000);
    const former = owners(800);
    read(bodies, former);
    read(bodies, former);
    const present = owners(800);
    for (let round = 0; round < 100; round++) {
      for (let from = 0; from < 800; from += 100) {
        const some = present.slice(from, from + 100);
        read(bodies, some);
        read(bodies, some);
      }
    }
    expect(read(bodies, present)).toBe(800);
    expect(read(bodies, former)).toBeLessThanOrEqual(200);
  });

  test('the bodies of both parts together stay within the limit', () => {
    const bodies = new ParsedBodies(1_000);
    const some = owners(100);
    read(bodies, some);
    read(bodies, some);
    read(bodies, owners(1_000));
    const kept = some.filter((owner) => bodies.take(owner) !== undefined);
    expect(kept.length).toBeLessThanOrEqual(80);
    expect(kept.length).toBeGreaterThan(70);
  });

  test('a body that is larger than the protected part is read again without parsing', () => {
    const bodies = new ParsedBodies(1_000);
    const [large] = owners(1);
    if (large === undefined) throw new Error('no owner');
    expect(read(bodies, [large, large, large], 900)).toBe(2);
    expect(bodies.take(large)).toBeDefined();
    expect(read(bodies, [large], 900)).toBe(0);
  });

  test('forgets the bodies of an ended watch, and no others', () => {
    const bodies = new ParsedBodies(1_000);
    const ended = owners(10);
    const other = { of: {} };
    read(bodies, [...ended, other]);
    read(bodies, ended.slice(0, 5));
    bodies.release(watch);
    expect(read(bodies, [other])).toBe(1);
    expect(read(bodies, ended)).toBe(0);
  });
});
