import { globSync } from 'node:fs';

/** The Markdown pages whose TypeScript is checked, relative to the root of the repository. */
export function pages(root: string): string[] {
  const patterns = ['README.md', 'docs/**/*.md', 'examples/**/README.md', 'packages/*/README.md'];
  return patterns
    .flatMap((pattern) => globSync(pattern, { cwd: root, exclude: ['**/node_modules/**'] }))
    .toSorted();
}
