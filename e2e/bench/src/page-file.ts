import { readFileSync, writeFileSync } from 'node:fs';
import { withTables } from './page.ts';
import { readResults } from './results.ts';

export const pageFile: URL = new URL('../../../docs/performance.md', import.meta.url);

/** Puts the tables of the kept results into the page; what people wrote around it stays. */
export function writePage(): void {
  writeFileSync(pageFile, withTables(readFileSync(pageFile, 'utf8'), readResults()));
}
