import type { ControllerRow, ProcessRow, WatchRow } from '@keelson/inspector';
import { memo } from 'preact/compat';
import type { JSX } from 'preact';
import { bytesText, countsText, numberText, spanText, timeText } from './format.ts';
import { Plot } from './plot.tsx';
import { linkTo } from './route.ts';
import type { Rates, Store } from './store.ts';
import { Badge, Table, type Tone } from './table.tsx';

interface OverviewProps {
  readonly store: Store;
  readonly filter: string;
}

/** The controllers and the watches of the process. */
export function Overview({ store, filter }: OverviewProps): JSX.Element {
  const { process } = store;
  const words = filter.toLowerCase();
  const matches = (text: string): boolean => text.toLowerCase().includes(words);
  const controllers = [...store.controllers.values()].filter(({ id }) => matches(id));
  const watches = [...store.watches.values()].filter(
    ({ id, state, holders }) => matches(id) || matches(state) || holders.some(matches),
  );
  return (
    <>
      {process !== undefined && <ProcessFacts process={process} />}
      <section class="plots" aria-label="Rates">
        <Plot
          title="Per second"
          series={store.series()}
          lines={[
            { label: 'reconciles', index: 1, color: 'line-1' },
            { label: 'errors', index: 2, color: 'line-2' },
          ]}
        />
        <Plot
          title="Queues"
          series={store.series()}
          lines={[{ label: 'ready requests', index: 3, color: 'line-1' }]}
        />
        <Plot
          title="Event loop"
          series={store.series()}
          lines={[{ label: 'delay p99 in ms', index: 4, color: 'line-1' }]}
        />
      </section>
      <Table
        caption="Controllers"
        columns={[
          'Controller',
          'State',
          'Ready#',
          'Running#',
          'Longest',
          'Per second#',
          'Errors#',
          'Mean',
        ]}
        rows={controllers}
        render={(row) => (
          <ControllerLine
            key={row.id}
            row={row}
            rates={store.rates(row.id)}
            second={row.runs.length === 0 ? 0 : Math.floor((process?.at ?? 0) / 1000)}
          />
        )}
        empty="No controller matches."
      />
      <Table
        caption="Watches"
        columns={[
          'Watch',
          'State',
          'Objects#',
          'Bytes#',
          'Events/s#',
          'Last event',
          'Lists',
          'Held by',
        ]}
        rows={watches.toSorted(byTrouble)}
        render={(row) => (
          <WatchLine
            key={row.id}
            row={row}
            eventRate={store.eventRate(row)}
            lists={countsText(store.kind(row)?.lists ?? {})}
          />
        )}
        empty="No watch matches."
      />
    </>
  );
}

/** Watches that are not live come first. */
function byTrouble(one: WatchRow, other: WatchRow): number {
  const trouble = Number(other.state !== 'live') - Number(one.state !== 'live');
  return trouble === 0 ? one.id.localeCompare(other.id) : trouble;
}

function ProcessFacts({ process }: { process: ProcessRow }): JSX.Element {
  const { leader, shard, loopDelay } = process;
  const facts: readonly (readonly [string, string])[] = [
    ['Up', spanText(process.uptimeSeconds * 1000)],
    ['Memory', bytesText(process.rssBytes)],
    ['Heap', bytesText(process.heapBytes)],
    ['Outside the heap', bytesText(process.externalBytes)],
    [
      'Event loop delay p50 / p99 / max',
      [loopDelay.p50, loopDelay.p99, loopDelay.max].map(spanText).join(' / '),
    ],
    [
      'Leader',
      leader === undefined
        ? 'no election'
        : `${leader.isLeader ? 'yes' : 'standby'} (${leader.lease})`,
    ],
    ...(shard === undefined
      ? []
      : [
          [
            'Shard',
            `${shard.owned} of ${shard.wanted} slots run here (${shard.name}), ${shard.unowned} nowhere`,
          ] as const,
        ]),
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function toneOf(row: ControllerRow): Tone {
  if (row.isPaused) return 'busy';
  return row.obstacles.length > 0 ? 'bad' : row.state === 'running' ? 'good' : 'plain';
}

/** Rendered again only if its own values change. */
const ControllerLine = memo(
  ({ row, rates, second }: { row: ControllerRow; rates: Rates; second: number }): JSX.Element => {
    const [longest] = row.runs;
    return (
      <tr>
        <th scope="row">
          <a href={linkTo('controller', row.id)}>{row.id}</a>
        </th>
        <td>
          <Badge tone={toneOf(row)}>{row.isPaused ? 'paused' : row.state}</Badge>
          {row.obstacles.map((text) => (
            <div key={text} class="muted">
              {text}
            </div>
          ))}
        </td>
        <td
          class="number"
          title={row.depths.map(([priority, count]) => `priority ${priority}: ${count}`).join('\n')}
        >
          {numberText(row.ready)}
        </td>
        <td class="number">
          {row.running} of {row.concurrency}
        </td>
        <td>
          {longest !== undefined && (
            <>
              <a href={linkTo('request', row.id, longest.request)}>{longest.request}</a>{' '}
              <span class="muted">{spanText(Math.max(0, second * 1000 - longest.since))}</span>
            </>
          )}
        </td>
        <td class="number">{numberText(rates.reconciles)}</td>
        <td class="number">
          {numberText(row.errors)}
          {rates.errors > 0 && <Badge tone="bad">{numberText(rates.errors)}/s</Badge>}
        </td>
        <td>{rates.reconciles > 0 ? spanText(rates.meanMs) : ''}</td>
      </tr>
    );
  },
);

interface WatchLineProps {
  readonly row: WatchRow;
  readonly eventRate: number;
  readonly lists: string;
}

const WatchLine = memo(({ row, eventRate, lists }: WatchLineProps): JSX.Element => (
  <tr>
    <th scope="row">
      <a href={linkTo('watch', row.id)}>{row.resource}</a>
      <div class="muted">{queryOf(row)}</div>
    </th>
    <td>
      <Badge tone={row.state === 'live' ? 'good' : row.state === 'syncing' ? 'busy' : 'bad'}>
        {row.state}
      </Badge>
      {row.state !== 'live' && <div class="muted">{row.reason}</div>}
      {row.state !== 'live' && row.error !== undefined && <div class="muted">{row.error}</div>}
    </td>
    <td class="number">{numberText(row.objects)}</td>
    <td class="number">{bytesText(row.bytes)}</td>
    <td class="number">{numberText(eventRate)}</td>
    <td>{row.lastEventAt === undefined ? 'none' : timeText(row.lastEventAt).slice(0, 8)}</td>
    <td>{lists}</td>
    <td class="holders">{row.holders.join(', ')}</td>
  </tr>
));

/** The part of a watch's query beside its kind. */
export function queryOf({
  cluster,
  namespace,
  labelSelector,
  fieldSelector,
  projection,
  transform,
}: WatchRow): string {
  return [
    cluster === undefined ? '' : `cluster ${cluster}`,
    namespace === undefined ? 'all namespaces' : `in ${namespace}`,
    labelSelector === undefined ? '' : `labels ${labelSelector}`,
    fieldSelector === undefined ? '' : `fields ${fieldSelector}`,
    projection === 'full' ? '' : projection,
    transform === undefined ? '' : `transform ${transform}`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}
