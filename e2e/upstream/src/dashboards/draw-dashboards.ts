import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadAll } from 'js-yaml';
import { writeManifests } from '../operator-manifests.ts';
import { drawDashboard, type DrawnRow } from './dashboard-picture.ts';
import { legendOf, readDashboard, type GrafanaDashboard } from './grafana-dashboard.ts';

/**
 * Draws the dashboards of `keelson manifests` with the metrics of the demo, as SVG files in docs/pictures. Prometheus' own
 * code evaluates the queries. A dashboard without values is left out.
 * Run: npm run docs:dashboards
 */
const root = new URL('../../../../', import.meta.url);
const SHOPS = 100;
/** The metrics are read this often; Prometheus itself does so every 15 to 60 s. */
const SCRAPE_MS = 500;
/** The most points of a line, so that a picture is small. */
const MAX_POINTS = 70;
/** Milliseconds of scrapes after the demo has ended. */
const REST_MS = 4000;
/** The labels that Prometheus adds to the series of a target. */
const added = { job: 'demo-metrics', namespace: 'demo', pod: 'demo-0', instance: '127.0.0.1:8080' };

interface Scrape {
  readonly at: number;
  readonly text: string;
}

interface QueriedSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly points: readonly (readonly [at: number, value: number])[];
}

/** Runs the demo, and reads its metrics from its start until some seconds after its end. */
async function scrapeDemo(): Promise<readonly Scrape[]> {
  const words = ['--conditions=@keelson/source', 'examples/demo/src/main.ts'];
  const args = [...words, '--shops', String(SHOPS), '--stay'];
  const demo = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const address = Promise.withResolvers<string>();
  const end = Promise.withResolvers<void>();
  createInterface(demo.stdout).on('line', (line) => {
    const url = /^metrics: (\S+)/.exec(line)?.[1];
    if (url !== undefined) address.resolve(url);
    if (line === 'Ctrl-C ends') end.resolve();
  });
  demo.once('close', () => {
    address.reject(new Error('the demo ended early'));
    end.reject(new Error('the demo ended early'));
  });
  end.promise.catch(() => undefined);
  const scrapes: Scrape[] = [];
  const url = await address.promise;
  let last = Infinity;
  void end.promise.then(
    () => (last = Date.now() + REST_MS),
    () => (last = 0),
  );
  while (Date.now() < last) {
    const response = await fetch(url);
    scrapes.push({ at: Date.now(), text: await response.text() });
    await setTimeout(SCRAPE_MS);
  }
  await end.promise;
  demo.kill('SIGTERM');
  await once(demo, 'close');
  return scrapes;
}

async function query(
  scrapes: readonly Scrape[],
  queries: readonly string[],
): Promise<readonly (readonly QueriedSeries[])[]> {
  const cwd = fileURLToPath(new URL('../../rules', import.meta.url));
  const child = spawn('go', ['run', './query'], { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify({ scrapes, labels: added, queries, step: stepOf(scrapes) }));
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error('the queries failed');
  return JSON.parse(output) as readonly (readonly QueriedSeries[])[];
}

/** Milliseconds between two points of a line. */
function stepOf(scrapes: readonly Scrape[]): number {
  const duration = (scrapes.at(-1)?.at ?? 0) - (scrapes[0]?.at ?? 0);
  return Math.max(SCRAPE_MS, Math.ceil(duration / MAX_POINTS));
}

/** The JSON of the dashboards, as a ConfigMap each. */
async function readDashboards(): Promise<readonly GrafanaDashboard[]> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-dashboards-'));
  try {
    const read = await writeManifests(folder);
    const maps = loadAll(await read('dashboards/dashboards.yaml')) as readonly {
      readonly data: Readonly<Record<string, string>>;
    }[];
    return maps.flatMap(({ data }) => Object.values(data)).map(readDashboard);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function drawnRows(
  { panels }: GrafanaDashboard,
  scrapes: readonly Scrape[],
): Promise<readonly DrawnRow[]> {
  const [first] = scrapes;
  const begin = first?.at ?? 0;
  const queries = panels.flatMap(({ targets }) => targets);
  const results = await query(
    scrapes,
    queries.map(({ expr }) => expr),
  );
  const seriesOf = new Map(queries.map((target, index) => [target, results[index] ?? []]));
  const drawn = panels.map(({ row, title, unit, targets }) => ({
    row,
    title,
    unit,
    series: targets.flatMap((target) =>
      (seriesOf.get(target) ?? []).map(({ labels, points }) => ({
        name: legendOf(target.legendFormat, labels),
        points: points.map(([at, value]) => [(at - begin) / 1000, value] as const),
      })),
    ),
  }));
  return Array.from(
    Map.groupBy(drawn, ({ row }) => row),
    ([title, ofRow]) => ({ title, panels: ofRow }),
  );
}

const dashboards = await readDashboards();
const scrapes = await scrapeDemo();
const seconds = ((scrapes.at(-1)?.at ?? 0) - (scrapes[0]?.at ?? 0)) / 1000;
const step = stepOf(scrapes) / 1000;
for (const dashboard of dashboards) {
  const rows = await drawnRows(dashboard, scrapes);
  const hasData = rows.some(({ panels }) =>
    panels.some(({ series }) => series.some(({ points }) => points.some(([, value]) => value > 0))),
  );
  const name = dashboard.uid.replace('website-operator-', '');
  if (hasData) {
    const title = dashboard.title.replace('website-operator / ', '');
    const file = new URL(`docs/pictures/dashboard-${name}.svg`, root);
    await writeFile(file, drawDashboard(title, rows, { seconds, step }));
  }
  console.log(`${name}: ${hasData ? 'drawn' : 'no data in the demo'}`);
}
