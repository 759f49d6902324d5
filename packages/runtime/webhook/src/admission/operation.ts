/** The operations that the API server reviews. `CONNECT` opens a connection, such as `exec` or `proxy`. */
export const operations = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const;

/** An operation of a request that the API server reviews. */
export type Operation = (typeof operations)[number];
