import type { Result } from '../page/results.ts';
import { growthPlots, type NamedPlot } from './growth-plots.ts';
import { compact, type Series } from './svg-plot.ts';

/** The marks around a plot, with its name. */
const PLACE = /<!-- plot (\S+): npm run bench:table -->[^]*?<!-- end of plot -->/g;

/** Returns the page with the image and the figures of each plot between its two marks. */
export function withPlots(page: string, results: readonly Result[]): string {
  const missing = new Map(growthPlots(results).map((plot) => [plot.name, plot]));
  const filled = page.replaceAll(PLACE, (_, name: string) => {
    const plot = missing.get(name);
    missing.delete(name);
    const content = plot === undefined ? '' : `${image(plot)}\n\n${figures(plot)}\n`;
    return `<!-- plot ${name}: npm run bench:table -->\n\n${content}<!-- end of plot -->`;
  });
  if (missing.size > 0) throw new Error(`the page has no place for ${[...missing.keys()].join()}`);
  return filled;
}

function image({ title, name }: NamedPlot): string {
  return `![${title}](plots/performance/${name}.svg)`;
}

/** The points of the plot as a table. */
function figures({ y, x, series }: NamedPlot): string {
  const at = [...new Set(series.flatMap(({ points }) => points.map((point) => point.x)))];
  const head = [`${y}, by ${x}`, ...at.map(compact)];
  const rows = series.map((each) => [each.name, ...at.map((value) => figureAt(each, value))]);
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('');
}

function figureAt({ points }: Series, x: number): string {
  const point = points.find((each) => each.x === x);
  return point === undefined ? '–' : compact(Number(point.y.toPrecision(3)));
}
