import { describe, expect, test } from '@jest/globals';
import type { KubernetesObject } from '@keelson/apimachinery';
import type { InformerEvent } from '@keelson/informer';
import { viewOf } from '../../testing/fake-cache.test-support.ts';
import {
  and,
  annotationsChanged,
  generationChanged,
  labelsChanged,
  not,
  or,
  resourceVersionChanged,
  type CombinedPredicate,
  type Predicate,
} from './predicate.ts';

type Metadata = NonNullable<KubernetesObject['metadata']>;

const view = (metadata: Metadata): ReturnType<typeof viewOf> =>
  viewOf({ metadata: { name: 'a', ...metadata } });

function updated(before: Metadata, after: Metadata): InformerEvent {
  return { type: 'updated', key: 'a', previous: view(before), object: view(after), receivedAt: 0 };
}

const others: InformerEvent[] = [
  { type: 'added', initial: false, key: 'a', object: view({}), receivedAt: 0 },
  { type: 'deleted', finalStateUnknown: false, key: 'a', object: view({}), receivedAt: 0 },
];

/** A predicate that is asynchronous by mistake. Its promise rejects, which must not end the process. */
const later = (async () => Promise.reject(new Error('late'))) as unknown as Predicate;

describe('predicates', () => {
  test.each([
    ['generationChanged', generationChanged, { generation: 1 }, { generation: 2 }],
    ['labelsChanged', labelsChanged, { labels: { a: '1' } }, { labels: { a: '2' } }],
    ['labelsChanged: one more', labelsChanged, {}, { labels: { a: '2' } }],
    ['labelsChanged: another key', labelsChanged, { labels: { a: '1' } }, { labels: { b: '1' } }],
    ['annotationsChanged', annotationsChanged, { annotations: { a: '1' } }, {}],
    [
      'resourceVersionChanged',
      resourceVersionChanged,
      { resourceVersion: '1' },
      { resourceVersion: '2' },
    ],
  ])(
    '%s passes its change, no other update, and every event that is not an update',
    (_name, predicate, before, after) => {
      expect(predicate(updated(before, after))).toBe(true);
      expect(predicate(updated(before, before))).toBe(false);
      expect(
        predicate(updated({ ...before, finalizers: ['x'] }, { ...before, finalizers: ['y'] })),
      ).toBe(false);
      expect(others.map((event) => predicate(event))).toEqual([true, true]);
    },
  );

  test('and, or and not combine', () => {
    const [added] = others as [InformerEvent];
    const yes = (): boolean => true;
    const no = (): boolean => false;
    expect([and(yes, yes), and(yes, no), and()].map((predicate) => predicate(added))).toEqual([
      true,
      false,
      true,
    ]);
    expect([or(no, yes), or(no, no), or()].map((predicate) => predicate(added))).toEqual([
      true,
      false,
      false,
    ]);
    expect([not(no), not(yes)].map((predicate) => predicate(added))).toEqual([true, false]);
    const either = or(generationChanged, labelsChanged);
    expect(either(updated({ generation: 1 }, { generation: 1, labels: { a: '1' } }))).toBe(true);
  });

  test.each<[string, () => unknown]>([
    ['and[1]', () => and(generationChanged, undefined as never)],
    ['and[0]', () => and(5 as never)],
    ['or[0]', () => or(undefined as never)],
    ['not[0]', () => not(undefined as never)],
  ])('a combination without a function is refused at the call: %s', (option, combine) => {
    expect(combine).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option }),
      }),
    );
  });

  test.each<[string, CombinedPredicate]>([
    ['and', and(later)],
    ['or', or(later)],
    ['not', not(later)],
  ])('%s throws PREDICATE_RESULT for a predicate that returns a promise', (_name, predicate) => {
    const [added] = others as [InformerEvent];
    expect(() => predicate(added)).toThrow(
      expect.objectContaining({ code: 'PREDICATE_RESULT', facts: { predicate: 'later' } }),
    );
  });
});
