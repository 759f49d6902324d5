/**
 * The request header with the id of the work of a client that has the clock of a test. The server in memory of the same
 * test connects its own work with it.
 */
export const WORK_HEADER = 'keelson-work';
