import { describe, expect, test } from '@jest/globals';
import { compare, linesOf } from './comparison.ts';
import type { Answer } from './player.ts';

function answer(step: string, status: number, body: unknown, more: Partial<Answer> = {}): Answer {
  return { step, request: `GET /${step}`, status, body, warnings: [], statusOnly: false, ...more };
}

describe('the comparison', () => {
  test('counts status and body apart and names the places that differ', () => {
    const left = {
      c: [answer('a', 200, { x: 1 }), answer('b', 200, { x: 1, y: [1, 2] }), answer('d', 200, 1)],
    };
    const right = {
      c: [answer('a', 200, { x: 1 }), answer('b', 200, { y: [1, 3] }), answer('d', 404, 1)],
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

  test('compares warnings too, and leaves bodies out where only the status counts', () => {
    const left = {
      c: [answer('a', 200, {}, { warnings: ['w'] }), answer('b', 200, 1, { statusOnly: true })],
    };
    const right = { c: [answer('a', 200, {}), answer('b', 200, 2, { statusOnly: true })] };
    const { differences, sameBody } = compare(left, right);
    expect(differences.map(({ places }) => linesOf(places))).toEqual([
      ['warnings.0: "w" ≠ (absent)'],
    ]);
    expect(sameBody).toBe(1);
  });

  test('compares every place to its end and cuts only what it prints', () => {
    const long = 'x'.repeat(500);
    const body = (end: string): object =>
      Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`m${index}`, `${long}${end}`]));
    const { differences } = compare(
      { c: [answer('a', 200, body('1'))] },
      { c: [answer('a', 200, body('2'))] },
    );
    const places = differences[0]?.places ?? [];
    expect(places).toHaveLength(9);
    expect(places[8]).toEqual({ path: 'm8', left: `${long}1`, right: `${long}2` });
    const lines = linesOf(places);
    expect(lines).toHaveLength(6);
    expect(lines.every((line) => line.length < 350)).toBe(true);
  });

  test('holds references to their objects through a chapter', () => {
    const [one, two] = ['1', '2'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`);
    const left = { c: [answer('a', 200, { uid: one }), answer('b', 200, { owner: one })] };
    const right = { c: [answer('a', 200, { uid: two }), answer('b', 200, { owner: one })] };
    expect(compare(left, right).differences.map(({ step }) => step)).toEqual(['b']);
  });
});
