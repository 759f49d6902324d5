/** One line of a panel. */
export interface ChartLine {
  readonly name: string;
  /** Pairs of x and y. */
  readonly points: readonly (readonly [number, number])[];
}

/** One panel: several lines over the same x axis. */
export interface ChartPanel {
  readonly title: string;
  readonly lines: readonly ChartLine[];
}

const WIDTH = 900;
const PANEL_HEIGHT = 110;
const LEFT = 60;
const RIGHT = 15;
const TITLE = 22;
const BOTTOM = 40;
const COLOURS = ['#0b7285', '#e8590c', '#5f3dc4', '#2b8a3e', '#c2255c', '#a17c00'];

/** Panels below each other as SVG, which follows the light or dark theme of its reader. */
export function chart(panels: readonly ChartPanel[], xTitle: string): string {
  const xs = panels.flatMap(({ lines }) => lines.flatMap(({ points }) => points.map(([x]) => x)));
  const xMax = Math.max(1, ...xs);
  const height = panels.length * PANEL_HEIGHT + BOTTOM;
  const bottom = panels.length * PANEL_HEIGHT;
  const xOf = (x: number): string => (LEFT + (x / xMax) * (WIDTH - LEFT - RIGHT)).toFixed(1);
  const xTicks = ticks(xMax).map(
    (x) => `<text x="${xOf(x)}" y="${bottom + 16}" text-anchor="middle">${x}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="11">`,
    '<style>text{fill:#343a40}.grid{stroke:#ced4da;stroke-width:.5}@media(prefers-color-scheme:dark){text{fill:#dee2e6}.grid{stroke:#495057}}</style>',
    ...panels.map((panel, index) => panelOf(panel, index * PANEL_HEIGHT, xOf)),
    ...xTicks,
    `<text x="${WIDTH / 2}" y="${bottom + 33}" text-anchor="middle">${escaped(xTitle)}</text>`,
    '</svg>\n',
  ].join('\n');
}

function panelOf({ title, lines }: ChartPanel, top: number, xOf: (x: number) => string): string {
  const yMax = Math.max(1, ...lines.flatMap(({ points }) => points.map(([, y]) => y)));
  const base = top + PANEL_HEIGHT - 8;
  const yOf = (y: number): string => (base - (y / yMax) * (PANEL_HEIGHT - TITLE - 8)).toFixed(1);
  const grid = [0, yMax].map(
    (y) =>
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${yOf(y)}" y2="${yOf(y)}"/>` +
      `<text x="${LEFT - 6}" y="${Number(yOf(y)) + 4}" text-anchor="end">${short(y)}</text>`,
  );
  const drawn = lines.map(({ name, points }, index) => {
    const colour = COLOURS[index % COLOURS.length] ?? '';
    const path = points.map(([x, y]) => `${xOf(x)},${yOf(y)}`).join(' ');
    return `<polyline fill="none" stroke="${colour}" stroke-width="1.2" points="${path}"><title>${escaped(name)}</title></polyline>`;
  });
  return [
    `<text x="${LEFT}" y="${top + 14}" font-weight="bold">${escaped(title)}</text>`,
    ...grid,
    ...drawn,
  ].join('\n');
}

/** About six round values from 0 to the maximum. */
function ticks(max: number): number[] {
  const magnitude = 10 ** Math.floor(Math.log10(max / 5));
  const step = [1, 2, 5, 10].map((factor) => factor * magnitude).find((one) => max / one <= 6);
  const values: number[] = [];
  for (let value = 0; value <= max; value += step ?? max) values.push(Number(value.toPrecision(6)));
  return values;
}

function short(value: number): string {
  return value >= 10 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(1);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
