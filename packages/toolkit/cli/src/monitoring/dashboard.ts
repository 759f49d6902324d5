import { createHash } from 'node:crypto';

/**
 * A dashboard of Grafana, described by its questions. In each query `FILTER` is a place for the labels that select the operator's
 * processes.
 */
export interface Dashboard {
  /** The name of the file, and part of the address in Grafana. */
  readonly name: string;
  readonly title: string;
  readonly rows: readonly DashboardRow[];
}

/** Panels under a heading. */
export interface DashboardRow {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** One diagram. */
export interface Panel {
  readonly title: string;
  /** Explains what a reader should conclude, if the title does not. */
  readonly help?: string;
  /** A unit of Grafana. Default `short`. */
  readonly unit?: 's' | 'bytes' | 'ops' | 'short' | 'percentunit' | 'dateTimeAsIso';
  /** Queries in PromQL with the legend of their series. */
  readonly queries: readonly (readonly [expression: string, legend: string])[];
}

const PANELS_PER_LINE = 3;
const GRID_COLUMNS = 24;
const PANEL_HEIGHT = 8;
/** The version of the format: Grafana 10 and later read it, and migrate it. */
const SCHEMA_VERSION = 39;

const filter = 'job=~"$job",namespace=~"$namespace"';
const datasource = { type: 'prometheus', uid: '${datasource}' };

interface GridPosition {
  readonly h: number;
  readonly w: number;
  readonly x: number;
  readonly y: number;
}

/** The longest uid that Grafana accepts. */
const MAX_UID_LENGTH = 40;

/** Renders the dashboard of an operator as the JSON that Grafana imports. */
export function grafanaJson({ name, title, rows }: Dashboard, operator: string): object {
  return {
    uid: uidOf(name, operator),
    title: `${operator} / ${title}`,
    tags: ['keelson', 'kubernetes'],
    schemaVersion: SCHEMA_VERSION,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-1h', to: 'now' },
    templating: { list: [datasourceVariable, labelVariable('namespace'), labelVariable('job')] },
    links: [
      {
        type: 'dashboards',
        title: 'Keelson',
        tags: ['keelson'],
        asDropdown: true,
        includeVars: true,
        keepTime: true,
      },
    ],
    panels: panelsOf(rows),
  };
}

/** The address of a dashboard, which differs between operators. A long name is replaced by its hash. */
function uidOf(name: string, operator: string): string {
  const uid = `${operator}-${name}`;
  return uid.length <= MAX_UID_LENGTH
    ? uid
    : createHash('sha256').update(uid).digest('hex').slice(0, MAX_UID_LENGTH);
}

const datasourceVariable = {
  name: 'datasource',
  label: 'Data source',
  type: 'datasource',
  query: 'prometheus',
};

/** A choice of the values that a label has in the operators that Prometheus scrapes. */
function labelVariable(label: 'namespace' | 'job'): object {
  const within = label === 'job' ? '{namespace=~"$namespace"}' : '';
  return {
    name: label,
    label: label === 'job' ? 'Job' : 'Namespace',
    type: 'query',
    datasource,
    query: `label_values(controller_runtime_max_concurrent_reconciles${within}, ${label})`,
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    current: { text: 'All', value: '$__all' },
  };
}

function panelsOf(rows: readonly DashboardRow[]): object[] {
  const panels: object[] = [];
  const width = GRID_COLUMNS / PANELS_PER_LINE;
  let y = 0;
  for (const row of rows) {
    const position = { h: 1, w: GRID_COLUMNS, x: 0, y };
    panels.push({ id: panels.length + 1, type: 'row', title: row.title, gridPos: position });
    y += 1;
    for (const [index, panel] of row.panels.entries()) {
      const line = Math.floor(index / PANELS_PER_LINE);
      const x = (index % PANELS_PER_LINE) * width;
      const place = { h: PANEL_HEIGHT, w: width, x, y: y + line * PANEL_HEIGHT };
      panels.push({ id: panels.length + 1, ...timeSeries(panel, place) });
    }
    y += Math.ceil(row.panels.length / PANELS_PER_LINE) * PANEL_HEIGHT;
  }
  return panels;
}

function timeSeries(
  { title, help, unit = 'short', queries }: Panel,
  gridPos: GridPosition,
): object {
  return {
    type: 'timeseries',
    title,
    ...(help !== undefined && { description: help }),
    datasource,
    gridPos,
    fieldConfig: {
      defaults: { unit, min: 0, custom: { fillOpacity: 10, showPoints: 'never' } },
      overrides: [],
    },
    options: {
      legend: { displayMode: 'list', placement: 'bottom' },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    targets: queries.map(([expression, legendFormat], index) => ({
      refId: String.fromCodePoint('A'.codePointAt(0)! + index),
      datasource,
      expr: expression.replaceAll('FILTER', filter),
      legendFormat,
    })),
  };
}
