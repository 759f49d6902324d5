/** A column of the server's table. */
interface Column {
  readonly name: string;
  /** Above 0 only for `-o wide`. */
  readonly priority?: number;
}

/** A `Table` of `meta.k8s.io/v1`, which the server makes of objects for their display. */
export interface ServerTable {
  readonly columnDefinitions: readonly Column[];
  readonly rows: readonly {
    readonly cells: readonly unknown[];
    readonly object?: {
      readonly metadata?: { readonly name?: string; readonly namespace?: string };
    };
  }[];
}

/** The width between two columns, as kubectl has it. */
const GAP = 3;

/** Formats the rows of tables as kubectl prints them. */
export function tableLines(
  tables: readonly ServerTable[],
  { isWide, hasNamespaces }: { readonly isWide: boolean; readonly hasNamespaces: boolean },
): readonly string[] {
  const [first] = tables;
  if (first === undefined) return [];
  const shown = first.columnDefinitions
    .map((column, index) => ({ ...column, index }))
    .filter(({ priority = 0 }) => isWide || priority === 0);
  const heads = [...(hasNamespaces ? ['NAMESPACE'] : []), ...shown.map(({ name }) => headOf(name))];
  const rows = tables.flatMap((table) =>
    table.rows.map(({ cells, object }) => [
      ...(hasNamespaces ? [object?.metadata?.namespace ?? ''] : []),
      ...shown.map(({ index }) => cellText(cells[index])),
    ]),
  );
  const all = [heads, ...rows];
  const widths = heads.map((_, column) =>
    Math.max(...all.map((row) => Array.from(row[column] ?? '').length)),
  );
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd((widths[column] ?? 0) + GAP))
      .join('')
      .trimEnd(),
  );
}

function headOf(name: string): string {
  return name.toUpperCase();
}

/** A cell with several lines would break the table. */
function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '<none>';
  const text = typeof cell === 'string' ? cell : JSON.stringify(cell);
  return text.split('\n', 1)[0] ?? '';
}
