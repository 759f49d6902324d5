import { relative } from 'node:path';
import type { MutantResult } from '@stryker-mutator/api/core';

/** What a run found. */
export interface Score {
  readonly noticed: number;
  readonly survivors: readonly MutantResult[];
}

const noticedStatus: ReadonlySet<string> = new Set(['Killed', 'Timeout']);
const survivorStatus: ReadonlySet<string> = new Set(['Survived', 'NoCoverage']);

/** Counts the changes that tests noticed. Changes outside the sample and equivalent ones are left out. */
export function scoreOf(results: readonly MutantResult[]): Score {
  const noticed = results.filter(({ status }) => noticedStatus.has(status)).length;
  return { noticed, survivors: results.filter(isSurvivor) };
}

/** True for a change that no test noticed. */
export function isSurvivor({ status }: Pick<MutantResult, 'status'>): boolean {
  return survivorStatus.has(status);
}

/** The report: a line for each change that no test noticed, then the score. */
export function reportLines({ noticed, survivors }: Score): string[] {
  const total = noticed + survivors.length;
  const percent = total === 0 ? 100 : (100 * noticed) / total;
  return [
    ...survivors.map(describeChange),
    `${noticed} of ${total} changes noticed by a test (${percent.toFixed(1)} %)`,
  ];
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
