import type { SnapshotMessage } from '@keelson/inspector';
import { render, type JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { keepToken, messages, readToken, RequestFailed } from './connection.ts';
import { ControllerView } from './controller.tsx';
import { Overview } from './overview.tsx';
import { RequestView } from './request.tsx';
import { linkTo, routeOf, type Route } from './route.ts';
import { Store } from './store.ts';
import { WatchView } from './watch.tsx';

/** Milliseconds before a broken stream is opened again. */
const RETRY_MS = 1000;

type Connection = 'connecting' | 'live' | 'paused' | 'disconnected' | 'unauthorized';

const connectionTexts: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting',
  live: 'Live',
  paused: 'Paused',
  disconnected: 'Disconnected, trying again',
  unauthorized: 'The server needs the token',
};

function App(): JSX.Element {
  const [isPaused, setPaused] = useState(false);
  const [filter, setFilter] = useState('');
  const route = useRoute();
  const { store, connection, reconnect } = useStore(isPaused);
  const heading = useRef<HTMLHeadingElement>(null);
  const place = JSON.stringify(route);
  const title = titleOf(route, store);
  const first = useRef(true);
  useEffect(() => {
    document.title = `${title} – Keelson inspector`;
    // A screen reader reads the heading of the new place.
    if (!first.current) heading.current?.focus();
    first.current = false;
    setFilter('');
  }, [place]);
  useKeys({ pause: () => setPaused((value) => !value), isOverview: route.page === 'overview' });
  return (
    <>
      <a
        class="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          heading.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <header>
        <nav aria-label="Places">
          <a href="#/" aria-current={route.page === 'overview' ? 'page' : undefined}>
            Keelson inspector
          </a>
          {route.page === 'request' && (
            <a href={linkTo('controller', route.controller)}>{route.controller}</a>
          )}
        </nav>
        <search>
          <input
            id="filter"
            type="search"
            placeholder="Filter (/)"
            aria-label="Filter"
            value={filter}
            onInput={({ currentTarget }) => setFilter(currentTarget.value)}
          />
        </search>
        <button
          type="button"
          aria-pressed={isPaused}
          aria-keyshortcuts="p"
          onClick={() => setPaused(!isPaused)}
        >
          Pause
        </button>
        <span class={`connection ${connection}`} role="status">
          {connectionTexts[connection]}
        </span>
      </header>
      <main id="content">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {connection === 'unauthorized' ? (
          <TokenForm done={reconnect} />
        ) : (
          <Place route={route} store={store} filter={filter} isPaused={isPaused} />
        )}
      </main>
      <footer>
        Keys: <kbd>/</kbd> filter, <kbd>p</kbd> pause, <kbd>Esc</kbd> overview
      </footer>
    </>
  );
}

function Place({
  route,
  store,
  filter,
  isPaused,
}: {
  route: Route;
  store: Store;
  filter: string;
  isPaused: boolean;
}): JSX.Element {
  switch (route.page) {
    case 'overview':
      return <Overview store={store} filter={filter} />;
    case 'controller':
      return (
        <ControllerView
          store={store}
          controller={route.controller}
          filter={filter}
          isPaused={isPaused}
        />
      );
    case 'request':
      return (
        <RequestView
          controller={route.controller}
          request={route.request}
          isPaused={isPaused}
          hasActions={store.process?.hasActions === true}
        />
      );
    case 'watch':
      return <WatchView store={store} id={route.id} filter={filter} isPaused={isPaused} />;
  }
}

function titleOf(route: Route, store: Store): string {
  switch (route.page) {
    case 'overview':
      return 'Overview';
    case 'controller':
      return `Controller ${route.controller}`;
    case 'request':
      return `Request ${route.request}`;
    case 'watch':
      return `Watch ${store.watches.get(route.id)?.resource ?? ''}`;
  }
}

function TokenForm({ done }: { done: () => void }): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  const use = (): void => {
    keepToken(input.current?.value.trim() ?? '');
    done();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        use();
      }}
    >
      <p>
        Enter the token of the debug server: <code>servers.debug.token</code>, or{' '}
        <code>manager.debugToken</code>. This tab keeps it until it is closed.
      </p>
      <label>
        Token <input ref={input} type="password" autocomplete="off" />
      </label>{' '}
      <button type="submit">Connect</button>
    </form>
  );
}

function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = (): void => {
      readToken();
      setHash(location.hash);
    };
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return useMemo(() => routeOf(hash), [hash]);
}

/** Follows the stream of the overview while the page is not paused. Renders once for each message. */
function useStore(isPaused: boolean): {
  readonly store: Store;
  readonly connection: Connection;
  readonly reconnect: () => void;
} {
  const store = useMemo(() => new Store(), []);
  const [connection, setConnection] = useState<Connection>('connecting');
  const [, setTurn] = useState(0);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (isPaused) {
      setConnection('paused');
      return undefined;
    }
    const stop = new AbortController();
    let timer: number | undefined;
    const follow = async (): Promise<void> => {
      let next: Connection = 'disconnected';
      try {
        let isFirst = true;
        for await (const message of messages<SnapshotMessage>('stream', {}, stop.signal)) {
          if (isFirst) store.restart();
          isFirst = false;
          store.apply(message);
          setConnection('live');
          setTurn((turn) => turn + 1);
        }
      } catch (error) {
        if (error instanceof RequestFailed && error.status === 401) next = 'unauthorized';
      }
      if (stop.signal.aborted) return;
      setConnection(next);
      if (next === 'disconnected')
        timer = window.setTimeout(() => setAttempt((count) => count + 1), RETRY_MS);
    };
    void follow();
    return () => {
      stop.abort();
      window.clearTimeout(timer);
    };
  }, [isPaused, attempt, store]);
  return { store, connection, reconnect: () => setAttempt((count) => count + 1) };
}

function useKeys({ pause, isOverview }: { pause: () => void; isOverview: boolean }): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const { target, key } = event;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (key === 'Escape' && !isOverview) location.hash = '#/';
      if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) return;
      if (key === 'p') pause();
      if (key !== '/') return;
      event.preventDefault();
      document.querySelector<HTMLInputElement>('#filter')?.focus();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  });
}

readToken();
const place = document.querySelector('#page');
if (place !== null) render(<App />, place);
