import { posix } from 'node:path';

import { isTest } from '../sources/source-file.ts';
import type { SourceModule } from '../sources/source-module.ts';

/** File names that attract unrelated code. */
const sinks: ReadonlySet<string> = new Set([
  'types.ts',
  'utils.ts',
  'helpers.ts',
  'constants.ts',
  'interfaces.ts',
]);

/** A longer file probably contains more than one concept. */
const MAX_LINES = 300;

/** Finds violations of the mechanical style rules: file names, file length and export forms. */
export function findStyleProblems(modules: readonly SourceModule[]): string[] {
  return modules.flatMap((module) => problemsOf(module).map((what) => `${module.path} ${what}`));
}

function problemsOf({ path, lines, exports }: SourceModule): string[] {
  return [
    ...(sinks.has(posix.basename(path)) ? ['has a name that says nothing about its contents'] : []),
    ...(lines > MAX_LINES && !isTest(path) ? [`has more than ${MAX_LINES} lines`] : []),
    ...(exports.includes('default') ? ['has a default export'] : []),
    ...(exports.includes('*') ? ['has a star export'] : []),
  ];
}
