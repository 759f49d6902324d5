import type { GrafanaPanel } from './grafana-dashboard.ts';

/** The series of one panel: pairs of seconds since the start, and a value. */
export interface PanelSeries {
  readonly name: string;
  readonly points: readonly (readonly [seconds: number, value: number])[];
}

/** A panel with its data. */
export interface DrawnPanel extends Pick<GrafanaPanel, 'title' | 'unit'> {
  readonly series: readonly PanelSeries[];
}

/** Panels under a heading, as Grafana shows a row. */
export interface DrawnRow {
  readonly title: string;
  readonly panels: readonly DrawnPanel[];
}

const PER_LINE = 3;
const PANEL = { width: 350, height: 176, gap: 10 } as const;
const ROW_TITLE = 26;
const PLOT = { left: 46, right: 8, top: 26, height: 86 } as const;
/** The names that a legend has; further series are counted. */
const MAX_NAMES = 4;
const MAX_NAME_LENGTH = 54;
const COLOURS = 6;

const light = ['#0969da', '#bc4c00', '#1a7f37', '#8250df', '#bf3989', '#6e7781'];
const dark = ['#4493f8', '#f0883e', '#3fb950', '#ab7df8', '#f778ba', '#9198a1'];

const rules = (page: string, ink: string, grid: string, colours: readonly string[]): string =>
  [
    `.page{fill:${page}}text{fill:${ink}}.box,.grid{stroke:${grid}}`,
    ...colours.map((colour, n) => `.s${n}{stroke:${colour}}rect.s${n}{fill:${colour}}`),
  ].join('');

const STYLE = [
  'text{font:10px system-ui,sans-serif}.title{font-size:11px;font-weight:600}.row{font-size:13px;font-weight:600}',
  '.box{fill:none}polyline{fill:none;stroke-width:1.5}',
  rules('#ffffff', '#1f2328', '#d1d9e0', light),
  `@media(prefers-color-scheme:dark){${rules('#0d1117', '#f0f6fc', '#3d444d', dark)}}`,
].join('');

/** The time that all panels show. */
export interface DrawnTime {
  readonly seconds: number;
  /** Seconds between two points. A line ends where one is missing. */
  readonly step: number;
}

/** Draws a dashboard as an SVG file that needs no script and no other file. */
export function drawDashboard(title: string, rows: readonly DrawnRow[], time: DrawnTime): string {
  const width = PER_LINE * (PANEL.width + PANEL.gap) + PANEL.gap;
  const parts: string[] = [];
  let y = 0;
  for (const row of rows) {
    parts.push(text(PANEL.gap, y + 18, row.title, 'row'));
    y += ROW_TITLE;
    for (const [index, panel] of row.panels.entries()) {
      const x = PANEL.gap + (index % PER_LINE) * (PANEL.width + PANEL.gap);
      const line = Math.floor(index / PER_LINE);
      parts.push(panelAt(panel, { x, y: y + line * (PANEL.height + PANEL.gap), ...time }));
    }
    y += Math.ceil(row.panels.length / PER_LINE) * (PANEL.height + PANEL.gap);
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    '<rect class="page" width="100%" height="100%"/>',
    ...parts,
    '</svg>\n',
  ].join('\n');
}

interface Place extends DrawnTime {
  readonly x: number;
  readonly y: number;
}

