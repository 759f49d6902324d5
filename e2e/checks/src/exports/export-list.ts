import type { SourceModule } from '../sources/source-module.ts';

/** The committed form of a package's exports: one line each. */
export function printExportList(door: Pick<SourceModule, 'exports'>): string {
  return `${door.exports.join('\n')}\n`;
}

/** The module that a package's users import. */
export function doorOf(folder: string, modules: readonly SourceModule[]): SourceModule {
  const door = modules.find(({ path }) => path === `${folder}/src/index.ts`);
  if (door === undefined) throw new Error(`${folder} has no src/index.ts`);
  return door;
}
