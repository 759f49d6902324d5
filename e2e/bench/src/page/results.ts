import { readFileSync, writeFileSync } from 'node:fs';
import type { Spread } from './spread.ts';

/** The additional members of results against a real API server. */
export interface PeersInGo {
  /** The result of client-go with objects as JSON. */
  readonly clientGo: Spread | null;
  readonly clientGoProtobuf: Spread | null;
  readonly ratioToClientGo: number | null;
  readonly ratioToClientGoProtobuf: number | null;
}

/** The additional members of results of queues. */
export interface QueueInGo {
  /** The result of the priority queue of controller-runtime. */
  readonly controllerRuntime: Spread | null;
  readonly ratioToControllerRuntime: number | null;
}

/** The additional members of results beside the probe that keeps bytes. */
export interface BesideProbe {
  readonly keepBytes: Spread | null;
  readonly ratioToKeepBytes: number | null;
}

/** The additional members of results of the transport of watches. */
export interface OverHttp1 {
  /** The result of Keelson with watches over HTTP/1.1. */
  readonly http1: Spread | null;
  readonly ratioToHttp1: number | null;
}

/** One line of `results.jsonl`. */
export interface Result
  extends Partial<PeersInGo>, Partial<QueueInGo>, Partial<OverHttp1>, Partial<BesideProbe> {
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
