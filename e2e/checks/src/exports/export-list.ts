import { basename } from 'node:path/posix';
import type { SourceModule } from '../sources/source-module.ts';

/** Prints the exports of a package as its committed list has them: one per line. */
export function printExportList(door: Pick<SourceModule, 'exports'>): string {
  return `${door.exports.join('\n')}\n`;
}

/** A module that users of a package import, and the name of its committed list: `manager`, `manager-sources`. */
export interface EntryPoint {
  readonly name: string;
  readonly module: SourceModule;
}

/** Returns the `src/index.ts` of a package and its `src/entry-points`. */
export function entryPointsOf(folder: string, modules: readonly SourceModule[]): EntryPoint[] {
  const index = modules.find(({ path }) => path === `${folder}/src/index.ts`);
  if (index === undefined) throw new Error(`${folder} has no src/index.ts`);
  const others = modules.filter(({ path }) => path.startsWith(`${folder}/src/entry-points/`));
  const name = basename(folder);
  return [
    { name, module: index },
    ...others.map((module) => ({ name: `${name}-${basename(module.path, '.ts')}`, module })),
  ];
}
