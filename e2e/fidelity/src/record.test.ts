import { expect, test } from '@jest/globals';
import { readConversation } from './conversation.ts';
import { lanesOf } from './record.ts';

test('chapters that wait have lanes of their own, and chapters that list everything come last', async () => {
  const chapters = await readConversation();
  const { beside, main, last } = lanesOf(chapters);
  expect(beside.map(({ name }) => name)).toEqual([
    'admission-policies',
    'bounds',
    'deletion',
    'namespaces',
  ]);
  expect(last.map(({ name }) => name)).toEqual(['sharded-lists', 'tables']);
  expect(beside.length + main.length + last.length).toBe(chapters.length);
  // A compaction expires the versions that another chapter holds.
  const steps = beside.flatMap((chapter) => chapter.steps.map((step) => JSON.stringify(step)));
  expect(steps.filter((step) => /"compact"|resourceVersion=/.test(step))).toEqual([]);
});
