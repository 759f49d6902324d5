import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { findConformanceProblems } from './conformance.ts';
import { printConformancePage } from './conformance-page.ts';
import { readBehaviours, readCoverage } from './known-behaviours.ts';
import { readLater, readNotApplicable } from './later.ts';
import { root } from '../sources/source-file.ts';
import { readWorkspace } from '../sources/workspace.ts';

const groups = readBehaviours();
const coverage = readCoverage(readWorkspace().modules);
const later = [...readLater(), ...readNotApplicable()];

writeFileSync(join(root, 'docs/conformance.md'), printConformancePage(groups, coverage, later));
for (const problem of findConformanceProblems(groups, coverage, later)) {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
