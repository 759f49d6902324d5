import type { BenchCase, Contender, PeerContender } from './bench-case.ts';
import { toolchains, type Needed, type Programs } from '../programs/programs.ts';

/** The programs that the contenders and servers of these cases need. */
export function neededBy(cases: readonly BenchCase[]): Needed {
  const contenders = cases.flatMap(({ sides }): Contender[] => Object.values(sides));
  return {
    real: cases.some(isReal),
    languages: new Set(contenders.filter(isPeer).map(({ language }) => language)),
  };
}

/**
 * The case without the contenders whose program is missing; each is reported. Returns `undefined` if no part of the
 * case can run.
 */
export function runnable(
  benchCase: BenchCase,
  programs: Programs,
  log: (line: string) => void,
): BenchCase | undefined {
  const { name } = benchCase;
  if (isReal(benchCase) && programs.assets === undefined) {
    log(`!!! SKIPPED ${name}: no kube-apiserver, and no Go on this machine to build one`);
    return undefined;
  }
  const sides = Object.entries(benchCase.sides).filter(([side, contender]) => {
    if (!isPeer(contender) || programs[contender.language] !== undefined) return true;
    log(`!!! SKIPPED ${side} of ${name}: no ${toolchains[contender.language]} on this machine`);
    return false;
  });
  return sides.length === 0 ? undefined : { ...benchCase, sides: Object.fromEntries(sides) };
}

function isReal({ server }: BenchCase): boolean {
  return server !== undefined && 'real' in server;
}

function isPeer(contender: Contender): contender is PeerContender {
  return 'peer' in contender;
}
