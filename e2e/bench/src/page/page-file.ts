import { readFileSync, writeFileSync } from 'node:fs';
import { withTables } from './page.ts';
import { readResults } from './results.ts';

export const pageFile: URL = new URL('../../../../docs/performance.md', import.meta.url);

/** Writes the tables of the kept results into the page and keeps the text around them. */
export function writePage(): void {
  writeFileSync(pageFile, withTables(readFileSync(pageFile, 'utf8'), readResults()));
}
