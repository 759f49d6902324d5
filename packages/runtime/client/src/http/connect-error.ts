import type { buildConnector } from 'undici';

type Connector = buildConnector.connector;

/** The error of a connection that could not be opened, TLS handshake included. No request was sent on it. */
export class ConnectError extends Error {
  override readonly name: string = 'ConnectError';
}

/**
 * Wraps a connector so that its errors become `ConnectError`s. A socket fails with the same codes before
 * and after it is connected.
 */
export function markFailures(connect: Connector): Connector {
  return (options, done) =>
    connect(options, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      // Proxy agents may call back with `undefined` instead of `null` as the error.
      if (socket) done(null, socket);
      else done(new ConnectError('no connection was opened', { cause: error }), null);
    });
}
