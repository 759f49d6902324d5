import type { ApiServer } from '@keelson/apiserver';
import type { Random } from '../systems/system.ts';
import type { Replicas } from '../replica/replicas.ts';

/** The objects on which a fault acts. */
export interface FaultTarget {
  readonly server: ApiServer;
  readonly replicas: Replicas;
  readonly random: Random;
}

/** One kind of fault. */
export interface Fault {
  readonly name: string;
  /** Begins the fault. Returns the function that ends one that lasts. */
  begin(target: FaultTarget): (() => unknown) | void;
}
