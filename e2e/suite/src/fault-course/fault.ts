import type { Cluster } from '@keelson/client';
import type { ControlPlaneControls } from '@keelson/envtest';
import type { HttpProxy } from './http-proxy.ts';
import type { RequestLog } from './request-log.ts';
import type { Tunnel } from './tunnel.ts';

/** The parts of a course that a fault can use. */
export interface Site {
  readonly tunnel: Tunnel;
  readonly proxy: HttpProxy;
  readonly log: RequestLog;
  readonly controls: () => ControlPlaneControls;
  /** Acquires the watch, for faults that must exist before it. */
  readonly acquire: () => void;
  /** Writes to the namespace for a while. */
  readonly busy: () => Promise<void>;
  /** Lets time pass. */
  readonly pass: (milliseconds: number) => Promise<void>;
  /** Lets time pass until a condition is true. */
  readonly until: (holds: () => boolean) => Promise<void>;
  /** Sets the system clock as this process sees it. */
  readonly setDate: (milliseconds: number) => void;
  /** Returns another server, which has a different history. */
  readonly elsewhere: () => Cluster;
}

/** One kind of fault between a client and its server. */
export interface Fault {
  readonly name: string;
  /** The program that the connections of the client pass through. */
  readonly via: 'tunnel' | 'proxy';
  /** The fault acquires the watch itself, because it affects the initial state. */
  readonly strikesTheStart?: true;
  /** The fault concerns processes of the control plane, which need the real clock. */
  readonly takesTime?: true;
  /** Some responses never arrive, so the clock must advance without waiting for them during the fault. */
  readonly dropsResponses?: true;
  /** The client may list again, because the server no longer has the version of the watch. */
  readonly forgets?: true;
  /** The server has a different history after the fault. */
  readonly goesBack?: true;
  /** Milliseconds within which all events must arrive. */
  readonly within?: number;
  /** The same over HTTP/2, whose pings notice a lost connection. Default `within`. */
  readonly withinOverHttp2?: number;
  /** The largest permitted number of watch requests. Default 4. */
  readonly watches?: number;
  /** Runs the fault. Resolves when it is over and the server has the writes of the time in between. */
  strike(site: Site): Promise<void>;
}
