import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parser } from '@prometheus-io/lezer-promql';
import { alertRules, alerts } from './alerts.ts';
import { grafanaJson } from './dashboard.ts';
import { dashboards } from './dashboards.ts';
import { kindDashboard } from './kind-dashboard.ts';

const docs = new URL('../../../../../docs/', import.meta.url);
const page = readFileSync(new URL('metrics.md', docs), 'utf8');

/** The labels of each metric on the page, without those that Prometheus adds. */
const labelsOf = new Map(
  [...page.matchAll(/^\| `([a-z_]+)` \| (\w+) \| ([^|]+) \|/gm)].map(
    ([, name = '', , labels = '']) => [name, new Set(labels.trim().split(', '))],
  ),
);
/** Of prom-client. */
const ofProcess = new Set([
  'process_cpu_seconds_total',
  'process_resident_memory_bytes',
  'nodejs_heap_size_used_bytes',
]);
const addedByPrometheus = new Set(['job', 'namespace', 'pod', 'instance', 'le', 'quantile']);

/** Metrics that one reads for a detail, and that no diagram needs. */
const details = new Set([
  'certwatcher_read_certificate_errors_total',
  'certwatcher_read_certificate_total',
  'keelson_collector_errors_total',
  'keelson_history_bytes',
  'keelson_invalid_results_total',
  'keelson_linger_reuses_total',
  'keelson_log_errors_total',
  'keelson_own_writes_ended_total',
  'keelson_protobuf_refusals_total',
  'keelson_queue_function_errors_total',
  'keelson_requests_purged_total',
  'keelson_watch_handles',
  'keelson_watch_resource_version',
  'leader_election_slowpath_total',
]);

interface Query {
  readonly where: string;
  readonly text: string;
}

const ofKind = kindDashboard({
  kind: 'Order',
  group: 'shop.example',
  plural: 'orders',
  controller: 'order',
});

const queries: readonly Query[] = [
  ...[...dashboards, ofKind].flatMap(({ name, rows }) =>
    rows.flatMap(({ panels }) =>
      panels.flatMap((panel) =>
        panel.queries.map(([text]) => ({ where: `${name}: ${panel.title}`, text })),
      ),
    ),
  ),
  ...alerts.map(({ name, expression }) => ({ where: name, text: expression })),
].map(({ where, text }) => ({
  where,
  text: text.replaceAll('FILTER', 'job="a"').replaceAll('$__rate_interval', '5m'),
}));

/** The texts of the nodes of one kind in a query. Throws if Prometheus would not parse the query. */
function nodesOf(text: string, kind: string): string[] {
  const found: string[] = [];
  parser.parse(text).iterate({
    enter({ type, from, to }) {
      if (type.isError) throw new Error(`not PromQL: ${text}`);
      if (type.name === kind) found.push(text.slice(from, to));
    },
  });
  return found;
}

const metricOf = (series: string): string =>
  labelsOf.has(series) ? series : series.replace(/_(?:bucket|sum|count)$/, '');

describe('the queries of dashboards and alerts', () => {
  test.each(queries)(
    '$where: names metrics of docs/metrics.md with labels that they have',
    ({ text }) => {
      const metrics = nodesOf(text, 'VectorSelector').map((selector) =>
        metricOf(/^[a-z_]+/.exec(selector)?.[0] ?? ''),
      );
      expect(metrics.filter((name) => !labelsOf.has(name) && !ofProcess.has(name))).toEqual([]);
      const labels = nodesOf(text, 'LabelName');
      const known = (label: string): boolean =>
        addedByPrometheus.has(label) || metrics.some((name) => labelsOf.get(name)?.has(label));
      expect(labels.filter((label) => !known(label))).toEqual([]);
    },
  );

  test('show every metric, apart from details', () => {
    const shown = new Set(
      queries.flatMap(({ text }) =>
        nodesOf(text, 'VectorSelector').map((selector) =>
          metricOf(/^[a-z_]+/.exec(selector)?.[0] ?? ''),
        ),
      ),
    );
    const missing = [...labelsOf.keys()].filter((name) => !shown.has(name));
    expect(missing.toSorted()).toEqual([...details].toSorted());
  });

  test('find everything that the dashboards of kubebuilder show', () => {
    const ofKubebuilder = [
      'controller_runtime_active_workers',
      'controller_runtime_reconcile_errors_total',
      'controller_runtime_reconcile_total',
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'rest_client_requests_total',
      'workqueue_adds_total',
      'workqueue_depth',
      'workqueue_queue_duration_seconds',
      'workqueue_retries_total',
      'workqueue_unfinished_work_seconds',
      'workqueue_work_duration_seconds',
    ];
    const missing = ofKubebuilder.filter((name) => !labelsOf.has(name) && !ofProcess.has(name));
    expect(missing).toEqual([]);
  });
});

