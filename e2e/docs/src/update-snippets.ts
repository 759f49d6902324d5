/** Writes the regions of source files into the pages that show them: `npm run docs:snippets`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withSources } from './code-block.ts';
import { pages } from './pages.ts';
import { readSource } from './region.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

for (const page of pages(root)) {
  const before = readFileSync(join(root, page), 'utf8');
  const after = withSources(before, (source) => readSource(root, source));
  if (after === before) continue;
  writeFileSync(join(root, page), after);
  console.log(`updated ${page}`);
}
