import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { randomSession } from './random-session.ts';
import { readSessionKinds } from './session-kind.ts';

describe('random sessions', () => {
  test('are equal for equal seeds and differ for different seeds', async () => {
    const sessions = randomSession(await readSessionKinds());
    const sample = (seed: number): unknown => fc.sample(sessions, { seed, numRuns: 3 });
    expect(sample(1)).toEqual(sample(1));
    expect(sample(1)).not.toEqual(sample(2));
  });

  test('use the paths of their kinds and number their steps', async () => {
    const kinds = await readSessionKinds();
    const paths = kinds.map(({ path }) => path);
    for (const steps of fc.sample(randomSession(kinds), { seed: 3, numRuns: 50 })) {
      expect(steps.map(({ name }) => name)).toEqual(steps.map((_, index) => `${index + 1}`));
      for (const { request } of steps) {
        expect(paths.some((path) => request.split(' ')[1]?.startsWith(path))).toBe(true);
      }
    }
  });

  test('use every verb, subresource and patch type', async () => {
    const sessions = fc.sample(randomSession(await readSessionKinds()), { seed: 4, numRuns: 100 });
    const steps = sessions.flat();
    const verbs = new Set(steps.map(({ request }) => request.split(' ')[0]));
    expect(verbs).toEqual(new Set(['DELETE', 'GET', 'PATCH', 'POST', 'PUT']));
    const types = new Set(steps.map(({ type }) => type));
    expect(types).toEqual(new Set([undefined, 'merge', 'strategic', 'jsonpatch', 'apply']));
    for (const part of ['/status', '/scale', 'watch=1', 'dryRun=All', 'force=true']) {
      expect(steps.some(({ request }) => request.includes(part))).toBe(true);
    }
  });
});
