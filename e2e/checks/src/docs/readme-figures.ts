/** A line of the table in the README: its text, and the row of docs/performance.md that has its figures. */
interface Figure {
  readonly what: string;
  readonly row: string;
}

const figures: readonly Figure[] = [
  { what: '50 000 pods listed, cached and delivered to a handler', row: 'list.50000' },
  { what: '… the longest stall of the event loop', row: 'list.50000.longestStall' },
  { what: '… the peak memory of the process', row: 'list.50000.peakRss' },
  { what: 'memory of a cached pod of 5.2 KB', row: 'object.bytes' },
  { what: 'events of a watch, from socket to handler', row: 'watch.burst' },
  { what: '3 000 requests over TLS', row: 'requests.tls.3000' },
  { what: 'up to date again after a 410', row: 'recovery.410stream' },
];

const table =
  /(?<=<!-- figures of docs\/performance.md: npm run docs:snippets -->\n)[^]*?(?=<!-- end of figures -->)/;

/** Returns the README with the figures of docs/performance.md. Throws if a row is missing. */
export function withFigures(readme: string, performance: string): string {
  const lines = figures.map(({ what, row }) => {
    const [unit, keelson, clientNode] = cellsOf(performance, row);
    return `| ${what} | ${formatted(keelson, unit)} | ${formatted(clientNode, unit)} |`;
  });
  const head = ['', '| | Keelson | client-node informer |', '|---|---|---|'];
  return readme.replace(table, [...head, ...lines, '', ''].join('\n'));
}

function cellsOf(performance: string, row: string): (string | undefined)[] {
  const line = performance.split('\n').find((text) => text.startsWith(`| \`${row}\` |`));
  if (line === undefined) throw new Error(`docs/performance.md has no row ${row}`);
  const [, , ...cells] = line.split(' | ').map((cell) => cell.trim());
  const [unit] = line.split(' | ').slice(1);
  return [unit, ...cells];
}

/** Formats the median without its range: `1 180 (1 083–1 244)` in ms becomes 1.18 s. */
function formatted(cell: string | undefined, unit: string | undefined): string {
  const median = Number((cell ?? '').replace(/\(.*/, '').replaceAll(/\s/g, ''));
  if (!Number.isFinite(median)) throw new Error(`${cell} is not a median`);
  if (unit === 'ms' && median >= 1000) return `${rounded(median / 1000)} s`;
  if (unit === 'B' && median >= 1000) return `${rounded(median / 1000)} KB`;
  if (unit === 'MB' && median >= 1000) return `${rounded(median / 1000)} GB`;
  return `${rounded(median)} ${unit === 'events/s' ? 'a second' : unit}`;
}

/** Rounds to the precision of the measurement, with spaces between thousands. */
function rounded(value: number): string {
  const digits = Number(value.toPrecision(value < 10 || value >= 1000 ? 2 : 3));
  return digits.toLocaleString('en').replaceAll(',', ' ');
}
