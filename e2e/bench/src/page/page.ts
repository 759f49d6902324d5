import {
  isAgainstReal,
  isOfGrowth,
  isOfOperator,
  isOfPeers,
  isOfQueue,
  isOfTransport,
  isOfWebhook,
} from './result-groups.ts';
import type { Result } from './results.ts';
import { isMet, measuredFor, peerTargets, probeTargets, targets, type Target } from './targets.ts';
import type { Spread } from './spread.ts';

const END = '<!-- end of table -->';

interface Column {
  readonly title: string;
  readonly cell: (result: Result) => string;
}

interface Table {
  /** The line of the page above the table. */
  readonly begin: string;
  readonly shows: (result: Result) => boolean;
  readonly columns: readonly Column[];
  /** Default: the targets of the project without those beside the probe and the peers. */
  readonly targets?: Readonly<Record<string, Target>>;
}

const tables: readonly Table[] = [
  {
    begin: '<!-- table: npm run bench:table -->',
    shows: (result) =>
      ![isAgainstReal, isOfQueue, isOfTransport, isOfGrowth, isOfWebhook, isOfOperator].some((of) =>
        of(result),
      ),
    columns: [
      { title: 'Keelson', cell: ({ keelson }) => spread(keelson) },
      { title: 'client-node', cell: ({ clientNode }) => spread(clientNode) },
      { title: 'limit', cell: ({ limit }) => spread(limit) },
      { title: '÷ client-node', cell: ({ ratioToClientNode }) => ratio(ratioToClientNode) },
      { title: '÷ limit', cell: ({ ratioToLimit }) => ratio(ratioToLimit) },
    ],
  },
  {
    begin: '<!-- table of the probe: npm run bench:table -->',
    shows: (result) => result.keepBytes !== undefined && !isAgainstReal(result),
    columns: [
      { title: 'Keelson', cell: ({ keelson }) => spread(keelson) },
      { title: 'probe', cell: ({ keepBytes }) => spread(keepBytes) },
      { title: '÷ probe', cell: ({ ratioToKeepBytes }) => ratio(ratioToKeepBytes) },
    ],
    targets: probeTargets,
  },
  {
    begin: '<!-- table of the peers: npm run bench:table -->',
    shows: isOfPeers,
    columns: [
      { title: 'Keelson', cell: ({ keelson }) => spread(keelson) },
      { title: 'kube-rs', cell: ({ kubeRs }) => spread(kubeRs) },
      { title: 'client-go', cell: ({ clientGo }) => spread(clientGo) },
      { title: '÷ kube-rs', cell: ({ ratioToKubeRs }) => ratio(ratioToKubeRs) },
      { title: '÷ client-go', cell: ({ ratioToClientGo }) => ratio(ratioToClientGo) },
    ],
    targets: peerTargets,
  },
  {
    begin: '<!-- table of queues: npm run bench:table -->',
    shows: isOfQueue,
    columns: [
      { title: 'Keelson', cell: ({ keelson }) => spread(keelson) },
      { title: 'controller-runtime', cell: ({ controllerRuntime }) => spread(controllerRuntime) },
      { title: 'kube-rs', cell: ({ kubeRs }) => spread(kubeRs) },
      { title: 'client-go', cell: ({ clientGo }) => spread(clientGo) },
      { title: 'limit', cell: ({ limit }) => spread(limit) },
      {
        title: '÷ controller-runtime',
        cell: ({ ratioToControllerRuntime }) => ratio(ratioToControllerRuntime),
      },
      { title: '÷ kube-rs', cell: ({ ratioToKubeRs }) => ratio(ratioToKubeRs) },
      { title: '÷ client-go', cell: ({ ratioToClientGo }) => ratio(ratioToClientGo) },
      { title: '÷ limit', cell: ({ ratioToLimit }) => ratio(ratioToLimit) },
    ],
  },
  {
    begin: '<!-- table of a real API server: npm run bench:table -->',
    shows: isAgainstReal,
    columns: [
      { title: 'Keelson', cell: ({ keelson }) => spread(keelson) },
      { title: 'client-node', cell: ({ clientNode }) => spread(clientNode) },
      { title: 'client-go, JSON', cell: ({ clientGo }) => spread(clientGo) },
      { title: 'client-go, protobuf', cell: ({ clientGoProtobuf }) => spread(clientGoProtobuf) },
      { title: 'probe, protobuf', cell: ({ keepBytes }) => spread(keepBytes) },
      { title: '÷ client-node', cell: ({ ratioToClientNode }) => ratio(ratioToClientNode) },
      { title: '÷ client-go, JSON', cell: ({ ratioToClientGo }) => ratio(ratioToClientGo) },
      {
        title: '÷ client-go, protobuf',
        cell: ({ ratioToClientGoProtobuf }) => ratio(ratioToClientGoProtobuf),
      },
      { title: '÷ probe', cell: ({ ratioToKeepBytes }) => ratio(ratioToKeepBytes) },
    ],
  },
  {
    begin: '<!-- table of transports: npm run bench:table -->',
    shows: isOfTransport,
    columns: [
      { title: 'HTTP/2', cell: ({ keelson }) => spread(keelson) },
      { title: 'HTTP/1.1', cell: ({ http1 }) => spread(http1) },
      { title: 'HTTP/2 ÷ HTTP/1.1', cell: ({ ratioToHttp1 }) => ratio(ratioToHttp1) },
    ],
  },
  {
    begin: '<!-- table of webhooks: npm run bench:table -->',
    shows: isOfWebhook,
    columns: [
      { title: 'Keelson', cell: ({ keelson }) => spread(keelson) },
      { title: 'controller-runtime', cell: ({ controllerRuntime }) => spread(controllerRuntime) },
      {
        title: '÷ controller-runtime',
        cell: ({ ratioToControllerRuntime }) => ratio(ratioToControllerRuntime),
      },
    ],
  },
  {
    begin: '<!-- table of operators: npm run bench:table -->',
    shows: isOfOperator,
    columns: [
      { title: 'Keelson', cell: ({ keelson }) => spread(keelson) },
      { title: 'controller-runtime', cell: ({ controllerRuntime }) => spread(controllerRuntime) },
      {
        title: '÷ controller-runtime',
        cell: ({ ratioToControllerRuntime }) => ratio(ratioToControllerRuntime),
      },
    ],
  },
];

