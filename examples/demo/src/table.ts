/** Columns of text under their headings; numbers are aligned to the right. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) =>
    Math.max(...lines.map((cells) => (cells[column] ?? '').length)),
  );
  const isNumber = headings.map((_, column) =>
    rows.every((cells) => /^[-–\d.]*$/.test(cells[column] ?? '')),
  );
  return lines.map((cells) =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return isNumber[column] === true ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}
