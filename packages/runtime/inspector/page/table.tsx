import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';

/** The rows of a table that are shown before its button is pressed. */
const FIRST_ROWS = 100;

interface TableProps<Row> {
  readonly caption: string;
  /** Headings; those of numbers end with `#`, which is not shown. */
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** Renders a row, with its key. */
  readonly render: (row: Row) => JSX.Element;
  readonly empty: string;
}

/** A table with a caption that shows a bounded number of rows first. */
export function Table<Row>({
  caption,
  columns,
  rows,
  render,
  empty,
}: TableProps<Row>): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? rows : rows.slice(0, FIRST_ROWS);
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
      {shown.length < rows.length && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {rows.length}
        </button>
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