function panelAt({ title, unit, series }: DrawnPanel, { x, y, seconds, step }: Place): string {
  const shown = series
    .filter(({ points }) => points.length > 0)
    .toSorted((one, other) => largest(other) - largest(one));
  const values = shown.flatMap(({ points }) => points.map(([, value]) => value));
  const top = roundAbove(Math.max(0, ...values), unit);
  const width = PANEL.width - PLOT.left - PLOT.right;
  const bottom = PLOT.top + PLOT.height;
  const xOf = (at: number): number => pixel(PLOT.left + (at / seconds) * width);
  const yOf = (value: number): number => pixel(bottom - (value / top) * PLOT.height);
  return [
    `<g transform="translate(${x} ${y})">`,
    `<rect class="box" width="${PANEL.width}" height="${PANEL.height}" rx="3"/>`,
    text(8, 16, title, 'title'),
    ...(shown.length === 0 ? [text(PANEL.width / 2 - 24, 76, 'no data')] : []),
    ...(shown.length === 0 ? [] : [0, top / 2, top]).flatMap((value) => [
      `<line class="grid" x1="${PLOT.left}" x2="${PANEL.width - PLOT.right}" y1="${yOf(value)}" y2="${yOf(value)}"/>`,
      text(PLOT.left - 5, yOf(value) + 3, valueText(value, unit), undefined, 'end'),
    ]),
    ...[0, seconds / 2, seconds].map((at, n) =>
      text(
        xOf(at),
        bottom + 12,
        `${Math.round(at)} s`,
        undefined,
        n === 0 ? 'start' : n === 1 ? 'middle' : 'end',
      ),
    ),
    ...shown.flatMap(({ points }, n) =>
      partsOf(points, step).map((part) => {
        // Whole pixels, so that the file is small.
        const places = part.map(([at, value]) =>
          [xOf(at), yOf(value)].map((place) => Math.round(place)).join(),
        );
        const path = places.join(' ');
        return `<polyline class="s${n % COLOURS}" points="${path}"/>`;
      }),
    ),
    ...legend(shown),
    '</g>',
  ].join('\n');
}

function largest({ points }: PanelSeries): number {
  return Math.max(...points.map(([, value]) => value));
}

type Points = PanelSeries['points'];

/** The parts of a line between missing points. */
function partsOf(points: Points, step: number): readonly Points[] {
  const parts: (readonly [number, number])[][] = [];
  let last = -Infinity;
  for (const point of points) {
    if (point[0] - last > step * 1.5) parts.push([]);
    parts.at(-1)?.push(point);
    last = point[0];
  }
  return parts;
}

function legend(shown: readonly PanelSeries[]): readonly string[] {
  const left = shown.length - MAX_NAMES;
  return shown.slice(0, MAX_NAMES).map(({ name }, n) => {
    const y = PLOT.top + PLOT.height + 24 + n * 11;
    const isLast = n === MAX_NAMES - 1 && left > 0;
    const words = isLast ? `${shortened(name)} and ${left} more` : shortened(name);
    return `<rect class="s${n % COLOURS}" x="8" y="${y - 6}" width="9" height="3"/>${text(22, y, words)}`;
  });
}

function shortened(name: string): string {
  return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, MAX_NAME_LENGTH - 1)}…`;
}

/** The next value above with one digit of 1, 2, 4, 6, 8 or 10, in the unit that `valueText` writes. */
function roundAbove(value: number, unit: string): number {
  if (value <= 0) return 1;
  if (unit === 'bytes' && value >= 1024) return roundAbove(value / 1024, unit) * 1024;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 6, 8, 10].find((factor) => factor * power >= value) ?? 10) * power;
}

/** A value in the unit of Grafana. */
export function valueText(value: number, unit: string): string {
  if (value === 0) return '0';
  if (unit === 'percentunit') return `${plain(value * 100)} %`;
  if (unit === 's')
    return value < 0.001
      ? `${plain(value * 1e6)} µs`
      : value < 1
        ? `${plain(value * 1000)} ms`
        : `${plain(value)} s`;
  if (unit === 'bytes') {
    const power = Math.min(3, Math.floor(Math.log2(Math.max(1, value)) / 10));
    return `${plain(value / 1024 ** power)} ${['B', 'KiB', 'MiB', 'GiB'][power] ?? ''}`;
  }
  const short =
    value >= 1e6
      ? `${plain(value / 1e6)} M`
      : value >= 1e4
        ? `${plain(value / 1000)} k`
        : plain(value);
  return unit === 'ops' ? `${short}/s` : short;
}

function plain(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function pixel(value: number): number {
  return Math.round(value * 10) / 10;
}

function text(x: number, y: number, words: string, name?: string, anchor?: string): string {
  const attributes = [
    ...(name === undefined ? [] : [` class="${name}"`]),
    ...(anchor === undefined ? [] : [` text-anchor="${anchor}"`]),
  ].join('');
  return `<text x="${x}" y="${y}"${attributes}>${escaped(words)}</text>`;
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
