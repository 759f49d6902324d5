import { describe, expect, test } from '@jest/globals';
import { dataSentences, findUnclearProse, pageSentences, sentencesOf } from './prose.ts';

function problems(text: string): string[] {
  return findUnclearProse(sentencesOf({ path: 'a.ts', text }));
}

// The samples are assembled here, so that the check does not find them in this file.
function comment(text: string): string {
  return `// ${text}`;
}

function testCall(name: string): string {
  return `test('${name}', () => {`;
}

function testTable(name: string): string {
  return `test.each([1])('${name}', () => {`;
}

describe('findUnclearProse', () => {
  test.each([
    ['/** Whoever asks gets it. */', 'a.ts:1 “Whoever”: name the actor'],
    [`const a = 1; ${comment('the answer is empty')}`, 'a.ts:1 “the answer”: response'],
    [testCall('WQ01 a handler is told of it'), 'a.ts:1 “told”: report, notify, emit, send'],
    [testTable('what is stored goes on'), 'a.ts:1 “goes on”: continue'],
    [' * The body is no object.', 'a.ts:1 “is no object”: is not a …, invalid, missing'],
    [comment('It stands in the queue.'), 'a.ts:1 “stands in”: is'],
    [comment('What a run needs.'), 'a.ts:1 “What a”: begin with the noun or the verb'],
    [' * What he may do.', 'a.ts:1 “he”: name the role'],
    [testCall('says so without a server'), 'a.ts:1 “says so”: print, report, has no effect on'],
    [comment('The version asked for.'), 'a.ts:1 “asked for”: requested, required'],
    [
      comment('It knows nothing of time.'),
      'a.ts:1 “knows nothing”: is independent of, does not depend on',
    ],
    [comment('It is left alone.'), 'a.ts:1 “left alone”: is not changed'],
  ])('finds unclear words in comments and test names: %s', (text, problem) => {
    expect(problems(text)).toContain(problem);
  });

  test.each([
    ['/** The server no longer responds; the log tells apart two causes. */'],
    ["const text = 'nobody';"],
    ['// The version is no older than the last one.'],
    ['// The heading names what a reader finds, and the history of it.'],
  ])('accepts plain words, and any word in code: %s', (text) => {
    expect(problems(text)).toEqual([]);
  });

  test('finds unclear words in comments of Go and in every line of YAML', () => {
    const text = `${comment('It is told.')}\ntold := 1`;
    const found = (path: string): string[] => findUnclearProse(dataSentences({ path, text }));
    expect(found('a.go')).toEqual(['a.go:1 “told”: report, notify, emit, send']);
    expect(found('a.yaml')).toHaveLength(2);
  });

  test('ignores the code of a page', () => {
    const page = { path: 'a.md', text: 'It goes on.\n```ts\nit goes on\n```\n`tell`' };
    expect(findUnclearProse(pageSentences(page))).toEqual(['a.md:1 “goes on”: continue']);
  });
});
