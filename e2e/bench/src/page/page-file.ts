import { readFileSync, writeFileSync } from 'node:fs';
import { growthPlots } from '../plots/growth-plots.ts';
import { withPlots } from '../plots/plot-page.ts';
import { renderPlot } from '../plots/svg-plot.ts';
import { withTables } from './page.ts';
import { readResults, type Result } from './results.ts';

const docs = new URL('../../../../docs/', import.meta.url);

export const pageFile: URL = new URL('performance.md', docs);

/** The folder of the images of the plots. */
export const plotFolder: URL = new URL('plots/performance/', docs);

/** Writes the tables and plots of the kept results, and keeps the text of the page around them. */
export function writePage(): void {
  const results = readResults();
  writeFileSync(pageFile, renderedPage(readFileSync(pageFile, 'utf8'), results));
  for (const [name, svg] of renderedPlots(results)) writeFileSync(new URL(name, plotFolder), svg);
}

export function renderedPage(page: string, results: readonly Result[]): string {
  return withPlots(withTables(page, results), results);
}

/** The images of the plots by the names of their files. */
export function renderedPlots(results: readonly Result[]): ReadonlyMap<string, string> {
  return new Map(growthPlots(results).map((plot) => [`${plot.name}.svg`, renderPlot(plot)]));
}
