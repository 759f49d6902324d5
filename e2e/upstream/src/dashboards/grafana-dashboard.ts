/** The parts of a dashboard's JSON that Grafana draws. */
export interface GrafanaDashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly GrafanaPanel[];
}

export interface GrafanaPanel {
  /** The heading above the panel. */
  readonly row: string;
  readonly title: string;
  readonly unit: string;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

interface PanelJson {
  readonly type: string;
  readonly title: string;
  readonly fieldConfig?: { readonly defaults: { readonly unit: string } };
  readonly targets?: GrafanaPanel['targets'];
}

/** The variables of the dashboards, as Grafana replaces them: every operator, and rates over five scrapes. */
const variables: readonly (readonly [name: string, value: string])[] = [
  ['$__rate_interval', '5s'],
  ['$namespace', '.+'],
  ['$job', '.+'],
];

/** Reads a dashboard. A panel of the type `row` is the heading of those behind it. */
export function readDashboard(json: string): GrafanaDashboard {
  const { uid, title, panels } = JSON.parse(json) as {
    readonly uid: string;
    readonly title: string;
    readonly panels: readonly PanelJson[];
  };
  let row = '';
  const drawn: GrafanaPanel[] = [];
  for (const panel of panels) {
    if (panel.type === 'row') row = panel.title;
    else drawn.push(panelOf(row, panel));
  }
  return { uid, title, panels: drawn };
}

function panelOf(row: string, { title, fieldConfig, targets = [] }: PanelJson): GrafanaPanel {
  return {
    row,
    title,
    unit: fieldConfig?.defaults.unit ?? 'short',
    targets: targets.map(({ expr, legendFormat }) => ({
      legendFormat,
      expr: variables.reduce((text, [name, value]) => text.replaceAll(name, value), expr),
    })),
  };
}

/** The legend of a series: `{{controller}} {{result}}` with the values of its labels. */
export function legendOf(format: string, labels: Readonly<Record<string, string>>): string {
  return format.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => labels[name] ?? '').trim();
}
