import { writeFile } from 'node:fs/promises';
import { differencesPage, renderDifferences } from './differences-page.ts';
import { readKnownDifferences } from './known-differences.ts';

await writeFile(differencesPage, renderDifferences(await readKnownDifferences()));
