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

/** An update that was bound to version 1. */
const bound: object = { metadata: { resourceVersion: '1' } };

function wrote(
  own: OwnVersions,
  resourceVersion: string,
  { isCreation = false, body = bound }: { isCreation?: boolean; body?: object } = {},
): void {
  const object = { metadata: { uid: 'u', resourceVersion } } as DeepReadonly<Persisted>;
  const sent = { contentType: 'application/apply-patch+yaml', text: JSON.stringify(body) };
  own.written(builtin.Pod, object, { isCreation, sent });
}

const created = { type: 'added', initial: false };

describe('the own versions of a controller', () => {
  const own = new OwnVersions().use();
  wrote(own, '2');
  wrote(own, '3', { isCreation: true });
  wrote(own, '1');

  test.each([
    ['the update to an own version', true, event(view('2'))],
    ['the creation', true, event(view('3'), created)],
    ['an update to another version', false, event(view('4'))],
    ['an update without an effect', false, event(view('1'), { previous: view('0') })],
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

  test('a write without a base is recognized by the change that it states', () => {
    const patched = new OwnVersions().use();
    wrote(patched, '2', { body: { data: { own: '1' } } });
    const of = (version: string, data: object): ObjectView =>
      ({
        ...view(version),
        value: () => ({ metadata: { resourceVersion: version }, data }),
      }) as unknown as ObjectView;
    const previous = of('1', {});
    expect(patched.made(event(of('2', { own: '1' }), { previous }))).toBe(true);
    expect(patched.made(event(of('2', { foreign: '1' }), { previous }))).toBe(false);
    // Without an effect, a later own write returns the version of the first one.
    wrote(patched, '2', { body: { data: {} } });
    expect(patched.made(event(of('2', { own: '1' }), { previous }))).toBe(true);
  });

  const replace = { op: 'replace', path: '/metadata/resourceVersion', value: '1' };

  test.each<[string, boolean, object]>([
    ['with the version it was bound to', true, [replace, { op: 'add', path: '/status', value: 1 }]],
    ['with the version of another state', false, [{ ...replace, value: '2' }]],
    ['without a version', false, [{ op: 'add', path: '/status', value: 1 }, null]],
    ['with an empty version', false, [{ ...replace, value: '' }]],
    ['that removes the version', false, [{ ...replace, op: 'remove' }]],
    ['with two versions', false, [replace, { ...replace, value: '' }]],
  ])('a JSON patch %s is recognized: %s', (_, isOwn, body) => {
    const patched = new OwnVersions().use();
    wrote(patched, '2', { body });
    const value = (): object => ({ metadata: {} });
    const previous = { ...view('1'), value } as unknown as ObjectView;
    const object = { ...view('2'), value: () => ({ metadata: {}, status: 1 }) };
    expect(patched.made(event(object as unknown as ObjectView, { previous }))).toBe(isOwn);
  });

  test('a long body is not recorded', () => {
    const patched = new OwnVersions().use();
    wrote(patched, '2', { body: { ...bound, data: 'x'.repeat(20_000) } });
    expect(patched.made(event(view('2')))).toBe(false);
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
