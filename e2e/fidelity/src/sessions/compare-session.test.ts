import { describe, expect, test } from '@jest/globals';
import type { StepResponse } from '../player.ts';
import { compareSession, type SessionAgreement } from './compare-session.ts';

/** The bodies of a server's responses to one run, by step. */
type Run = readonly unknown[];

function responsesOf(run: Run): StepResponse[] {
  return run.map((body, index) => ({
    step: `${index + 1}`,
    request: 'GET /x',
    status: 200,
    body,
    warnings: [],
    statusOnly: false,
  }));
}

/** Compares scripted runs; the first real run belongs to the run of both servers. */
async function agreementOf(
  ours: Run,
  real: readonly Run[],
  isAccepted = false,
): Promise<SessionAgreement & { played: number }> {
  let played = 0;
  const playReal = (): Promise<StepResponse[]> =>
    Promise.resolve(responsesOf(real[Math.min(played++, real.length - 1)] ?? []));
  const stage = {
    playBoth: async () => ({ real: await playReal(), ours: responsesOf(ours) }),
    playReal,
  };
  const agreement = await compareSession('s', stage, () => isAccepted);
  return { ...agreement, played };
}

function stepsOf({ differences }: SessionAgreement): string[] {
  return differences.map(({ step }) => step);
}

describe('compareSession', () => {
  test('plays an equal session once', async () => {
    const agreement = await agreementOf(['a', 'b'], [['a', 'b']]);
    expect(agreement).toMatchObject({ steps: 2, sameBody: 2, differences: [], played: 1 });
  });

  test('plays a session with accepted differences once', async () => {
    const agreement = await agreementOf(['a', 'c'], [['a', 'b']], true);
    expect(agreement).toMatchObject({ steps: 2, sameBody: 1, unstable: [], played: 1 });
    expect(stepsOf(agreement)).toEqual(['2']);
  });

  test('counts a difference that the real server repeats', async () => {
    const agreement = await agreementOf(['a', 'c'], [['a', 'b']]);
    expect(agreement).toMatchObject({ steps: 2, sameBody: 1, unstable: [], played: 5 });
    expect(stepsOf(agreement)).toEqual(['2']);
  });

  test('ignores a step in which the real server disagrees with itself', async () => {
    const runs = [
      ['a', 'b'],
      ['a', 'c'],
    ];
    const agreement = await agreementOf(['a', 'c'], runs);
    expect(agreement).toMatchObject({ steps: 1, sameBody: 1, unstable: ['2'], played: 2 });
    expect(stepsOf(agreement)).toEqual([]);
  });

  test('repeats until each differing step is explained', async () => {
    const runs = [
      ['a', 'b', 'x'],
      ['a', 'b', 'y'],
      ['a', 'c', 'y'],
    ];
    const agreement = await agreementOf(['a', 'z', 'z'], runs);
    expect(agreement).toMatchObject({ steps: 1, unstable: ['2', '3'], played: 3 });
  });

  test('counts a differing step beside an unstable one', async () => {
    const runs = [
      ['a', 'b', 'x'],
      ['a', 'c', 'x'],
    ];
    const agreement = await agreementOf(['a', 'c', 'y'], runs);
    expect(agreement).toMatchObject({ steps: 2, sameStatus: 2, sameBody: 1, unstable: ['2'] });
    expect(stepsOf(agreement)).toEqual(['3']);
  });

  test('ignores an unstable step only where the servers differ', async () => {
    const runs = [
      ['a', 'b'],
      ['x', 'b'],
    ];
    const agreement = await agreementOf(['a', 'c'], runs);
    expect(agreement).toMatchObject({ steps: 2, sameBody: 1, unstable: [] });
    expect(stepsOf(agreement)).toEqual(['2']);
  });
});
