import type { buildConnector } from 'undici';

type Connector = buildConnector.connector;

/** The failure to open a connection, TLS handshake included: no request was sent on it. */
export class ConnectFailure extends Error {
  override readonly name: string = 'ConnectFailure';
}

/** The same connector; its errors are marked, because the codes of a socket are the same before and after. */
export function markFailures(connect: Connector): Connector {
  return (options, done) =>
    connect(options, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      // Proxies call back with `undefined` too.
      if (socket) done(null, socket);
      else done(new ConnectFailure('no connection was opened', { cause: error }), null);
    });
}
