import { describe, expect, test } from '@jest/globals';
import { statesChange, type Replaces } from './stated-change.ts';

/** An object of a version, with metadata that the server derives. */
function at(version: number, members: object = {}, metadata: object = {}): object {
  return { metadata: { name: 'a', resourceVersion: String(version), ...metadata }, ...members };
}

const spec = { replicas: 1 };
const ready = { type: 'Ready', status: 'True' };
const busy = { type: 'Busy', status: 'False' };

describe('the body of a write states', () => {
  test.each<[string, object, object, object]>([
    [
      'a member that it sets',
      { status: { x: 1 } },
      at(1, { spec }),
      at(2, { spec, status: { x: 1 } }),
    ],
    [
      'a member that it removes',
      { data: { x: null } },
      at(1, { data: { x: 1, y: 2 } }),
      at(2, { data: { y: 2 } }),
    ],
    ['a list that it replaces', { list: [2] }, at(1, { list: [1] }), at(2, { list: [2] })],
    [
      'an item of a list',
      { list: [ready] },
      at(1, { list: [busy] }),
      at(2, { list: [busy, ready] }),
    ],
    ['the first item of a list', { list: [ready, busy] }, at(1), at(2, { list: [ready] })],
    ['a label', { metadata: { labels: { x: '1' } } }, at(1), at(2, {}, { labels: { x: '1' } })],
    [
      'a new generation',
      { spec: { replicas: 2 } },
      at(1, { spec }, { generation: 1 }),
      at(2, { spec: { replicas: 2 } }, { generation: 2 }),
    ],
    [
      'changed managed fields',
      { data: { x: 1 } },
      at(1, {}, { managedFields: [1] }),
      at(2, { data: { x: 1 } }, { managedFields: [2] }),
    ],
  ])('%s', (_, body, before, after) => {
    expect(statesChange(body, 'lists', { before, after })).toBe(true);
  });

  test.each<[string, unknown, object, object]>([
    [
      'no other member',
      { status: { x: 1 } },
      at(1, { status: { x: 1 } }),
      at(2, { status: { x: 1, y: 2 } }),
    ],
    ['no other value', { status: { x: 1 } }, at(1), at(2, { status: { x: 2 } })],
    [
      'no deletion',
      { data: { x: 1 } },
      at(1),
      at(2, { data: { x: 1 } }, { deletionTimestamp: 'now' }),
    ],
    ['no item that another client added', { list: [ready] }, at(1), at(2, { list: [ready, busy] })],
    [
      'no item that another client removed',
      { list: [ready] },
      at(1, { list: [busy] }),
      at(2, { list: [ready, ready] }),
    ],
    [
      'no member that another client removed',
      { data: { x: 1 } },
      at(1, { data: { y: 1 } }),
      at(2, { data: { x: 1 } }),
    ],
    [
      'no change that cannot be seen',
      { status: { x: 1 } },
      at(1, {}, { generation: 1 }),
      at(2, {}, { generation: 2 }),
    ],
    [
      'no change of the spec beside a label in metadata only',
      { metadata: { labels: { x: '1' } } },
      at(1, {}, { generation: 1 }),
      at(2, {}, { generation: 2, labels: { x: '1' } }),
    ],
    [
      'nothing without a change',
      { data: { x: 1 } },
      at(1, { data: { x: 1 } }),
      at(2, { data: { x: 1 } }),
    ],
    [
      'nothing as a JSON patch',
      [{ op: 'add', path: '/data', value: {} }],
      at(1),
      at(2, { data: {} }),
    ],
    ['nothing of a prototype', JSON.parse('{"__proto__":{"data":1}}'), at(1), at(2, { data: 1 })],
  ])('%s', (_, body, before, after) => {
    expect(statesChange(body, 'items', { before, after })).toBe(false);
  });

  test.each<[Replaces, boolean, boolean]>([
    ['items', false, false],
    ['lists', true, false],
    ['objects', true, true],
  ])('what it leaves out of lists and objects, if it replaces %s', (replaces, lists, objects) => {
    const list = { before: at(1, { list: [1, 2] }), after: at(2, { list: [2] }) };
    expect(statesChange({ list: [2] }, replaces, list)).toBe(lists);
    const object = { before: at(1, { data: { x: 1, y: 2 } }), after: at(2, { data: { x: 1 } }) };
    expect(statesChange({ data: { x: 1 } }, replaces, object)).toBe(objects);
  });
});
