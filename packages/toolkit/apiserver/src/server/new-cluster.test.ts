import { describe, expect, test } from '@jest/globals';
import { readDataFile } from '../data-file.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import { Storage } from '../storage/storage.ts';
import { type InitialWrite, initialWrites } from './new-cluster.ts';
import { writtenCluster } from './written-cluster.test-support.ts';

describe('The objects of a new cluster', () => {
  test('are those that the writer of the server stores, see `npm run data:cluster`', () => {
    const recorded = readDataFile('new-cluster.jsonl').toString();
    expect(recorded.split('\n').map(parsed)).toEqual(writtenCluster().split('\n').map(parsed));
  });

  test('are stored as a write of the same objects stores them', () => {
    const values = { time: '2026-01-01T00:00:00Z', address: '10.96.0.1', range: '10.96.0.0/16' };
    const port = 6443;
    const address = { ...values, host: '127.0.0.1', port, family: 'IPv4', peer: '127.0.0.1:6443' };
    const all = [
      ...initialWrites('start', values),
      ...initialWrites('address', { ...address, instance: 'x', renewTime: values.time }),
    ].flat();
    const recorded = newStore();
    const written = newStore();
    for (const write of all) {
      const object = objectOf(write);
      const stored = recorded.putRecorded(write);
      const expected = written.put(object);
      expect(stored.bytes.toString()).toBe(expected.bytes.toString());
      expect(stored.bytes.toString()).not.toContain('{{');
      expect([stored.key, stored.revision, stored.metadata, stored.fields]).toEqual([
        expected.key,
        expected.revision,
        expected.metadata,
        expected.fields,
      ]);
    }
    expect(recorded.snapshot().keys).toEqual(written.snapshot().keys);
    expect(recorded.log.end).toBe(written.log.end);
  });
});

function newStore(): ResourceStore {
  const storage = new Storage({ changes: 100, bytes: 1e6 });
  return storage.createStore({ group: '', plural: 'things' }, ({ kind = '', status }) => ({
    kind,
    status: JSON.stringify(status ?? ''),
  }));
}

/** A copy of the object of a write. */
function objectOf({ metadata, managedFields, content }: InitialWrite): ApiObject {
  const json = `{"metadata":${JSON.stringify(metadata)},${content.slice(1)}`;
  const object = JSON.parse(json) as ApiObject;
  object.metadata.managedFields = JSON.parse(managedFields);
  return object;
}

/** Parses a line, so that a difference is shown by object. */
function parsed(line: string): unknown {
  return line === '' ? undefined : JSON.parse(line);
}
