import { posix } from 'node:path';

import { isTest } from '../sources/source-file.ts';
import type { SourceModule } from '../sources/source-module.ts';

/** A file of such a name is where what has no home of its own ends up. */
const sinks: ReadonlySet<string> = new Set([
  'types.ts',
  'utils.ts',
  'helpers.ts',
  'constants.ts',
  'interfaces.ts',
]);

/** Longer than this, a file holds more than one thing. */
const mostLines = 400;

/** Where a source breaks a rule of the house that needs no judgement: its name, its length, how it exports. */
export function findStyleProblems(modules: readonly SourceModule[]): string[] {
  return modules.flatMap((module) => problemsOf(module).map((what) => `${module.path} ${what}`));
}

function problemsOf({ path, lines, exports }: SourceModule): string[] {
  return [
    ...(sinks.has(posix.basename(path)) ? ['is named after nothing it holds'] : []),
    ...(lines > mostLines && !isTest(path) ? [`has more than ${mostLines} lines`] : []),
    ...(exports.includes('default') ? ['has a default export'] : []),
    ...(exports.includes('*') ? ['exports what it does not name'] : []),
  ];
}
