import { checkOptions, invalidOption, parseDuration, type Duration } from '@keelson/apimachinery';

/**
 * The behaviour of the containers of a Pod. Without any of these they start after the delay of the environment and run, ready, until
 * the Pod is deleted; those of a Pod that is not restarted end with 0 after `runtime`.
 */
export interface PodBehaviour {
  /** The time from the assignment to a node to the start of the containers. Default: that of the environment. */
  readonly startupDelay?: Duration;
  /** The time from the start of a container until it is ready. Default 0. */
  readonly readyAfter?: Duration;
  /** False: the containers run and are not ready. Default true. */
  readonly ready?: boolean;
  /** True: the images cannot be pulled. Default false. */
  readonly imagePullError?: boolean;
  /**
   * `'after 3s'`: each run of a container ends with `exitCode` after that time; `true`: at once. The kubelet starts it again
   * with a growing delay, as the Pod's `restartPolicy` says. Default: none.
   */
  readonly crash?: true | `after ${string}`;
  /** The exit code of `crash`, 1 to 255. Default 1. */
  readonly exitCode?: number;
  /** The exit code with which each container ends after `after`. Not with `crash`. Default: none. */
  readonly exits?: number;
  /** The time from the start of a container to its end with `exits`. Default 0. */
  readonly after?: Duration;
  /** The container that `crash`, `exits`, `ready` and `readyAfter` concern. Default: every one. */
  readonly container?: string;
  /**
   * The kubelet evicts the Pod, no earlier than 10 s after it was assigned to the node: `true`, or the message. Default
   * false.
   */
  readonly evicted?: boolean | string;
}

/** A checked behaviour. Times are in milliseconds. */
export interface BehaviourSettings {
  readonly startupDelay: number | undefined;
  readonly readyAfter: number;
  readonly ready: boolean;
  readonly imagePullError: boolean;
  /** The end of each run of a container. */
  readonly end: { readonly after: number; readonly exitCode: number } | undefined;
  readonly container: string | undefined;
  /** The message of the eviction. */
  readonly evicted: string | undefined;
}

const known = [
  'startupDelay',
  'readyAfter',
  'ready',
  'imagePullError',
  'crash',
  'exitCode',
  'exits',
  'after',
  'container',
  'evicted',
];
const EVICTION_MESSAGE = 'The node was low on resource: memory.';

/** Checks a behaviour. Throws `INVALID_OPTION` with the name of the option. */
export function behaviourOf(given: PodBehaviour, where: string): BehaviourSettings {
  checkOptions(given, known, where);
  const { startupDelay, readyAfter = 0, ready = true, imagePullError = false } = given;
  for (const [name, value] of Object.entries({ ready, imagePullError }))
    if (typeof value !== 'boolean')
      throw invalidOption(`${where}.${name}`, 'must be true or false');
  const { container, evicted = false } = given;
  if (container !== undefined && typeof container !== 'string')
    throw invalidOption(`${where}.container`, 'must be the name of a container');
  if (typeof evicted !== 'boolean' && typeof evicted !== 'string')
    throw invalidOption(`${where}.evicted`, 'must be true or a message');
  return {
    startupDelay:
      startupDelay === undefined ? undefined : parseDuration(startupDelay, `${where}.startupDelay`),
    readyAfter: parseDuration(readyAfter, `${where}.readyAfter`),
    ready,
    imagePullError,
    end: endOf(given, where),
    container,
    evicted: evicted === true ? EVICTION_MESSAGE : evicted || undefined,
  };
}

function endOf(
  { crash, exitCode, exits, after }: PodBehaviour,
  where: string,
): BehaviourSettings['end'] {
  if (crash !== undefined && exits !== undefined)
    throw invalidOption(`${where}.exits`, 'contradicts crash');
  if (exitCode !== undefined && crash === undefined)
    throw invalidOption(`${where}.exitCode`, 'needs crash');
  if (after !== undefined && exits === undefined)
    throw invalidOption(`${where}.after`, 'needs exits');
  if (exits !== undefined)
    return {
      after: parseDuration(after ?? 0, `${where}.after`),
      exitCode: codeOf(exits, 0, `${where}.exits`),
    };
  if (crash === undefined) return undefined;
  return {
    after: crashTime(crash, `${where}.crash`),
    exitCode: codeOf(exitCode ?? 1, 1, `${where}.exitCode`),
  };
}

function codeOf(code: unknown, least: number, where: string): number {
  if (typeof code === 'number' && Number.isInteger(code) && code >= least && code <= 255)
    return code;
  throw invalidOption(where, `must be a number from ${least} to 255`);
}

function crashTime(crash: unknown, where: string): number {
  if (crash === true) return 0;
  const time = typeof crash === 'string' ? /^after (.+)$/.exec(crash)?.[1] : undefined;
  if (time === undefined) throw invalidOption(where, "must be true or a text such as 'after 3s'");
  return parseDuration(time, where);
}
