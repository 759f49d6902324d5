import type { Duration } from '@keelson/apimachinery';

/** The service account of a token, and the lifetime of the token. */
export interface TokenOptions {
  /** The namespace of the service account. */
  readonly namespace: string;
  /** The name of the service account, which must exist. */
  readonly name: string;
  /** The lifetime of the token: milliseconds or a duration such as `'1h'`. */
  readonly expiresIn: Duration;
}

/** A process of a control plane that `ControlPlaneControls` can stop and pause. */
export type ControlPlaneProcess = 'etcd' | 'kube-apiserver';

/**
 * Injects faults into a control plane: crashes, hanging processes, an expired history and expired tokens. The
 * server in memory simulates the same faults. A stopped or paused process stays so until `start` or `resume`.
 */
export interface ControlPlaneControls {
  /** Kills the process, as a crash does: its connections break; it keeps its port and its data. */
  stop(process: ControlPlaneProcess): Promise<void>;
  /** Starts a stopped process; resolves when the API server is ready. Throws `START_FAILED`, `START_TIMEOUT`. */
  start(process: ControlPlaneProcess): Promise<void>;
  /** Calls `stop`, then `start`. Throws `START_FAILED`, `START_TIMEOUT`. */
  restart(process: ControlPlaneProcess): Promise<void>;
  /**
   * Freezes the process (`SIGSTOP`): its connections stay open, and it does not respond. Resolves when every thread has
   * stopped.
   */
  pause(process: ControlPlaneProcess): Promise<void>;
  /** Continues a paused process; resolves when the API server is ready. Throws `START_TIMEOUT`. */
  resume(process: ControlPlaneProcess): Promise<void>;
  /**
   * Expires every resourceVersion up to the current one: watches and continue tokens of these versions get 410.
   * Restarts a kube-apiserver, because its cache still has the old versions.
   */
  compact(): Promise<void>;
  /**
   * Issues a service account token with any lifetime; kube-apiserver itself issues none for less than 10 minutes. A
   * kube-apiserver accepts a token that it has checked for up to 10 s after its expiry. Throws a `StatusError`
   * (404) if the service account does not exist.
   */
  issueToken(options: TokenOptions): Promise<string>;
}
