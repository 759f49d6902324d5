import type { PackedPackage } from './registry.ts';

/** Returns the lines of a table of packed packages, in the order of publication. */
export function printTable(
  packed: readonly PackedPackage[],
  missing: ReadonlySet<PackedPackage>,
): string[] {
  const rows = packed.map((each) => [
    each.name,
    each.version,
    String(each.files),
    `${Math.ceil(each.size / 1000)} kB`,
    missing.has(each) ? 'to publish' : 'published',
  ]);
  const all = [['name', 'version', 'files', 'size', 'state'], ...rows];
  const widths = all[0]?.map((_, column) =>
    Math.max(...all.map((row) => row[column]?.length ?? 0)),
  );
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths?.[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
