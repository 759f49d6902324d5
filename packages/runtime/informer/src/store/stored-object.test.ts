import { expect, test } from '@jest/globals';
import { Memory } from '../memory/memory.ts';
import { ObjectForm } from './stored-object.ts';
import { Thing } from '../testing/scripted-source.test-support.ts';

const form = new ObjectForm({
  resource: Thing,
  projection: 'full',
  memory: new Memory({ parsedBytes: 1000, freeze: false }),
  keepManagedFields: false,
});
const type = { apiVersion: form.apiVersion, kind: form.kind };
const metadata = { name: 'a' };

test.each([
  ['has neither, as an item of a built-in list', { metadata }],
  ['has no apiVersion', { kind: 'Thing', metadata }],
  ['has no kind', { apiVersion: form.apiVersion, metadata }],
  ['is metadata alone', { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata }],
])('an object that %s reads with the apiVersion and kind of its watch', (_what, sent) => {
  expect(form.complete(sent)).toEqual({ ...type, metadata });
  expect(Object.keys(form.complete({ metadata }))).toEqual(['apiVersion', 'kind', 'metadata']);
});

test('an object that has apiVersion and kind is returned unchanged', () => {
  const object = { ...type, metadata };
  expect(form.complete(object)).toBe(object);
});
