import { describe, expect, test } from '@jest/globals';
import type { Place } from '../comparison.ts';
import { isListed, type KnownPlace, readKnownSessionDifferences } from './session-differences.ts';

const request = 'PUT /api/v1/namespaces/talk-s1/services/one';

function difference(statuses: readonly [number, number], ...places: readonly Place[]) {
  return { chapter: 's1', step: '1', request, statuses, places };
}

function listed(place: Place, entry: KnownPlace): boolean {
  const known = [{ reason: 'r', request: 'PUT .*/services/one', places: [entry] }];
  return isListed(difference([200, 200], place), known);
}

describe('the known differences of sessions', () => {
  test('an entry matches a whole path, not its beginning or end', () => {
    const values = ['1', '2'] as const;
    expect(listed({ path: 'spec.x', left: 1, right: 2 }, { path: 'spec\\.x', values })).toBe(true);
    for (const path of ['spec.xy', 'a.spec.x']) {
      expect(listed({ path, left: 1, right: 2 }, { path: 'spec\\.x', values })).toBe(false);
    }
  });

  test('an entry matches whole values, also with alternatives', () => {
    const entry = { path: 'x', values: ['a|b', '\\(absent\\)'] } as const;
    expect(listed({ path: 'x', left: 'b', right: undefined }, entry)).toBe(true);
    expect(listed({ path: 'x', left: 'ab', right: undefined }, entry)).toBe(false);
    expect(listed({ path: 'x', left: 'a, c', right: undefined }, entry)).toBe(false);
    expect(listed({ path: 'x', left: 'b', right: null }, entry)).toBe(false);
  });

  test('an entry with a part requires equal text around that part', () => {
    const entry = { path: 'message', part: '\\{.*?\\}' };
    const place = (left: string, right: string): Place => ({ path: 'message', left, right });
    expect(listed(place('a {1}, b', 'a {2}, b'), entry)).toBe(true);
    expect(listed(place('a {1}, b', 'a {2}, c'), entry)).toBe(false);
    expect(listed(place('a {1}, b', 'b {2}, b'), entry)).toBe(false);
    expect(listed(place('a {1}, {1}', 'a {2}'), entry)).toBe(false);
  });

  test('an entry matches a whole request', () => {
    const places = [{ path: 'x', values: ['1', '2'] as const }];
    const found = difference([200, 200], { path: 'x', left: 1, right: 2 });
    expect(isListed(found, [{ reason: 'r', request, places }])).toBe(true);
    expect(isListed(found, [{ reason: 'r', request: 'PUT /api', places }])).toBe(false);
  });

  test('one entry must list every place', () => {
    const [x, y] = ['x', 'y'].map((path) => ({ path, values: ['1', '2'] as const }));
    const found = difference(
      [200, 200],
      { path: 'x', left: 1, right: 2 },
      { path: 'y', left: 1, right: 2 },
    );
    const entry = (...places: readonly (KnownPlace | undefined)[]) => ({
      reason: 'r',
      request,
      places: places.filter((place) => place !== undefined),
    });
    expect(isListed(found, [entry(x, y)])).toBe(true);
    expect(isListed(found, [entry(x)])).toBe(false);
    expect(isListed(found, [entry(x), entry(y)])).toBe(false);
  });

  test('different statuses must be listed, and an entry without statuses requires equal ones', () => {
    const entry = { reason: 'r', request, statuses: [200, 422] as const };
    expect(isListed(difference([200, 422]), [entry])).toBe(true);
    expect(isListed(difference([200, 409]), [entry])).toBe(false);
    expect(isListed(difference([422, 422]), [entry])).toBe(false);
    expect(isListed(difference([200, 422]), [{ reason: 'r', request }])).toBe(false);
  });

  test('only the status counts if a server closed the connection', () => {
    const entry = { reason: 'r', request, statuses: [0, 200] as const };
    const body = { path: 'kind', left: undefined, right: 'Service' };
    expect(isListed(difference([0, 200], body), [entry])).toBe(true);
    expect(isListed(difference([200, 0], body), [entry])).toBe(false);
  });

  test('each entry has a reason and valid expressions', async () => {
    const known = await readKnownSessionDifferences();
    expect(known.length).toBeGreaterThan(0);
    for (const { reason, request: pattern, statuses, places = [] } of known) {
      expect(reason.trim()).not.toBe('');
      expect(statuses !== undefined || places.length > 0).toBe(true);
      for (const text of [pattern, ...places.flatMap(expressionsOf)]) {
        expect(() => new RegExp(text)).not.toThrow();
      }
    }
  });
});

function expressionsOf({ path, part, values = [] as never }: KnownPlace): string[] {
  return [path, ...(part === undefined ? [] : [part]), ...values];
}
