import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { countSteps, readConversation, substitute } from './conversation.ts';

async function conversationOf(text: string): Promise<Awaited<ReturnType<typeof readConversation>>> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-conversation-'));
  try {
    await writeFile(join(folder, 'one.yaml'), text);
    return await readConversation(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('a conversation', () => {
  test('expands a step once for each of its sets of variables', async () => {
    const [chapter] = await conversationOf(
      '[{ name: "get ${a}", request: "GET /${a}/${ns}", each: [{ a: x }, { a: y }] }]',
    );
    expect(chapter).toEqual({
      name: 'one',
      steps: [
        { name: 'get x', request: 'GET /x/${ns}' },
        { name: 'get y', request: 'GET /y/${ns}' },
      ],
    });
  });

  test('rejects two steps with one name', async () => {
    const twice = '[{ name: a, request: GET / }, { name: a, request: GET / }]';
    await expect(conversationOf(twice)).rejects.toThrow(
      'two steps have the same name (chapter=one, name=a)',
    );
  });

  test('replaces variables in strings, keys and lists, and keeps unknown ones', () => {
    expect(substitute({ '${a}': ['${a}-${b}', 1, null] }, { a: 'x' })).toEqual({
      x: ['x-${b}', 1, null],
    });
  });

  test('counts the steps that run during a watch', () => {
    const inner = { name: 'b', request: 'GET /' };
    expect(countSteps([{ name: 'a', request: 'GET /', events: 1, during: [inner, inner] }])).toBe(
      3,
    );
  });

  test('has at least 500 steps in all chapters', async () => {
    const chapters = await readConversation();
    const steps = chapters.reduce((sum, chapter) => sum + countSteps(chapter.steps), 0);
    expect(steps).toBeGreaterThanOrEqual(500);
  });
});
