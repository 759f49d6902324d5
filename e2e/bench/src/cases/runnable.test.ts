import { describe, expect, test } from '@jest/globals';
import type { BenchCase } from './bench-case.ts';
import { informers } from './peers.ts';
import { neededBy, runnable } from './runnable.ts';

const job = { job: 'list', options: {} };
const listed: BenchCase = {
  name: 'list',
  server: { pods: 1 },
  sides: { keelson: job, ...informers('measure') },
  runs: 1,
  rows: [],
};
const real: BenchCase = { ...listed, name: 'real', server: { real: true, pods: 1 } };

function run(benchCase: BenchCase, programs: Parameters<typeof runnable>[1]) {
  const lines: string[] = [];
  const found = runnable(benchCase, programs, (line) => lines.push(line));
  return { sides: found && Object.keys(found.sides), lines };
}

describe('runnable', () => {
  test('leaves out the contenders without a program, and reports each', () => {
    expect(run(listed, { go: '/go' })).toEqual({
      sides: ['keelson', 'clientGo'],
      lines: ['!!! SKIPPED kubeRs of list: no cargo on this machine'],
    });
    expect(run(listed, { go: '/go', rust: '/rust' }).lines).toEqual([]);
  });

  test('skips a case that needs a real API server without one', () => {
    expect(run(real, { go: '/go', rust: '/rust' })).toEqual({
      sides: undefined,
      lines: ['!!! SKIPPED real: no kube-apiserver, and no Go on this machine to build one'],
    });
    expect(run(real, { assets: '/assets', go: '/go', rust: '/rust' }).lines).toEqual([]);
  });

  test('needs the languages of the contenders, and a real server only for its cases', () => {
    expect(neededBy([listed])).toEqual({ real: false, languages: new Set(['go', 'rust']) });
    expect(neededBy([{ ...real, sides: { keelson: job } }])).toEqual({
      real: true,
      languages: new Set(),
    });
  });
});
