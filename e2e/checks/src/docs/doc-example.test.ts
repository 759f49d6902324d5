import { describe, expect, test } from '@jest/globals';
import { readSources } from '../sources/source-file.ts';
import { docExamples } from './doc-example.ts';

const module = `/**
 * Adds.
 *
 * @example
 * \`\`\`ts
 * import { add } from 'a';
 *
 * add(1, 2);
 * \`\`\`
 */
export async function add(): void {}

/** Another. */
export const other = 1;
`;

describe('docExamples', () => {
  test('finds the code of an example with the name that it belongs to', () => {
    expect(docExamples(module)).toEqual([
      { name: 'add', code: "import { add } from 'a';\n\nadd(1, 2);" },
    ]);
  });

  test('finds every example of the packages', () => {
    const sources = readSources(['packages']);
    const found = sources.flatMap(({ text }) => docExamples(text));
    const written = sources.flatMap(({ text }) => text.match(/^ \* @example$/gm) ?? []);
    expect(found.length).toBe(written.length);
    expect(found.length).toBeGreaterThan(30);
  });
});
