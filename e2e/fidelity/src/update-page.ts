import { writeFile } from 'node:fs/promises';
import { differencesPage, renderDifferences } from './differences-page.ts';
import { readControlPlaneParts } from './control-plane-parts.ts';
import { readKnownDifferences } from './known-differences.ts';

await writeFile(
  differencesPage,
  renderDifferences(await readKnownDifferences(), await readControlPlaneParts()),
);
