import { describe, expect, test } from '@jest/globals';
import type { WatchHandle } from '@keelson/manager';
import type { EventHandler } from '@keelson/manager/cache';
import { isMet } from './check.ts';
import { Deletions } from './deletions.ts';

/** A handle that emits the events of the test. */
function scripted(): { handle: WatchHandle; deleted: (uid: string) => void } {
  const handlers: EventHandler[] = [];
  const handle = {
    addEventHandler(handler: EventHandler) {
      handlers.push(handler);
      return { remove: () => handlers.splice(handlers.indexOf(handler), 1) };
    },
  };
  return {
    handle: handle as unknown as WatchHandle,
    deleted: (uid) => {
      const event = { type: 'deleted', object: { uid } } as Parameters<EventHandler>[0];
      for (const handler of handlers) void handler(event);
    },
  };
}

describe('Deletions', () => {
  test('passes when every deletion is emitted once', () => {
    const { handle, deleted } = scripted();
    const deletions = new Deletions();
    deletions.listen(handle);
    deleted('a');
    deleted('b');
    deleted('of another operator');
    expect(deletions.checks(['a', 'b']).map(isMet)).toEqual([true, true]);
  });

  test('fails for a missing deletion and for one emitted twice', () => {
    const { handle, deleted } = scripted();
    const deletions = new Deletions();
    deletions.listen(handle);
    deleted('a');
    deleted('a');
    expect(deletions.checks(['b']).map(isMet)).toEqual([false, false]);
    deletions.stop();
    deleted('b');
    expect(deletions.checks(['b']).map(isMet)).toEqual([false, false]);
  });
});
