import type { ObjectReference, RequestPage, TimelineEntry } from '@keelson/inspector';
import type { JSX } from 'preact';
import { useActions } from './actions.tsx';
import { shortTimes, timeText } from './format.ts';
import { useLoaded } from './loaded.ts';
import { linkTo } from './route.ts';
import { Badge, Table } from './table.tsx';

interface RequestProps {
  readonly controller: string;
  readonly request: string;
  readonly isPaused: boolean;
  readonly hasActions: boolean;
}

/** One request: its history, its object and what belongs to it. */
export function RequestView({
  controller,
  request,
  isPaused,
  hasActions,
}: RequestProps): JSX.Element {
  const { value, error } = useLoaded<RequestPage>('request', { controller, request }, isPaused);
  return (
    <>
      <p>
        of the controller <a href={linkTo('controller', controller)}>{controller}</a>
      </p>
      {error !== undefined && <p role="alert">{error}</p>}
      {hasActions && value !== undefined && <RequestActions page={value} />}
      {value !== undefined && <RequestFacts page={value} />}
    </>
  );
}

function RequestFacts({ page }: { page: RequestPage }): JSX.Element {
  return (
    <>
      <p>
        <Badge tone={page.state === 'running' ? 'good' : 'plain'}>{page.state}</Badge>
        {page.nextRun !== undefined && ` next run at ${timeText(page.nextRun)}`}
      </p>
      {page.obstacles.length > 0 && (
        <ul aria-label="Why it does not run now">
          {page.obstacles.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {page.writers.length > 0 && (
        <Table
          caption="Last writers"
          columns={['Object', 'Field manager', 'Operation', 'At']}
          rows={page.writers}
          render={({ object, manager, operation, at }) => (
            <tr key={`${object} ${manager} ${operation}`}>
              <th scope="row">{object}</th>
              <td>{manager}</td>
              <td>{operation}</td>
              <td>{at === undefined ? '' : timeText(at)}</td>
            </tr>
          )}
          empty=""
        />
      )}
      {page.unread.length > 0 && (
        <ul class="muted" aria-label="Not available from the API server">
          {page.unread.map(({ part, reason }) => (
            <li key={part}>
              {part}: not available ({reason})
            </li>
          ))}
        </ul>
      )}
      <h2>Timeline</h2>
      {page.timeline.length === 0 && <p class="muted">No event and no run is known.</p>}
      <ol class="timeline" aria-label="Timeline, latest first">
        {page.timeline.map((entry) => (
          <Entry key={`${entry.at} ${entry.type} ${entry.text}`} entry={entry} />
        ))}
      </ol>
      <References title="Owners" references={page.owners} />
      <References title="Children" references={page.children} />
      <Table
        caption="Events"
        columns={['At', 'Type', 'Reason', 'Count#', 'Note']}
        rows={page.events}
        render={({ at, type, reason, note, count }) => (
          <tr key={`${at} ${reason} ${note}`}>
            <td>{at === undefined ? '' : timeText(at)}</td>
            <td>
              <Badge tone={type === 'Warning' ? 'bad' : 'plain'}>{type}</Badge>
            </td>
            <th scope="row">{reason}</th>
            <td class="number">{count}</td>
            <td class="wide">{note}</td>
          </tr>
        )}
        empty="None."
      />
      <details open>
        <summary>Object</summary>
        {page.object === undefined ? (
          <p class="muted">No watch of the controller has it.</p>
        ) : (
          <pre tabIndex={0} aria-label="Object as JSON">
            {JSON.stringify(page.object, undefined, 2)}
          </pre>
        )}
      </details>
    </>
  );
}

const tones = { event: 'busy', superseded: 'plain', run: 'good', dropped: 'plain' } as const;

function Entry({ entry }: { entry: TimelineEntry }): JSX.Element {
  return (
    <li class={entry.isFailure ? 'failure' : ''}>
      <time dateTime={entry.at}>{timeText(entry.at)}</time>{' '}
      <Badge tone={entry.isFailure ? 'bad' : tones[entry.type]}>
        {entry.isFailure ? 'failed run' : entry.type}
      </Badge>{' '}
      {shortTimes(entry.text, entry.at)}
      {entry.details.map((line) => (
        <div key={line} class="muted">
          {line}
        </div>
      ))}
    </li>
  );
}

function References({
  title,
  references,
}: {
  title: string;
  references: readonly ObjectReference[];
}): JSX.Element {
  if (references.length === 0) return <></>;
  return (
    <>
      <h2>{title}</h2>
      <ul>
        {references.map(({ kind, namespace, name }) => (
          <li key={`${kind} ${namespace} ${name}`}>
            {kind} {namespace === undefined ? name : `${namespace}/${name}`}
          </li>
        ))}
      </ul>
    </>
  );
}

function RequestActions({ page }: { page: RequestPage }): JSX.Element {
  const { request, isPaused } = page;
  const { send, result } = useActions(page.controller);
  return (
    <section class="actions" aria-label="Actions">
      <button type="button" onClick={() => send('Run', { request })}>
        Run now
      </button>
      <button type="button" onClick={() => send(isPaused ? 'Resume' : 'Pause', { request })}>
        {isPaused ? 'Resume request' : 'Pause request'}
      </button>
      {result}
    </section>
  );
}
