import type { Duration } from '@keelson/apimachinery';

/** A service account, and how long a token of it shall be good. */
export interface TokenOptions {
  readonly namespace: string;
  readonly name: string;
  readonly expiresIn: Duration;
}

/** A process of a control plane to which trouble can come. */
export type ControlPlaneProcess = 'etcd' | 'kube-apiserver';

/**
 * Trouble for a control plane: what happens to every cluster one day, on demand. The server in memory
 * behaves as one whose processes these were. What is stopped or paused stays so until `start` or `resume`.
 */
export interface ControlPlaneControls {
  /** Kills the process, as a crash does: its connections break. Its port and its data stay. */
  stop(process: ControlPlaneProcess): Promise<void>;
  /** Starts what was stopped; resolves when the API server is ready again. Throws `START_FAILED`, `START_TIMEOUT`. */
  start(process: ControlPlaneProcess): Promise<void>;
  /** `stop`, then `start`. */
  restart(process: ControlPlaneProcess): Promise<void>;
  /** Freezes the process (`SIGSTOP`): connections stay open and nobody answers. */
  pause(process: ControlPlaneProcess): Promise<void>;
  /** Lets what was paused go on; resolves when the API server is ready again. Throws `START_TIMEOUT`. */
  resume(process: ControlPlaneProcess): Promise<void>;
  /**
   * Expires every resourceVersion up to now: watches and continue tokens from there get 410. A
   * kube-apiserver is restarted for it, because its cache would still answer.
   */
  compact(): Promise<void>;
  /**
   * A token of a service account that expires when a test wants it to; a server itself grants none for less than ten
   * minutes. A kube-apiserver goes on taking one that it knows for up to 10 s. Throws a 404 `StatusError`.
   */
  issueToken(options: TokenOptions): Promise<string>;
}