/** Returns the page with each table between its two marks rendered from the results. */
export function withTables(page: string, results: readonly Result[]): string {
  return tables.reduce((text, table) => withTable(text, table, results), page);
}

function withTable(page: string, table: Table, results: readonly Result[]): string {
  const begin = page.indexOf(table.begin);
  const end = page.indexOf(END, begin);
  if (begin === -1 || end === -1) throw new Error(`the page has no place for ${table.begin}`);
  const head = page.slice(0, begin + table.begin.length);
  return `${head}\n\n${rendered(table, results)}\n${page.slice(end)}`;
}

function rendered(
  { shows, columns, targets: limits = targets }: Table,
  results: readonly Result[],
): string {
  const head = ['case', 'unit', ...columns.map(({ title }) => title), 'target', ''];
  const rows = results.filter(shows).map((result) => {
    const cells = columns.map(({ cell }) => cell(result));
    return [
      `\`${result.case}\``,
      result.unit,
      ...cells,
      ...judgement(limits[result.case], result, results),
    ];
  });
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('');
}

function spread(value: Spread | null | undefined): string {
  if (value === null || value === undefined) return '–';
  return `${figure(value.median)} (${figure(value.min)}–${figure(value.max)})`;
}

function ratio(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}

function figure(value: number): string {
  if (value >= 1e6) return `${String(Number((value / 1e6).toPrecision(3)))} M`;
  if (value < 1000) return String(value);
  return Math.round(value).toLocaleString('en-US').replaceAll(',', ' ');
}

function judgement(
  target: Target | undefined,
  result: Result,
  all: readonly Result[],
): readonly string[] {
  return target === undefined ? ['', ''] : [wording(target), verdict(target, result, all)];
}

const subjects = {
  figure: '',
  ratioToClientNode: '÷ client-node ',
  ratioToLimit: '÷ limit ',
  ratioToClientGo: '÷ client-go, JSON ',
  ratioToClientGoProtobuf: '÷ client-go, protobuf ',
  ratioToControllerRuntime: '÷ controller-runtime ',
  ratioToKubeRs: '÷ kube-rs ',
  ratioToKeepBytes: '÷ probe ',
};

function wording(target: Target): string {
  const subject =
    target.of in subjects
      ? subjects[target.of as keyof typeof subjects]
      : `÷ ${target.of.slice('ratio to '.length)} `;
  if (target.atMost === Infinity) return 'syncs';
  if (target.atMost !== undefined) return `${subject}≤ ${figure(target.atMost)}`;
  return `${subject}≥ ${figure(target.atLeast ?? 0)}`;
}

function verdict(target: Target, result: Result, all: readonly Result[]): string {
  const measured = measuredFor(target, result, all);
  if (measured === undefined) return 'not measured';
  return isMet(target, measured) ? 'met' : '**missed**';
}
