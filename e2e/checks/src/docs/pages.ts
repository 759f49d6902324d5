import { globSync } from 'node:fs';

/** The guides that `guides.e2e.ts` follows to the letter. */
export const followedGuides: readonly string[] = [
  'docs/guides/first-operator.md',
  'docs/guides/testing.md',
];

/** The Markdown pages of the repository, relative to its root. */
export function pages(root: string): string[] {
  const exclude = ['**/node_modules/**'];
  return globSync(['*.md', '{docs,examples,packages,e2e}/**/*.md'], {
    cwd: root,
    exclude,
  }).toSorted();
}
