import { globSync } from 'node:fs';

/** The guides whose steps `guides.e2e.ts` runs. */
export const followedGuides: readonly string[] = [
  'docs/guides/first-operator.md',
  'docs/guides/testing.md',
];

/** Returns the paths of all Markdown pages, relative to the root of the repository. */
export function pages(root: string): string[] {
  // The site writes its pages to a folder `dist`.
  const exclude = ['**/node_modules/**', '**/dist/**'];
  return globSync(['*.md', '{docs,examples,packages,e2e}/**/*.md'], {
    cwd: root,
    exclude,
  }).toSorted();
}
