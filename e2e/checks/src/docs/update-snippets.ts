/** Updates the code and the figures that pages copy from other files: `npm run docs:snippets`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withSources } from './code-block.ts';
import { pages } from './pages.ts';
import { withFigures } from './readme-figures.ts';
import { readSource } from './region.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

const performance = readFileSync(join(root, 'docs/performance.md'), 'utf8');

for (const page of pages(root)) {
  const before = readFileSync(join(root, page), 'utf8');
  const code = withSources(before, (source) => readSource(root, source));
  const after = page === 'README.md' ? withFigures(code, performance) : code;
  if (after === before) continue;
  writeFileSync(join(root, page), after);
  console.log(`updated ${page}`);
}