describe('a dashboard', () => {
  interface Rendered {
    readonly uid: string;
    readonly title: string;
    readonly panels: readonly {
      readonly id: number;
      readonly gridPos: {
        readonly x: number;
        readonly y: number;
        readonly w: number;
        readonly h: number;
      };
      readonly targets?: readonly { readonly expr: string; readonly refId: string }[];
    }[];
  }
  const renderedFor = (operator: string): Rendered[] =>
    [...dashboards, ofKind].map((dashboard) => grafanaJson(dashboard, operator) as Rendered);
  const rendered = renderedFor('shop');

  test('has an address and titles of its own', () => {
    expect(new Set(rendered.map(({ uid }) => uid)).size).toBe(rendered.length);
    for (const { rows } of [...dashboards, ofKind]) {
      const titles = rows.flatMap(({ panels }) => panels.map(({ title }) => title));
      expect(new Set(titles).size).toBe(titles.length);
    }
  });

  test('has another address and title for another operator, whose name may be long', () => {
    const long = 'a-name-of-an-operator-with-more-than-forty-characters';
    const all = ['shop', 'warehouse', long, `${long}-2`].flatMap(renderedFor);
    expect(new Set(all.map(({ uid }) => uid)).size).toBe(all.length);
    expect(new Set(all.map(({ title }) => title)).size).toBe(all.length);
    expect(Math.max(...all.map(({ uid }) => uid.length))).toBeLessThanOrEqual(40);
  });

  test('has panels that do not overlap, within 24 columns', () => {
    for (const { panels } of rendered) {
      const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from(
          { length: w * h },
          (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`,
        ),
      );
      expect(new Set(cells).size).toBe(cells.length);
      expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24);
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    }
  });

  test('has a picture in docs/metrics.md with each of its panels, if the demo has its data', () => {
    const pictures = [...page.matchAll(/\(pictures\/dashboard-([\w-]+)\.svg\)/g)];
    const names = pictures.map(([, name = '']) => name);
    expect(names).toEqual(['controllers', 'watches', 'api-requests', 'process']);
    for (const name of names) {
      const url = new URL(`pictures/dashboard-${name}.svg`, docs);
      const picture = readFileSync(url, 'utf8');
      const { rows = [] } = dashboards.find((one) => one.name === name) ?? {};
      const titles = rows.flatMap(({ panels }) => panels.map(({ title }) => title));
      expect(titles.filter((title) => !picture.includes(`>${title}</text>`))).toEqual([]);
      expect(picture.length).toBeLessThan(100_000);
    }
  });

  test('selects the chosen operators in every query', () => {
    for (const { panels } of rendered) {
      for (const { expr } of panels.flatMap(({ targets = [] }) => targets)) {
        expect(expr).toContain('{job=~"$job",namespace=~"$namespace"');
        expect(expr).not.toContain('FILTER');
      }
    }
  });
});

describe('the dashboard of a kind', () => {
  test('shows only the kind and its controller', () => {
    const texts = ofKind.rows.flatMap(({ panels }) =>
      panels.flatMap((panel) => panel.queries.map(([text]) => text)),
    );
    for (const text of texts) {
      expect(text).toMatch(
        /\{FILTER,(?:controller="order"|group="shop.example",resource="orders")\}/,
      );
    }
  });
});

describe('the alerts', () => {
  test('are rules of Prometheus for the named processes, with a runbook each', () => {
    const rules = alertRules({ namespace: 'shop', job: 'a "b"' }) as {
      alert: string;
      expr: string;
      annotations: { description: string };
    }[];
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(alerts.length);
    for (const { expr, annotations } of rules) {
      expect(expr).toContain(String.raw`{namespace="shop",job="a \"b\""`);
      expect(annotations.description.length).toBeGreaterThan(60);
    }
  });

  test('name in their summaries only labels that the expression keeps', () => {
    for (const { expression, summary } of alerts) {
      const named = [...summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
      const kept = new Set(/by \(([^)]*)\)/.exec(expression)?.[1]?.split(', ') ?? ['budget']);
      expect(named.filter((label) => !kept.has(String(label)))).toEqual([]);
    }
  });
});
