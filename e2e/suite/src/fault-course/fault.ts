import type { Cluster } from '@keelson/client';
import type { ControlPlaneControls } from '@keelson/envtest';
import type { HttpProxy } from './http-proxy.ts';
import type { RequestLog } from './request-log.ts';
import type { Tunnel } from './tunnel.ts';

/** Where a fault strikes. */
export interface Site {
  readonly tunnel: Tunnel;
  readonly proxy: HttpProxy;
  readonly log: RequestLog;
  readonly controls: () => ControlPlaneControls;
  /** Acquires the watch, where the fault has to be there before it. */
  readonly acquire: () => void;
  /** Writes for a while. */
  readonly busy: () => Promise<void>;
  /** Lets time pass. */
  readonly pass: (milliseconds: number) => Promise<void>;
  /** Lets time pass until something holds. */
  readonly until: (holds: () => boolean) => Promise<void>;
  /** Sets the clock of the machine, as far as this process can see it. */
  readonly setDate: (milliseconds: number) => void;
  /** Another server, which knows nothing of this one. */
  readonly elsewhere: () => Cluster;
}

/** One kind of trouble between a client and its server. */
export interface Fault {
  readonly name: string;
  /** What the client's connections go through. */
  readonly via: 'tunnel' | 'proxy';
  /** The watch is acquired by the fault itself: it strikes the initial state. */
  readonly strikesTheStart?: true;
  /** Processes of the control plane take part, and their time is the real one. */
  readonly takesTime?: true;
  /** Responses never arrive, so that time has to pass without them. */
  readonly swallowsAnswers?: true;
  /** A list, or WatchList, after the first one is right: the server forgot where the watch was. */
  readonly forgets?: true;
  /** The server has another past afterwards. */
  readonly goesBack?: true;
  /** Milliseconds within which all events have to arrive. */
  readonly within?: number;
  /** The most watch requests allowed; default 4. */
  readonly watches?: number;
  /** Resolves when the trouble is over, and what was written meanwhile is the server's. */
  strike(site: Site): Promise<void>;
}
