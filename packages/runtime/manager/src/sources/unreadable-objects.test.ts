import { describe, expect, test } from '@jest/globals';
import type { InformerEvent, ObjectView } from '@keelson/informer';
import { builtin } from '@keelson/apimachinery';
import { priorityOf, resolvePriorities } from './event-rules/request-priorities.ts';
import { OwnVersions } from './own-versions.ts';

const notKept = Object.assign(new Error('not kept'), { code: 'BODY_NOT_KEPT' });
const fails = (): never => {
  throw notKept;
};

/** A state whose body and metadata cannot be read. */
function unreadable(resourceVersion: string): ObjectView {
  const view = { uid: 'u', resourceVersion, key: 'default/a', namespace: 'default', name: 'a' };
  return Object.defineProperties(view, {
    metadata: { get: fails },
    value: { value: fails },
  }) as unknown as ObjectView;
}

const event = {
  type: 'updated',
  key: 'default/a',
  receivedAt: 0,
  previous: unreadable('1'),
  object: unreadable('2'),
} as InformerEvent;

describe('an event whose object cannot be read', () => {
  test.each([
    ['JSON', '{"data":{"a":"1"}}'],
    ['YAML', 'data: {a: 1}'],
    ['nothing', ''],
  ])('is never one of an own write, whose body is %s', (_, text) => {
    const own = new OwnVersions().use();
    const written = { metadata: { uid: 'u', resourceVersion: '2' } } as never;
    const sent = { contentType: 'application/apply-patch+yaml', text };
    own.written(builtin.ConfigMap, written, { isCreation: false, sent });
    expect(own.made(event)).toBe(false);
  });

  test('has the priority of a change', () => {
    const priorities = resolvePriorities({ change: 3, status: 2, deletion: 1 });
    expect(priorityOf(event, 'updated', priorities)).toBe(3);
  });
});
