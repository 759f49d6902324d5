import type { WatchEventRow, WatchMessage, WatchPage } from '@keelson/inspector';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { messages } from './connection.ts';
import { bytesText, countsText, numberText, timeText } from './format.ts';
import { useLoaded } from './loaded.ts';
import { queryOf } from './overview.tsx';
import type { Store } from './store.ts';
import { Badge, Table } from './table.tsx';

/** The latest events that are shown. */
const MAX_EVENTS = 200;

interface WatchProps {
  readonly store: Store;
  readonly id: string;
  readonly filter: string;
  readonly isPaused: boolean;
}

/** One watch: whom it serves, and its events as they arrive. */
export function WatchView({ store, id, filter, isPaused }: WatchProps): JSX.Element {
  const row = store.watches.get(id);
  const { value, error } = useLoaded<WatchPage>('watch', { id }, isPaused);
  const { events, left, ended } = useWatchEvents(id, isPaused);
  const kind = row && store.kind(row);
  return (
    <>
      {row !== undefined && (
        <p>
          <Badge tone={row.state === 'live' ? 'good' : 'bad'}>{row.state}</Badge> {row.reason}.{' '}
          {queryOf(row)}; {numberText(row.objects)} objects, {bytesText(row.bytes)}, at version{' '}
          {row.resourceVersion}.
        </p>
      )}
      {kind !== undefined && (
        <p class="muted">
          All watches of the kind: {numberText(kind.events)} events; lists:{' '}
          {countsText(kind.lists) || 'none'}; opened again: {countsText(kind.restarts) || 'never'}.
        </p>
      )}
      {error !== undefined && <p role="alert">{error}</p>}
      <Table
        caption="Handles that it serves"
        columns={['Held by', 'Query', 'Served', 'Why no other watch']}
        rows={value?.handles ?? []}
        render={(handle) => (
          <tr key={`${handle.owner} ${handle.query}`}>
            <th scope="row">{handle.owner}</th>
            <td class="wide">{handle.query}</td>
            <td>
              {handle.isView ? 'as a view' : 'exactly'}
              {handle.movesTo !== undefined && `, moves to ${handle.movesTo}`}
            </td>
            <td class="wide">
              {handle.others.map(({ watch, reason }) => `${watch}: ${reason}`).join('; ')}
            </td>
          </tr>
        )}
        empty="None."
      />
      {ended !== '' && <p role="alert">{ended}</p>}
      {left > 0 && <p class="muted">{numberText(left)} events were left out.</p>}
      <Table
        caption="Events since this page was opened"
        columns={['At', 'Type', 'Object', 'Version']}
        rows={events.filter(({ key }) => key.includes(filter))}
        render={({ at, type, key, resourceVersion }) => (
          <tr key={`${at} ${key} ${resourceVersion} ${type}`}>
            <td>{timeText(at)}</td>
            <td>{type}</td>
            <th scope="row">{key}</th>
            <td>{resourceVersion}</td>
          </tr>
        )}
        empty="None yet."
      />
    </>
  );
}

interface WatchEvents {
  /** Latest first. */
  readonly events: readonly WatchEventRow[];
  readonly left: number;
  /** Why the stream has ended; empty while it is open. */
  readonly ended: string;
}

const noEvents: WatchEvents = { events: [], left: 0, ended: '' };

function useWatchEvents(id: string, isPaused: boolean): WatchEvents {
  const [state, setState] = useState(noEvents);
  useEffect(() => setState(noEvents), [id]);
  useEffect(() => {
    if (isPaused) return undefined;
    const stop = new AbortController();
    void followWatch(id, stop.signal, setState);
    return () => stop.abort();
  }, [id, isPaused]);
  return state;
}

async function followWatch(
  id: string,
  signal: AbortSignal,
  update: (change: (state: WatchEvents) => WatchEvents) => void,
): Promise<void> {
  try {
    const stream = messages<WatchMessage>('watch/stream', { id }, signal);
    for await (const { events, left, ended = '' } of stream) {
      update((state) => ({
        events: [...events.toReversed(), ...state.events].slice(0, MAX_EVENTS),
        left: state.left + left,
        ended,
      }));
    }
  } catch (error) {
    if (!signal.aborted) update((state) => ({ ...state, ended: String(error) }));
  }
}
