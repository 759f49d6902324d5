import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { cpuSecondsOf, findProcess } from './process-clock.ts';

/** Skips a test on systems without `/proc`. */
const onLinux = process.platform === 'linux' ? test : test.skip;

describe('the clock of another process', () => {
  onLinux('is found by a word of the command line', async () => {
    const word = `--port=${process.hrtime.bigint()}`;
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()', '--', word]);
    try {
      await once(child, 'spawn');
      expect(await findProcess(word)).toBe(child.pid);
    } finally {
      child.kill();
      await once(child, 'exit');
    }
    expect(await findProcess(word)).toBeUndefined();
  });

  onLinux('reads the processor time of the process', () => {
    const { user, system } = process.cpuUsage();
    // The clock counts whole hundredths of user and system time, so it may be two hundredths behind.
    expect(cpuSecondsOf(process.pid)).toBeGreaterThanOrEqual((user + system) / 1e6 - 0.02);
    expect(cpuSecondsOf(process.pid)).toBeLessThan((user + system) / 1e6 + 1);
  });
});
