import { describe, expect, test } from '@jest/globals';
import type { ManagedFieldsEntry } from '@keelson/apimachinery';
import { FieldOwnership } from './field-ownership.ts';

function entry(manager: string, fieldsV1: object, second = 0): ManagedFieldsEntry {
  const time = new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
  return { manager, operation: 'Update', time, fieldsV1 };
}

function ownershipOf(...states: readonly ManagedFieldsEntry[][]): FieldOwnership {
  const ownership = new FieldOwnership();
  for (const state of states) ownership.add(state);
  return ownership;
}

const replicas = { 'f:spec': { 'f:replicas': {} } };

describe('the owners of the fields of an object', () => {
  test('a field that changes its owner is contested', () => {
    const { contest } = ownershipOf([entry('web', replicas)], [entry('hpa', replicas)]);
    expect(contest).toEqual({ managers: ['hpa', 'web'], fields: ['spec.replicas'] });
  });

  test('the order of the states does not change the pair', () => {
    const { contest } = ownershipOf([entry('hpa', replicas)], [entry('web', replicas)]);
    expect(contest?.managers).toEqual(['hpa', 'web']);
  });

  test('a field that is absent for a while keeps its last owner', () => {
    const { contest } = ownershipOf([entry('a', replicas)], [], [entry('b', replicas)]);
    expect(contest?.managers).toEqual(['a', 'b']);
  });

  test.each<[string, ManagedFieldsEntry[][]]>([
    ['the same owner', [[entry('a', replicas)], [entry('a', replicas)]]],
    [
      'a second applier of the same value',
      [[entry('a', replicas)], [entry('a', replicas), entry('b', replicas)]],
    ],
    [
      'an applier that leaves',
      [[entry('a', replicas), entry('b', replicas)], [entry('b', replicas)]],
    ],
    ['other fields', [[entry('a', replicas)], [entry('b', { 'f:status': { 'f:ready': {} } })]]],
    [
      'another operation of one manager',
      [[entry('a', replicas)], [{ ...entry('a', replicas), operation: 'Apply' }]],
    ],
    ['one state', [[entry('a', replicas), entry('b', { 'f:data': {} })]]],
  ])('%s is no contest', (_, states) => {
    expect(ownershipOf(...states).contest).toBeUndefined();
  });

  test('list items and parents are named, three fields at most', () => {
    const fields = {
      'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
      'f:spec': { 'f:ports': { 'k:{"port":80}': { '.': {}, 'f:name': {} }, 'v:"x"': {} } },
    };
    const { contest } = ownershipOf([entry('a', fields)], [entry('b', fields)]);
    expect(contest?.fields).toEqual([
      'metadata.labels',
      'metadata.labels.app',
      'spec.ports[{"port":80}]',
    ]);
  });

  test('names and fields are cut to a bounded length', () => {
    const fields = { 'f:data': { [`f:${'x'.repeat(10_000)}`]: {} } };
    const { contest } = ownershipOf(
      [entry('a'.repeat(1000), fields)],
      [entry('b'.repeat(1000), fields)],
    );
    expect(contest?.managers.map((name) => name.length)).toEqual([128, 128]);
    expect(contest?.fields.map((name) => name.length)).toEqual([200]);
  });

  test('the latest managers are those that wrote in the last ten seconds, two at most', () => {
    const of = (...seconds: readonly number[]): readonly string[] =>
      ownershipOf(seconds.map((second, at) => entry(`m${at}`, replicas, second))).latest;
    expect(of(0, 3, 2)).toEqual(['m1', 'm2']);
    expect(of(0, 11)).toEqual(['m1']);
    expect(of()).toEqual([]);
  });

  test('a manager with several entries counts once, and an entry without a time does not count', () => {
    const states = [entry('a', replicas, 1), entry('a', {}, 2), { ...entry('b', {}), time: 'x' }];
    expect(ownershipOf(states, states).latest).toEqual(['a']);
  });

  test('deep and invalid fields end neither the comparison nor the process', () => {
    let deep: object = {};
    for (let depth = 0; depth < 10_000; depth += 1) deep = { 'f:x': deep };
    const odd = { manager: 'a', fieldsV1: 'text' } as unknown as ManagedFieldsEntry;
    const { contest } = ownershipOf([entry('a', deep), odd, {}], [entry('b', deep), odd, {}]);
    expect(contest).toBeUndefined();
  });

  test('the number of compared fields is bounded', () => {
    const names = Array.from({ length: 20_000 }, (_, index) => [`f:f${index}`, {}]);
    const fields = { 'f:data': Object.fromEntries(names) as object };
    const { contest } = ownershipOf([entry('a', fields)], [entry('b', fields)]);
    expect(contest?.fields).toEqual(['data.f0', 'data.f1', 'data.f2']);
  });
});
