import { describe, expect, test } from '@jest/globals';
import { decisionOfJudge, decisionOfServer } from './decision.ts';
import { Tally } from './tally.ts';
import { compareDecisions } from './verdict.ts';

function refusal(...messages: string[]): { code: number; details: { causes: object[] } } {
  return { code: 422, details: { causes: messages.map((message) => ({ field: 'a', message })) } };
}

function agreement(ours: object, code: number, judge: object): string {
  return compareDecisions(decisionOfServer({ code, body: ours as never }), decisionOfJudge(judge))
    .agreement;
}

describe('the comparison of two decisions', () => {
  test('ignores what a server sets, and the order of causes', () => {
    const object = { metadata: { name: 'a', uid: '1' }, spec: {} };
    expect(agreement(object, 201, { object: { metadata: { name: 'a' }, spec: {} } })).toBe('equal');
    expect(agreement(refusal('x', 'y'), 422, { status: refusal('y', 'x') })).toBe('equal');
  });

  test('reports other words apart from other decisions', () => {
    expect(agreement(refusal('x'), 422, { status: refusal('y') })).toBe('words');
    expect(agreement(refusal('x'), 422, { object: {} })).toBe('different');
    expect(agreement({ spec: 1 }, 201, { object: { spec: 2 } })).toBe('different');
    expect(agreement({ ...refusal('x'), code: 400 }, 400, { status: refusal('x') })).toBe(
      'different',
    );
  });

  test('leaves out a struct that Kubernetes quotes in its internal form', () => {
    const quoted = (struct: string): object => refusal(`Invalid value: ${struct}: must be one`);
    expect(agreement(quoted('[{"a":1}]'), 422, { status: quoted('[{"A":1}]') })).toBe('equal');
    expect(agreement(quoted('"a"'), 422, { status: quoted('"b"') })).toBe('words');
  });

  test('counts what both sides decided', () => {
    const tally = new Tally();
    const decision = { code: 200, causes: [] };
    for (const each of ['equal', 'equal', 'equal', 'different', 'undecided', 'strict'] as const) {
      tally.add([{ agreement: each, ours: decision, judge: decision }]);
    }
    expect(tally.share).toBe(0.75);
    expect(tally.line()).toBe(
      '6 cases, 4 decisions, 75.00 % equal, 75.00 % with the same causes, 1 refused by Keelson alone',
    );
  });
});
