import { describe, expect, test } from '@jest/globals';
import type { KubernetesObject } from '@keelson/apimachinery';
import type { InformerEvent } from '@keelson/informer';
import { eventTypeMistakes } from '../../common-mistakes.ts';
import { viewOf } from '../../testing/fake-cache.test-support.ts';
import type { WebApp } from '../../testing/fixtures.test-support.ts';
import { byType, labelsMatch } from './event-predicates.ts';
import {
  and,
  generationChanged,
  not,
  or,
  type CombinedPredicate,
  type Predicate,
} from './predicate.ts';

type Labels = Readonly<Record<string, string>>;

const view = (labels: Labels, rest: object = {}): ReturnType<typeof viewOf<KubernetesObject>> =>
  viewOf({ metadata: { name: 'a', labels, ...rest } });

const added = (labels: Labels = {}): InformerEvent => ({
  type: 'added',
  initial: false,
  key: 'a',
  object: view(labels),
  receivedAt: 0,
});
const updated = (before: Labels = {}, after: Labels = {}): InformerEvent => ({
  type: 'updated',
  key: 'a',
  previous: view(before),
  object: view(after),
  receivedAt: 0,
});
const deleted = (labels: Labels = {}): InformerEvent => ({
  type: 'deleted',
  finalStateUnknown: false,
  key: 'a',
  object: view(labels),
  receivedAt: 0,
});

describe('byType', () => {
  const events = [added(), updated(), deleted()];
  const passed = (predicate: CombinedPredicate): boolean[] =>
    events.map((event) => predicate(event));
  const no = (): boolean => false;

  test('CT35 calls the function of the type of the event, and passes events without a function', () => {
    expect(passed(byType({ added: no }))).toEqual([false, true, true]);
    expect(passed(byType({ updated: no }))).toEqual([true, false, true]);
    expect(passed(byType({ deleted: no }))).toEqual([true, true, false]);
    expect(passed(byType({}))).toEqual([true, true, true]);
    const seen: string[] = [];
    const note = ({ type }: InformerEvent): boolean => seen.push(type) > 0;
    passed(byType({ added: note, updated: note, deleted: note }));
    expect(seen).toEqual(['added', 'updated', 'deleted']);
  });

  test('combines with other predicates', () => {
    const onlyDeletions = byType({ added: no, updated: no });
    expect(passed(or(onlyDeletions, not(generationChanged)))).toEqual([false, true, true]);
    expect(passed(and(onlyDeletions, generationChanged))).toEqual([false, false, true]);
  });

  test('types each function by its event and the kind', () => {
    const predicate: Predicate<WebApp> = byType<WebApp>({
      updated: ({ previous, object }) =>
        previous.value().spec?.image !== object.value().spec?.image,
      deleted: ({ finalStateUnknown }) => !finalStateUnknown,
      // @ts-expect-error an added object has no former state
      added: ({ previous }) => previous !== undefined,
    });
    expect(predicate).toBeInstanceOf(Function);
    const inferred: readonly Predicate<WebApp>[] = [
      byType({ updated: ({ object }) => object.value().spec?.image !== '' }),
    ];
    expect(inferred).toHaveLength(1);
  });

  test.each<[string, object]>([
    ...Object.entries(eventTypeMistakes).map<[string, object]>(([name, cure]) => [
      `byType.${name}`,
      { cure },
    ]),
    ['byType.generic', {}],
  ])('MG01 refuses %s at the call, with its cure', (option, facts) => {
    const [, name = ''] = option.split('.');
    expect(() => byType({ [name]: no })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option, ...facts }),
      }),
    );
  });

  test.each([true, null, 'added'])('MG01 refuses %p in place of a function', (value) => {
    expect(() => byType({ deleted: value as never })).toThrow(
      expect.objectContaining({
        facts: { option: 'byType.deleted', reason: 'must be a function' },
      }),
    );
  });

  test('throws PREDICATE_RESULT for a function that returns a promise', () => {
    const predicate = byType({ added: (async () => false) as never });
    expect(() => predicate(added())).toThrow(expect.objectContaining({ code: 'PREDICATE_RESULT' }));
  });
});

describe('labelsMatch', () => {
  const web = { app: 'web', tier: 'front' };
  const other = { app: 'db' };

  test.each([['app=web,tier in (front, back)'], [{ matchLabels: { app: 'web' } }]])(
    'CT35 passes objects that match %j, those that begin and those that stop to match it',
    (selector) => {
      const predicate = labelsMatch(selector);
      expect([predicate(added(web)), predicate(added(other))]).toEqual([true, false]);
      expect([predicate(deleted(web)), predicate(deleted(other))]).toEqual([true, false]);
      const updates = [
        [web, web],
        [other, web],
        [web, other],
        [other, other],
      ] as const;
      expect(updates.map(([before, after]) => predicate(updated(before, after)))).toEqual([
        true,
        true,
        true,
        false,
      ]);
    },
  );

  test('reads an object without labels', () => {
    const bare = viewOf<KubernetesObject>({ metadata: { name: 'a' } });
    const event: InformerEvent = { ...added(), object: bare };
    expect([labelsMatch('app=web')(event), labelsMatch('!app')(event)]).toEqual([false, true]);
  });

  test.each(['app in', { matchExpressions: [{ key: 'a', operator: 'Like' }] }])(
    'MG01 refuses the selector %j at the call',
    (selector) => {
      expect(() => labelsMatch(selector)).toThrow(
        expect.objectContaining({ code: 'INVALID_LABEL_SELECTOR' }),
      );
    },
  );
});
