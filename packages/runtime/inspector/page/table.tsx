import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';

/** The rows of a table that are shown at a time: the browser lays all of them out again when one changes. */
const PAGE_ROWS = 50;

interface TableProps<Row> {
  readonly caption: string;
  /** Headings; those of numbers end with `#`, which is not shown. */
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** Renders a row, with its key. */
  readonly render: (row: Row) => JSX.Element;
  readonly empty: string;
}

/** A table with a caption that shows a bounded number of rows at a time. */
export function Table<Row>({
  caption,
  columns,
  rows,
  render,
  empty,
}: TableProps<Row>): JSX.Element {
  const [page, setPage] = useState(0);
  const last = Math.max(0, Math.ceil(rows.length / PAGE_ROWS) - 1);
  const begin = Math.min(page, last) * PAGE_ROWS;
  const shown = rows.slice(begin, begin + PAGE_ROWS);
  return (
    <div class="table" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption>
          {caption} <span class="count">{rows.length}</span>
        </caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" class={column.endsWith('#') ? 'number' : ''}>
                {column.replace('#', '')}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{shown.map(render)}</tbody>
      </table>
      {rows.length === 0 && <p class="muted">{empty}</p>}
      {last > 0 && (
        <nav class="pages" aria-label={`Rows of ${caption}`}>
          <button type="button" disabled={begin === 0} onClick={() => setPage(page - 1)}>
            Previous
          </button>
          <span>
            {begin + 1} to {begin + shown.length} of {rows.length}
          </span>
          <button type="button" disabled={page >= last} onClick={() => setPage(page + 1)}>
            Next
          </button>
        </nav>
      )}
    </div>
  );
}

/** A word in a colour that says whether it is good; the word alone says it too. */
export function Badge({
  tone,
  children,
}: {
  tone: Tone;
  children: ComponentChildren;
}): JSX.Element {
  return <span class={`badge ${tone}`}>{children}</span>;
}

export type Tone = 'good' | 'bad' | 'busy' | 'plain';
