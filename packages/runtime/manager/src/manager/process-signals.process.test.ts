import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { recordingLogger } from '../testing/fixtures.test-support.ts';
import { onStopSignals } from './process-signals.ts';
import { listenForStop } from './stop-requests.ts';

describe('signals of the process', () => {
  const program = fileURLToPath(new URL('signals.test-program.ts', import.meta.url));

  async function run(
    ...signals: NodeJS.Signals[]
  ): Promise<{ code: number | null; output: string }> {
    const child = spawn(process.execPath, ['--conditions=@keelson/source', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      output += chunk.toString();
      if (output.endsWith('reconciling\n') || output.endsWith('stopping\n')) {
        const signal = signals.shift();
        if (signal !== undefined) child.kill(signal);
      }
    }
    if (child.exitCode === null) await once(child, 'exit');
    return { code: child.exitCode, output };
  }

  test('MG26 SIGTERM aborts a running reconcile within the grace period, and the process exits with code 0', async () => {
    expect(await run('SIGTERM')).toEqual({ code: 0, output: 'reconciling\nstopping\nended\n' });
  });

  test('MG26 a second SIGTERM ends the process at once', async () => {
    expect(await run('SIGTERM', 'SIGTERM')).toEqual({ code: 1, output: 'reconciling\nstopping\n' });
  });
});

let exit: jest.SpiedFunction<typeof process.exit>;

beforeEach(() => {
  exit = jest.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
});

afterEach(() => {
  exit.mockRestore();
});

describe('onStopSignals', () => {
  test('MG26 calls stop at the first signal only, and exits with code 1 at the second', () => {
    const stop = jest.fn();
    const ignore = onStopSignals(['SIGTERM', 'SIGINT'], stop);
    process.emit('SIGINT', 'SIGINT');
    expect(stop.mock.calls).toEqual([['SIGINT']]);
    expect(exit).not.toHaveBeenCalled();
    process.emit('SIGTERM', 'SIGTERM');
    expect(exit.mock.calls).toEqual([[1]]);
    ignore();
  });

  test('listens only to its signals, and to none after the removal', () => {
    const stop = jest.fn();
    const before = ['SIGTERM', 'SIGINT'].map((signal) => process.listenerCount(signal));
    const counts = (): number[] =>
      ['SIGTERM', 'SIGINT'].map(
        (signal, at) => process.listenerCount(signal) - (before[at] ?? Number.NaN),
      );
    const ignoreOne = onStopSignals(['SIGTERM'], stop);
    expect(counts()).toEqual([1, 0]);
    const ignoreTwo = onStopSignals(['SIGTERM', 'SIGINT'], stop);
    expect(counts()).toEqual([2, 1]);
    ignoreTwo();
    ignoreOne();
    expect(counts()).toEqual([0, 0]);
    expect(stop).not.toHaveBeenCalled();
  });
});

describe('listenForStop', () => {
  test('stops at a signal of the process, which it logs, and at an abort, until the removal', () => {
    const { logger: log, lines } = recordingLogger();
    const stop = jest.fn();
    const source = new AbortController();
    const { signal } = source;
    const end = listenForStop({ stopSignals: ['SIGTERM'], signal, log, stop });
    expect(stop).not.toHaveBeenCalled();
    process.emit('SIGTERM', 'SIGTERM');
    expect(stop).toHaveBeenCalledTimes(1);
    expect(lines).toEqual([
      expect.objectContaining({ level: 'info', message: 'stopping', signal: 'SIGTERM' }),
    ]);
    end();
    source.abort();
    expect(stop).toHaveBeenCalledTimes(1);
    expect(process.listenerCount('SIGTERM')).toBe(0);
  });

  test('stops at once for a signal that has aborted, and works without one', () => {
    const { logger: log } = recordingLogger();
    const stop = jest.fn();
    listenForStop({ stopSignals: [], signal: AbortSignal.abort(), log, stop })();
    expect(stop).toHaveBeenCalledTimes(1);
    listenForStop({ stopSignals: [], signal: undefined, log, stop })();
    expect(stop).toHaveBeenCalledTimes(1);
  });

  test('keeps the process alive with one timer until the removal', () => {
    jest.useFakeTimers();
    try {
      const { logger: log } = recordingLogger();
      const end = listenForStop({ stopSignals: [], signal: undefined, log, stop: jest.fn() });
      expect(jest.getTimerCount()).toBe(1);
      end();
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });
});
