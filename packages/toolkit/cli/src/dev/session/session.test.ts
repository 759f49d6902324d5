import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { ProgramEnd, RunningProgram } from '../program/running-program.ts';
import { DevSession, type SessionHost } from './session.ts';

/** A program whose end the test decides. */
class ScriptedProgram implements RunningProgram {
  readonly signals: string[] = [];
  readonly #end = Promise.withResolvers<ProgramEnd>();

  get ended(): Promise<ProgramEnd> {
    return this.#end.promise;
  }

  terminate(): void {
    this.signals.push('SIGTERM');
  }

  kill(): void {
    this.signals.push('SIGKILL');
  }

  end(end: ProgramEnd = { code: 0 }): Promise<void> {
    this.#end.resolve(end);
    return settled();
  }
}

/** A host whose preparations the test ends. */
class ScriptedHost implements SessionHost {
  readonly preparations: { end(isPrepared: boolean): Promise<void>; signal: AbortSignal }[] = [];
  readonly programs: ScriptedProgram[] = [];
  readonly ends: ProgramEnd[] = [];

  prepare(signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const end = (isPrepared: boolean): Promise<void> => {
      resolve(isPrepared);
      return settled();
    };
    this.preparations.push({ end, signal });
    return promise;
  }

  start(): RunningProgram {
    const program = new ScriptedProgram();
    this.programs.push(program);
    return program;
  }

  ended(end: ProgramEnd): void {
    this.ends.push(end);
  }
}

/** Resolves after the continuations of settled promises. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

describe('DevSession', () => {
  let host: ScriptedHost;
  let session: DevSession;

  beforeEach(async () => {
    jest.useFakeTimers();
    host = new ScriptedHost();
    session = new DevSession(host);
    await host.preparations[0]?.end(true);
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  test('prepares again and starts after a change, when the program has ended', async () => {
    session.change();
    expect(host.programs[0]?.signals).toEqual(['SIGTERM']);
    expect(host.preparations).toHaveLength(1);
    await host.programs[0]?.end();
    await host.preparations[1]?.end(true);
    expect(host.programs).toHaveLength(2);
    expect(host.ends).toEqual([]);
  });

  test('kills a program that has not ended 800 ms after SIGTERM', async () => {
    session.change();
    jest.advanceTimersByTime(799);
    expect(host.programs[0]?.signals).toEqual(['SIGTERM']);
    jest.advanceTimersByTime(1);
    expect(host.programs[0]?.signals).toEqual(['SIGTERM', 'SIGKILL']);
    await host.programs[0]?.end({ signal: 'SIGKILL' });
    expect(session.phase).toBe('preparing');
    expect(jest.getTimerCount()).toBe(0);
  });

  test('reports a program that ended by itself, and starts it after the next change', async () => {
    await host.programs[0]?.end({ code: 1 });
    expect(host.ends).toEqual([{ code: 1 }]);
    expect(session.phase).toBe('waiting');
    session.change();
    await host.preparations[1]?.end(true);
    expect(host.programs).toHaveLength(2);
  });

  test('waits for a change after a failed preparation', async () => {
    session.change();
    await host.programs[0]?.end();
    await host.preparations[1]?.end(false);
    expect(session.phase).toBe('waiting');
    session.change();
    await host.preparations[2]?.end(true);
    expect(host.programs).toHaveLength(2);
  });

  test('closes when the program has ended after SIGTERM, with a grace period of 5 s', async () => {
    session.quit();
    jest.advanceTimersByTime(4999);
    expect(host.programs[0]?.signals).toEqual(['SIGTERM']);
    jest.advanceTimersByTime(1);
    expect(host.programs[0]?.signals).toEqual(['SIGTERM', 'SIGKILL']);
    await host.programs[0]?.end({ signal: 'SIGKILL' });
    await session.closed;
    expect(jest.getTimerCount()).toBe(0);
  });

  test('kills the program at a second quit', () => {
    session.quit();
    session.quit();
    expect(host.programs[0]?.signals).toEqual(['SIGTERM', 'SIGKILL']);
  });

  test('gives a program that is being restarted the longer grace period after quit', () => {
    session.change();
    jest.advanceTimersByTime(500);
    session.quit();
    jest.advanceTimersByTime(4999);
    expect(host.programs[0]?.signals).not.toContain('SIGKILL');
    jest.advanceTimersByTime(1);
    expect(host.programs[0]?.signals).toContain('SIGKILL');
  });

  test('cancels the preparation at quit', async () => {
    session.change();
    await host.programs[0]?.end();
    session.quit();
    expect(host.preparations[1]?.signal.aborted).toBe(true);
    await host.preparations[1]?.end(false);
    await session.closed;
    expect(host.programs).toHaveLength(1);
  });
});
