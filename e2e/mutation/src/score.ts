import { relative } from 'node:path';
import type { MutantResult } from '@stryker-mutator/api/core';

/** The numbers of changes by the result of their tests. */
export interface Score {
  /** A test failed. */
  readonly killed: number;
  /** The tests took too long, also when the change ran alone. */
  readonly timeouts: number;
  readonly survivors: readonly MutantResult[];
}

const survivorStatus: ReadonlySet<string> = new Set(['Survived', 'NoCoverage']);

/** Counts the changes that tests noticed. Changes outside the sample and equivalent ones are left out. */
export function scoreOf(results: readonly MutantResult[]): Score {
  const count = (wanted: string): number =>
    results.filter(({ status }) => status === wanted).length;
  return {
    killed: count('Killed'),
    timeouts: count('Timeout'),
    survivors: results.filter(isSurvivor),
  };
}

/** True for a change that no test noticed. */
export function isSurvivor({ status }: Pick<MutantResult, 'status'>): boolean {
  return survivorStatus.has(status);
}

/**
 * The report: a line for each change that no test noticed, then the score. `slow` changes took too long at
 * first; what became of them alone is part of the score.
 */
export function reportLines(score: Score, slow: number): string[] {
  const { killed, timeouts, survivors } = score;
  return [
    ...survivors.map(describeChange),
    `took too long: ${slow} at first, ${timeouts} of them again when run alone`,
    `changes noticed by a test that failed: ${shareOf(killed, score)}`,
    `with those that took too long twice: ${shareOf(killed + timeouts, score)}`,
  ];
}

/** The score before the changes that took too long run again. */
export function firstRunLine(score: Score): string {
  const { killed, timeouts, survivors } = score;
  return `first run: ${shareOf(killed, score)} noticed, ${survivors.length} not noticed, ${timeouts} took too long`;
}

function shareOf(noticed: number, { killed, timeouts, survivors }: Score): string {
  const total = killed + timeouts + survivors.length;
  return `${noticed} of ${total} (${(total === 0 ? 100 : (100 * noticed) / total).toFixed(1)} %)`;
}

/** The change in one line: what became of it, where it is, what it is. */
export function describeChange({
  fileName,
  location,
  mutatorName,
  replacement,
  status,
}: MutantResult): string {
  const { line, column } = location.start;
  const text = (replacement ?? '').replaceAll(/\s+/g, ' ').slice(0, 100);
  return `${status} ${relative(process.cwd(), fileName)}:${line}:${column} ${mutatorName} → ${text}`;
}
