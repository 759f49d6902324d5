/** The members of log lines that Keelson or a logger sets. A request with such a member has it as `request.NAME`. */
const reserved: ReadonlySet<string> = new Set([
  // Of the loggers: the default one, pino, bunyan.
  'time',
  'level',
  'message',
  'msg',
  'pid',
  'hostname',
  'v',
  'facts',
  // Of the parents of a run's logger.
  'controller',
  'cluster',
  'runnable',
  'reconcileId',
  // Of the lines about a run.
  'err',
  'error',
  'attempt',
  'priority',
  'queuedMs',
  'causes',
  'result',
  'duration',
  'nextRun',
  'count',
  'terminal',
  'timeout',
  'role',
  'source',
  'blockedMs',
  'awaitedAt',
  'suppressed',
]);

/**
 * The members of a request for log lines. They never replace a fact of Keelson, such as the name of the controller.
 * Never throws, because a request that `keyOf` identifies may have getters.
 */
export function requestFacts(request: object): Readonly<Record<string, unknown>> {
  try {
    const members = Object.entries(request);
    return Object.fromEntries(
      members.map(([name, value]) => [reserved.has(name) ? `request.${name}` : name, value]),
    );
  } catch {
    return { request: '(cannot be read)' };
  }
}
