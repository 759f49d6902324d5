import type { ControllerPage, RequestRow } from '@keelson/inspector';
import type { JSX } from 'preact';
import { useActions } from './actions.tsx';
import { numberText, spanText, timeText } from './format.ts';
import { useLoaded } from './loaded.ts';
import { toneOf } from './overview.tsx';
import { Plot } from './plot.tsx';
import { linkTo } from './route.ts';
import type { Store } from './store.ts';
import { Badge, Table } from './table.tsx';

interface ControllerProps {
  readonly store: Store;
  readonly controller: string;
  readonly filter: string;
  readonly isPaused: boolean;
}

/** One controller with its slowest and most failing requests. */
export function ControllerView({
  store,
  controller,
  filter,
  isPaused,
}: ControllerProps): JSX.Element {
  const row = store.controllers.get(controller);
  const { value, error } = useLoaded<ControllerPage>(
    'controller',
    { controller, filter },
    isPaused,
  );
  const requests = (caption: string, rows: readonly RequestRow[] = []): JSX.Element => (
    <Table
      caption={caption}
      columns={['Request', 'Last run', 'Slowest', 'Failures#', 'Error']}
      rows={rows}
      render={(request) => (
        <RequestLine key={request.request} controller={controller} row={request} />
      )}
      empty="None."
    />
  );
  return (
    <>
      {row !== undefined && (
        <p>
          <Badge tone={toneOf(row)}>{row.isPaused ? 'paused' : row.state}</Badge> {row.running} of{' '}
          {row.concurrency} workers are busy, {numberText(row.ready)} requests are ready
          {row.depths.length > 0 &&
            ` (${row.depths.map(([priority, count]) => `priority ${priority}: ${count}`).join(', ')})`}
        </p>
      )}
      {store.process?.hasActions === true && row !== undefined && (
        <ControllerActions
          key={controller}
          controller={controller}
          isPaused={row.isPaused}
          concurrency={row.concurrency}
          logLevel={row.logLevel}
        />
      )}
      {error !== undefined && <p role="alert">{error}</p>}
      {row !== undefined && row.runs.length > 0 && (
        <Table
          caption="Running"
          columns={['Request', 'For']}
          rows={row.runs}
          render={({ request, since }) => (
            <tr key={request}>
              <th scope="row">
                <a href={linkTo('request', controller, request)}>{request}</a>
              </th>
              <td>{spanText(Math.max(0, (store.process?.at ?? since) - since))}</td>
            </tr>
          )}
          empty=""
        />
      )}
      <section class="plots" aria-label="Rates">
        <Plot
          key={controller}
          title="Per second"
          series={store.series(controller)}
          lines={[
            { label: 'reconciles', index: 1, color: 'line-1' },
            { label: 'errors', index: 2, color: 'line-2' },
          ]}
        />
        <Plot
          key={`${controller} queue`}
          title="Queue"
          series={store.series(controller)}
          lines={[{ label: 'ready requests', index: 3, color: 'line-1' }]}
        />
      </section>
      {value?.hasHistory === false && <p>The controller keeps no history (historyBytes: 0).</p>}
      {requests('Slowest', value?.slowest)}
      {requests('Most failures in a row', value?.failing)}
      {requests(
        `Requests that match, the latest of ${numberText(value?.matches ?? 0)}`,
        value?.matching,
      )}
      {value !== undefined && (
        <details>
          <summary>Explanation as text</summary>
          <pre>{value.text}</pre>
        </details>
      )}
    </>
  );
}

function RequestLine({ controller, row }: { controller: string; row: RequestRow }): JSX.Element {
  return (
    <tr>
      <th scope="row">
        <a href={linkTo('request', controller, row.request)}>{row.request}</a>
      </th>
      <td>{row.lastRunAt === undefined ? 'none' : timeText(row.lastRunAt)}</td>
      <td>{row.slowestMs === undefined ? '' : spanText(row.slowestMs)}</td>
      <td class="number">{row.failures}</td>
      <td class="wide">{row.error ?? ''}</td>
    </tr>
  );
}

interface ActionProps {
  readonly controller: string;
  readonly isPaused: boolean;
  readonly concurrency: number;
  readonly logLevel: string | undefined;
}

function ControllerActions({
  controller,
  isPaused,
  concurrency,
  logLevel,
}: ActionProps): JSX.Element {
  const { send, result } = useActions(controller);
  return (
    <section class="actions" aria-label="Actions">
      <button type="button" onClick={() => send(isPaused ? 'Resume' : 'Pause')}>
        {isPaused ? 'Resume controller' : 'Pause controller'}
      </button>
      <label>
        Concurrency{' '}
        <input
          type="number"
          min="1"
          value={concurrency}
          onChange={({ currentTarget }) => send('SetConcurrency', { value: currentTarget.value })}
        />
      </label>
      {logLevel !== undefined && (
        <label>
          Log level{' '}
          <select
            value={logLevel}
            onChange={({ currentTarget }) => send('SetLogLevel', { value: currentTarget.value })}
          >
            {['debug', 'info', 'warn', 'error', 'silent'].map((level) => (
              <option key={level}>{level}</option>
            ))}
          </select>
        </label>
      )}
      {result}
    </section>
  );
}
