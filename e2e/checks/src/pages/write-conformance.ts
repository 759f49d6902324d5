import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { coverageOf, findConformanceProblems, parseBehaviours } from './conformance.ts';
import { printConformancePage } from './conformance-page.ts';
import { readLater } from './later.ts';
import { readSource, root } from '../sources/source-file.ts';
import { readWorkspace } from '../sources/workspace.ts';

const groups = parseBehaviours(readSource('e2e/checks/data/behaviours.txt').text);
const coverage = coverageOf(readWorkspace().modules);
const later = readLater();

writeFileSync(join(root, 'docs/conformance.md'), printConformancePage(groups, coverage, later));
for (const problem of findConformanceProblems(groups, coverage, later)) {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
