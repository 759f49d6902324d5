/** A plot of series of points. The x axis is logarithmic, with a tick at each measured x. */
export interface Plot {
  readonly title: string;
  /** The label of the x axis. */
  readonly x: string;
  /** The unit of the y axis. */
  readonly y: string;
  /** Default: linear from zero. */
  readonly isLogarithmic?: boolean;
  readonly series: readonly Series[];
}

export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

interface Scale {
  readonly ticks: readonly number[];
  /** Returns the pixel of a value. */
  readonly at: (value: number) => number;
}

const WIDTH = 700;
const HEIGHT = 320;
const AREA = { left: 64, right: 510, top: 44, bottom: 268 } as const;
/** Pixels between the names of two series. */
const NAME_GAP = 16;
const TICKS = 5;

interface Colours {
  readonly page: string;
  readonly ink: string;
  readonly grid: string;
  readonly series: readonly string[];
}

const light: Colours = {
  page: '#ffffff',
  ink: '#1f2328',
  grid: '#d1d9e0',
  series: ['#0969da', '#bc4c00', '#1a7f37', '#8250df'],
};
const dark: Colours = {
  page: '#0d1117',
  ink: '#f0f6fc',
  grid: '#3d444d',
  series: ['#4493f8', '#f0883e', '#3fb950', '#ab7df8'],
};

/** Not every viewer of SVG knows custom properties, so each colour is repeated. */
function rules({ page, ink, grid, series }: Colours): string {
  const ofSeries = series.map(
    (colour, n) => `path.s${n} { stroke: ${colour} } circle.s${n}, text.s${n} { fill: ${colour} }`,
  );
  const base = `.page { fill: ${page} } text { fill: ${ink} } .grid { stroke: ${grid} }`;
  return [base, ...ofSeries].join('\n');
}

const STYLE = `
text { font: 12px system-ui, sans-serif }
.title { font-size: 14px; font-weight: 600 }
path { fill: none; stroke-width: 2 }
${rules(light)}
@media (prefers-color-scheme: dark) {
${rules(dark)}
}
`;

/** Renders the plot as an SVG file that needs no script and no other file. */
export function renderPlot({ title, x, y, isLogarithmic = false, series }: Plot): string {
  const points = series.flatMap((each) => each.points);
  const across = xScale(points.map((point) => point.x));
  const up = (isLogarithmic ? decades : linear)(points.map((point) => point.y));
  const names = namePositions(series, up);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="page" width="100%" height="100%"/>`,
    text(12, 22, title, 'class="title"'),
    text(12, 40, y, ''),
    ...up.ticks.flatMap((tick) => [
      `<line class="grid" x1="${AREA.left}" x2="${AREA.right}" y1="${up.at(tick)}" y2="${up.at(tick)}"/>`,
      text(AREA.left - 8, up.at(tick) + 4, compact(tick), 'text-anchor="end"'),
    ]),
    ...across.ticks.map((tick) =>
      text(across.at(tick), AREA.bottom + 18, compact(tick), 'text-anchor="middle"'),
    ),
    text((AREA.left + AREA.right) / 2, AREA.bottom + 38, x, 'text-anchor="middle"'),
    ...series.map((each, n) => curve(each, n, across, up)),
    ...series.map(({ name }, n) => text(AREA.right + 14, names[n] ?? 0, name, `class="s${n}"`)),
    '</svg>\n',
  ].join('\n');
}

function curve({ points }: Series, n: number, across: Scale, up: Scale): string {
  const places = points.map((point) => [across.at(point.x), up.at(point.y)] as const);
  const line = places.map(([px, py], index) => `${index === 0 ? 'M' : 'L'}${px} ${py}`).join('');
  const dots = places.map(([px, py]) => `<circle class="s${n}" cx="${px}" cy="${py}" r="3.5"/>`);
  return `<path class="s${n}" d="${line}"/>${dots.join('')}`;
}

/** The y of each name: at the last point of its series, below the name above it. */
function namePositions(series: readonly Series[], up: Scale): readonly number[] {
  const wanted = series.map(({ points }, n) => ({ n, y: up.at(points.at(-1)?.y ?? 0) + 4 }));
  const positions: number[] = [];
  let free = AREA.top;
  for (const { n, y } of wanted.toSorted((one, other) => one.y - other.y)) {
    positions[n] = Math.max(free, y);
    free = positions[n] + NAME_GAP;
  }
  return positions;
}

function xScale(values: readonly number[]): Scale {
  const ticks = [...new Set(values)].toSorted((one, other) => one - other);
  return {
    ticks,
    at: logarithmic(ticks[0] ?? 1, ticks.at(-1) ?? 10, AREA.left + 16, AREA.right - 8),
  };
}

/** From zero to a round number above the largest value. */
function linear(values: readonly number[]): Scale {
  const largest = Math.max(...values);
  const rough = largest / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const count = Math.ceil(largest / step);
  const height = AREA.bottom - AREA.top - 8;
  return {
    ticks: Array.from({ length: count + 1 }, (_, n) => Number((n * step).toPrecision(6))),
    at: (value) => pixel(AREA.bottom - (value / (count * step)) * height),
  };
}

/** From the power of ten below the smallest value to that above the largest. */
function decades(values: readonly number[]): Scale {
  const from = Math.floor(Math.log10(Math.min(...values)));
  const to = Math.ceil(Math.log10(Math.max(...values)));
  return {
    ticks: Array.from({ length: to - from + 1 }, (_, n) =>
      Number((10 ** (from + n)).toPrecision(1)),
    ),
    at: logarithmic(10 ** from, 10 ** to, AREA.bottom, AREA.top + 8),
  };
}

function logarithmic(from: number, to: number, start: number, end: number): Scale['at'] {
  const range = Math.log10(to / from) || 1;
  return (value) => pixel(start + (Math.log10(value / from) / range) * (end - start));
}

function pixel(value: number): number {
  return Math.round(value * 10) / 10;
}

/** `20000` as `20 k`. */
export function compact(value: number): string {
  if (value >= 1e6) return `${String(value / 1e6)} M`;
  return value >= 1e4 ? `${String(value / 1000)} k` : String(value);
}

function text(x: number, y: number, words: string, attributes: string): string {
  return `<text x="${x}" y="${y}" ${attributes}>${escaped(words)}</text>`;
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
