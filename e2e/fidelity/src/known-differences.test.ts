import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { readConversation, substitute } from './conversation.ts';
import { differencesPage, renderDifferences } from './differences-page.ts';
import { readControlPlaneParts } from './control-plane-parts.ts';
import { contradicts, judge, readKnownDifferences } from './known-differences.ts';

function found(chapter: string, step: string): Parameters<typeof judge>[1][number] {
  return {
    chapter,
    step,
    request: 'GET /',
    statuses: [200, 200],
    places: [{ path: 'x', left: 1, right: 2 }],
  };
}

describe('the known differences', () => {
  const known = [{ title: 'T', reason: 'R', steps: ['one: a', 'one: b', 'two: c'] }];

  test('fail a run with an unlisted difference, or with a listed step that agrees', () => {
    const verdict = judge(known, [found('one', 'a'), found('one', 'x')], ['one']);
    expect(verdict).toEqual({ unlisted: ['one: x'], outdated: ['one: b'] });
  });

  test('do not count for a step whose responses differ between two runs of kube-apiserver', () => {
    const unsettled = [found('one', 'b'), found('one', 'x')];
    const verdict = judge(known, [found('one', 'a'), found('one', 'x')], ['one'], unsettled);
    expect(verdict).toEqual({ unlisted: [], outdated: [] });
  });

  test('of chapters that were not played do not count', () => {
    expect(judge(known, [], ['three'])).toEqual({ unlisted: [], outdated: [] });
  });

  test('name the chapters that contradict them', () => {
    const verdict = { unlisted: ['one: x'], outdated: ['two: c'] };
    const chapters = ['one', 'one-more', 'two', 'three'];
    expect(chapters.filter((chapter) => contradicts(verdict, chapter))).toEqual(['one', 'two']);
  });

  test('list only steps of the conversation', async () => {
    const chapters = await readConversation();
    const names = new Set(
      chapters.flatMap(({ name, steps }) =>
        steps
          .flatMap((step) => [step, ...(step.during ?? [])])
          .map((step) => `${name}: ${substitute(step.name, { ns: `talk-${name}` })}`),
      ),
    );
    const listed = (await readKnownDifferences()).flatMap(({ steps = [] }) => steps);
    expect(listed.filter((step) => !names.has(step))).toEqual([]);
  });

  test('are the content of the page', async () => {
    const page = await readFile(differencesPage, 'utf8');
    expect(page).toBe(
      renderDifferences(await readKnownDifferences(), await readControlPlaneParts()),
    );
  });
});
