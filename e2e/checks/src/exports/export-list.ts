import type { SourceModule } from '../sources/source-module.ts';

/** Prints the exports of a package as its committed list has them: one per line. */
export function printExportList(door: Pick<SourceModule, 'exports'>): string {
  return `${door.exports.join('\n')}\n`;
}

/** Returns the `src/index.ts` of a package, which its users import. */
export function entryModuleOf(folder: string, modules: readonly SourceModule[]): SourceModule {
  const door = modules.find(({ path }) => path === `${folder}/src/index.ts`);
  if (door === undefined) throw new Error(`${folder} has no src/index.ts`);
  return door;
}
