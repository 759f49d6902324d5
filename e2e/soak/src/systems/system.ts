import type { Definition } from '@keelson/example-support';
import type { Client, Manager } from '@keelson/manager';

/** Numbers from 0 to 1 from a seed. */
export type Random = () => number;

/** One of the examples, as the soak runs it. Replicas run its controllers; the main process is its user. */
export interface System {
  readonly name: string;
  readonly definitions: readonly Definition[];
  /** Adds the controllers to a manager, which other systems share. */
  addTo(manager: Manager): void;
  /** Changes something, as a user of the system would. The number of objects stays bounded. */
  act(client: Client, random: Random): Promise<void>;
  /** The differences from the state that the objects ask for, a line each. */
  unsettled(client: Client): Promise<readonly string[]>;
  /** Deletes every object that `act` created, so that the system rests. */
  clear(client: Client): Promise<void>;
  /** The remains of the system after `clear`, a line each. */
  left(client: Client): Promise<readonly string[]>;
}
