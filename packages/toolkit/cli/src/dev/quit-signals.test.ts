import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { onQuitSignals } from './quit-signals.ts';

describe('the signals that end keelson dev', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  test('are one if they arrive within 500 ms, as from the terminal and from npm', () => {
    const source = new EventEmitter();
    const quit = jest.fn();
    onQuitSignals(source, quit);
    source.emit('SIGINT');
    source.emit('SIGINT');
    jest.advanceTimersByTime(499);
    source.emit('SIGTERM');
    expect(quit).toHaveBeenCalledTimes(1);
    jest.advanceTimersByTime(1);
    source.emit('SIGINT');
    expect(quit).toHaveBeenCalledTimes(2);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])(
    'include %s until the listeners are removed',
    (name) => {
      const source = new EventEmitter();
      const quit = jest.fn();
      const remove = onQuitSignals(source, quit);
      source.emit(name);
      expect(quit).toHaveBeenCalledTimes(1);
      remove();
      expect(source.listenerCount(name)).toBe(0);
    },
  );
});
