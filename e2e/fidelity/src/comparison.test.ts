import { describe, expect, test } from '@jest/globals';
import { compare, lateSteps, linesOf } from './comparison.ts';
import type { StepResponse } from './player.ts';

function response(
  step: string,
  status: number,
  body: unknown,
  more: Partial<StepResponse> = {},
): StepResponse {
  return { step, request: `GET /${step}`, status, body, warnings: [], statusOnly: false, ...more };
}

describe('the comparison', () => {
  test('lists the steps that waited in vain', () => {
    const waited = response('b', 404, '', { isLate: true });
    expect(lateSteps({ c: [response('a', 200, ''), waited] })).toEqual(['c: b']);
  });

  test('counts equal statuses and equal bodies separately and returns the places that differ', () => {
    const left = {
      c: [
        response('a', 200, { x: 1 }),
        response('b', 200, { x: 1, y: [1, 2] }),
        response('d', 200, 1),
      ],
    };
    const right = {
      c: [response('a', 200, { x: 1 }), response('b', 200, { y: [1, 3] }), response('d', 404, 1)],
    };
    expect(compare(left, right)).toEqual({
      steps: 3,
      sameStatus: 2,
      sameBody: 1,
      differences: [
        {
          chapter: 'c',
          step: 'b',
          request: 'GET /b',
          statuses: [200, 200],
          places: [
            { path: 'x', left: 1, right: undefined },
            { path: 'y.1', left: 2, right: 3 },
          ],
        },
        { chapter: 'c', step: 'd', request: 'GET /d', statuses: [200, 404], places: [] },
      ],
    });
  });

  test('compares warnings, and ignores the body of a status-only step', () => {
    const left = {
      c: [response('a', 200, {}, { warnings: ['w'] }), response('b', 200, 1, { statusOnly: true })],
    };
    const right = { c: [response('a', 200, {}), response('b', 200, 2, { statusOnly: true })] };
    const { differences, sameBody } = compare(left, right);
    expect(differences.map(({ places }) => linesOf(places))).toEqual([
      ['warnings.0: "w" ≠ (absent)'],
    ]);
    expect(sameBody).toBe(1);
  });

  test('compares whole values and truncates only printed ones', () => {
    const long = 'x'.repeat(500);
    const body = (end: string): object =>
      Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`m${index}`, `${long}${end}`]));
    const { differences } = compare(
      { c: [response('a', 200, body('1'))] },
      { c: [response('a', 200, body('2'))] },
    );
    const places = differences[0]?.places ?? [];
    expect(places).toHaveLength(9);
    expect(places[8]).toEqual({ path: 'm8', left: `${long}1`, right: `${long}2` });
    const lines = linesOf(places);
    expect(lines).toHaveLength(6);
    expect(lines.every((line) => line.length < 350)).toBe(true);
  });

  test('compares references to earlier objects of a chapter', () => {
    const [one, two] = ['1', '2'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`);
    const left = { c: [response('a', 200, { uid: one }), response('b', 200, { owner: one })] };
    const right = { c: [response('a', 200, { uid: two }), response('b', 200, { owner: one })] };
    expect(compare(left, right).differences.map(({ step }) => step)).toEqual(['b']);
  });
});
