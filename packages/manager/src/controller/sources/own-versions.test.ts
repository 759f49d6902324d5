import { describe, expect, test } from '@jest/globals';
import { builtin, type DeepReadonly, type Persisted } from '@keelson/apimachinery';
import type { InformerEvent, ObjectView } from '@keelson/informer';
import { OwnVersions } from './own-versions.ts';

function view(resourceVersion: string, uid = 'u'): ObjectView {
  return { uid, resourceVersion } as ObjectView;
}

/** An update of version 1, or the event that `members` make of it. */
function event(object: ObjectView, members: object = {}): InformerEvent {
  const facts = { key: 'a', receivedAt: 0, type: 'updated', previous: view('1') };
  return { ...facts, object, ...members } as InformerEvent;
}

function wrote(own: OwnVersions, resourceVersion: string, isCreation = false): void {
  const object = { metadata: { uid: 'u', resourceVersion } } as DeepReadonly<Persisted>;
  own.written(builtin.Pod, object, { isCreation });
}

const created = { type: 'added', initial: false };

describe('the own versions of a controller', () => {
  const own = new OwnVersions().use();
  wrote(own, '2');
  wrote(own, '3', true);

  test.each([
    ['the update to an own version', true, event(view('2'))],
    ['the creation', true, event(view('3'), created)],
    ['an update to another version', false, event(view('4'))],
    ['the same version of another object', false, event(view('2', 'other'))],
    ['an object that enters a selector by an own update', false, event(view('2'), created)],
    ['an initial object', false, event(view('3'), { type: 'added', initial: true })],
    ['a deletion', false, event(view('2'), { type: 'deleted', finalStateUnknown: false })],
    ['a resync', false, event(view('2'), { previous: view('2') })],
    ['an update that may combine changes', false, event(view('2'), { mayCombine: true })],
    [
      'a creation that may combine changes',
      false,
      event(view('3'), { ...created, mayCombine: true }),
    ],
  ])('%s: %s', (_, isOwn, given) => {
    expect(own.made(given)).toBe(isOwn);
  });

  test('an event before the response of its write is not recognized', () => {
    const late = new OwnVersions().use();
    expect(late.made(event(view('2')))).toBe(false);
  });

  test('are recorded only if a source uses them, and up to 10 000', () => {
    const unused = new OwnVersions();
    wrote(unused, '2');
    unused.use();
    expect(unused.made(event(view('2')))).toBe(false);
    for (let version = 2; version <= 10_002; version += 1) wrote(unused, String(version));
    const made = ['2', '3', '10002'].map((version) => unused.made(event(view(version))));
    expect(made).toEqual([false, true, true]);
  });
});
