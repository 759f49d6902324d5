/** Returns the cells of a column in a table of kubectl. The columns are aligned by width. */
export function column(table: string, title: string): string[] {
  const [header = '', ...rows] = table.trimEnd().split('\n');
  const from = header.indexOf(title);
  const width = /^\S+(?: \S+)* {2,}/.exec(header.slice(from))?.[0].length;
  return rows.map((row) => row.slice(from, width && from + width).trim());
}
