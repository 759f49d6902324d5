import { posix } from 'node:path';

import type { SourceModule } from '../sources/source-module.ts';

/** File names that attract unrelated code. */
const sinks: ReadonlySet<string> = new Set([
  'types.ts',
  'utils.ts',
  'helpers.ts',
  'constants.ts',
  'interfaces.ts',
]);

/** Finds violations of the mechanical style rules: file names, export forms and imports in types. */
export function findStyleProblems(modules: readonly SourceModule[]): string[] {
  return modules.flatMap((module) => problemsOf(module).map((what) => `${module.path} ${what}`));
}

function problemsOf({ path, exports, inlineTypes }: SourceModule): string[] {
  return [
    ...(sinks.has(posix.basename(path)) ? ['has a name that says nothing about its contents'] : []),
    ...(exports.includes('default') ? ['has a default export'] : []),
    ...(exports.includes('*') ? ['has a star export'] : []),
    // oxlint's `import/no-cycle` does not see them.
    ...inlineTypes
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => `imports ${specifier} within a type, and needs an import declaration`),
  ];
}
