import { readFileSync, writeFileSync } from 'node:fs';
import type { Spread } from './spread.ts';

/** The contenders of some cases, and the member of a result with Keelson's ratio to each. */
export const ratioMembers = {
  clientGo: 'ratioToClientGo',
  clientGoProtobuf: 'ratioToClientGoProtobuf',
  controllerRuntime: 'ratioToControllerRuntime',
  kubeRs: 'ratioToKubeRs',
  keepBytes: 'ratioToKeepBytes',
  http1: 'ratioToHttp1',
} as const;

type OtherSide = keyof typeof ratioMembers;
export type OtherRatio = (typeof ratioMembers)[OtherSide];

/** One line of `results.jsonl`. */
export interface Result
  extends
    Readonly<Partial<Record<OtherSide, Spread | null>>>,
    Readonly<Partial<Record<OtherRatio, number | null>>> {
  readonly case: string;
  readonly unit: string;
  readonly keelson: Spread | null;
  readonly clientNode: Spread | null;
  readonly limit: Spread | null;
  readonly ratioToClientNode: number | null;
  readonly ratioToLimit: number | null;
  readonly runs: number;
  readonly node: string;
  readonly date: string;
}

export const resultsFile: URL = new URL('../../results.jsonl', import.meta.url);

export function readResults(file: URL = resultsFile): Result[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Result);
}

/** Replaces the result of a case in place, and appends a new one. */
export function merged(old: readonly Result[], fresh: readonly Result[]): Result[] {
  const byCase = new Map(old.map((result) => [result.case, result]));
  for (const result of fresh) byCase.set(result.case, result);
  return [...byCase.values()];
}

export function writeResults(results: readonly Result[], file: URL = resultsFile): void {
  writeFileSync(file, results.map((result) => `${JSON.stringify(result)}\n`).join(''));
}
